// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / host functions and callbacks
// Host functions and callbacks run between the stream's other work, in order, and see what was copied before them.
#include "check.h"

struct Log {
  const int *watched;
  std::vector<int> seen;
};

void CUDART_CB host_function(void *data) {
  Log *log = static_cast<Log *>(data);
  log->seen.push_back(log->watched[0]);
}

void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data) {
  Log *log = static_cast<Log *>(data);
  log->seen.push_back(status == cudaSuccess ? -log->watched[0] : 0);
}

__global__ void triple(int *data) { data[0] = data[0] * 3 + 1; }

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int *host = nullptr, *data = upload(std::vector<int>{1});
  CHECK(cudaHostAlloc(&host, sizeof(int), cudaHostAllocDefault));
  host[0] = 0;
  Log log{host, {}};
  for (int round = 0; round < 3; ++round) {
    triple<<<1, 1, 0, stream>>>(data);
    CHECK(cudaMemcpyAsync(host, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, host_function, &log));
    CHECK(cudaStreamAddCallback(stream, callback, &log, 0));
  }
  CHECK(cudaStreamSynchronize(stream));
  for (int value : log.seen) std::printf("%d\n", value);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(host));
  return 0;
}

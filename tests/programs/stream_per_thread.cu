// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / per-thread default stream
// Built with --default-stream per-thread: host threads launch at once, each on its own default stream.
// flags: --default-stream per-thread
#include <thread>

#include "check.h"

__global__ void add(int *data, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += value;
}

void work(int id, std::vector<int> *result) {
  const int n = 100;
  int *data = nullptr;
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMemset(data, 0, n * sizeof(int)));
  for (int round = 0; round < 10; ++round) add<<<1, 32>>>(data, n, id + round);
  CHECK(cudaGetLastError());
  result->resize(n);
  CHECK(cudaMemcpyAsync(result->data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK(cudaFree(data));
}

int main() {
  std::vector<std::vector<int>> results(4);
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id) threads.emplace_back(work, id * 100, &results[id]);
  for (std::thread &thread : threads) thread.join();
  for (int id = 0; id < 4; ++id) compare("thread", std::vector<int>(100, id * 1000 + 45), results[id]);
  return 0;
}

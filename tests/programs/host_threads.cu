// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / launches from several host threads
// Several host threads launch kernels with their own arguments at once; the launch configuration is per host thread.
#include <thread>

#include "check.h"

__global__ void identify(int *output, int id) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  output[i] = id * 1000000 + gridDim.x * 10000 + blockDim.x * 100 + i % 100;
}

int main() {
  const int workers = 5;
  std::vector<int *> outputs(workers);
  std::vector<std::thread> threads;
  for (int id = 0; id < workers; ++id) outputs[id] = device_zeros<int>(500);
  for (int id = 0; id < workers; ++id)
    threads.emplace_back([id, &outputs] {
      cudaStream_t stream;
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int round = 0; round < 8; ++round) identify<<<id + 1, 10 * (id + 1), 0, stream>>>(outputs[id], id);
      CHECK(cudaGetLastError());
      CHECK(cudaStreamSynchronize(stream));
      CHECK(cudaStreamDestroy(stream));
    });
  for (std::thread &thread : threads) thread.join();
  for (int id = 0; id < workers; ++id) {
    int blocks = id + 1, size = 10 * (id + 1);
    std::vector<int> want(blocks * size);
    for (int i = 0; i < blocks * size; ++i) want[i] = id * 1000000 + blocks * 10000 + size * 100 + i % 100;
    compare("worker", want, download(outputs[id], want.size()));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / trap
// __trap ends the grid with a sticky launch failure that every later call repeats.
#include "check.h"

__global__ void stop(int *data) {
  data[threadIdx.x] = 1;
  if (threadIdx.x == 3) __trap();
}

__global__ void put(int *data) { *data = 42; }

int main() {
  int *data = device_zeros<int>(8);
  stop<<<1, 8>>>(data);
  std::printf("after trap: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("again: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  void *more = nullptr;
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&more, 16)));
  put<<<1, 1>>>(data);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}

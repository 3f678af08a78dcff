// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__global__ void count(int *values) { values[threadIdx.x] = threadIdx.x; }

int main() {
  int *values;
  // Device memory: the host has to copy from it.
  cudaMalloc(&values, 4096);
  count<<<1, 1024>>>(values);
  cudaDeviceSynchronize();
  std::printf("%d\n", values[1]);
}

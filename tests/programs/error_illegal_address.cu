// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / illegal addresses
// A kernel that stores through a null pointer ends with a sticky illegal address; earlier output is not lost.
#include "check.h"

__global__ void store(int *data) { data[threadIdx.x] = 1; }

int main() {
  int *good = device_zeros<int>(4);
  store<<<1, 4>>>(good);
  compare("before", std::vector<int>(4, 1), download(good, 4));
  store<<<1, 1>>>(nullptr);
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemset(good, 0, 4)));
  store<<<1, 4>>>(good);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}

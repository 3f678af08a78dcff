// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fault in a grid of small blocks: its report names the block, or the blocks that ran as one.
// feature: Devices and errors / illegal addresses
// report: illegal address.* block \((12, 0, 0\)|\d+, 0, 0\), or one of the \d+ blocks after it)
#include "check.h"

__global__ void store(int *good, int *bad) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int *const to = i == 100 ? bad : good + i;
  *to = i;
}

int main() {
  int *good = device_zeros<int>(512);
  store<<<64, 8>>>(good, good + 100);
  CHECK(cudaDeviceSynchronize());
  store<<<64, 8>>>(good, nullptr);
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fault in a block whose rows may have run as blocks of their own: its report names the block of the launch.
// feature: Devices and errors / illegal addresses
// report: illegal address.* block \((1, 2, 0\)|\d+, 2, 0\), or one of the \d+ blocks after it)
#include "check.h"

__global__ void store(int *good, int *bad, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  if (x == 20 && y == 35) *bad = 1;
  good[y * width + x] = x;
}

int main() {
  int *good = device_zeros<int>(128 * 64);
  store<<<dim3(8, 4), dim3(16, 16)>>>(good, good + 100, 128, 64);
  CHECK(cudaDeviceSynchronize());
  store<<<dim3(8, 4), dim3(16, 16)>>>(good, nullptr, 128, 64);
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / recursion that runs out of stack
// report: stack overflow in kernel deep\(unsigned int\*, unsigned int\)
// Frames larger than what guards a stack, of which only a few bytes are touched: running out of stack is still seen.
#include "check.h"

__device__ __noinline__ unsigned down(unsigned n, unsigned *last) {
  if (n == 0) return *last;
  volatile unsigned a[50000];
  a[n % 50000] = n;
  return (down(n - 1, last) * 3 + 1) % (a[n * 7 % 50000] + 1);
}

__global__ void deep(unsigned *data, unsigned n) { *data = down(n, data); }

int main() {
  unsigned *data = device_zeros<unsigned>(1);
  deep<<<1, 1>>>(data, 100000);
  std::printf("sync: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / memory touched by no inactive thread
// One thread divides by a variable and stores through the result; the others must not have a say in where.
#include "check.h"

__global__ void store_at_remainder(int *p, int chosen) {
  unsigned total = blockDim.x * gridDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread == unsigned(chosen) % total) p[3u % total] = 1;
}

__global__ void store_at_quotient(int *p, int chosen, int divisor) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread == chosen) p[7 / divisor] += 5;
}

int main() {
  std::vector<int> want(8);
  want[3] = 6;
  int *p = device_zeros<int>(8);
  store_at_remainder<<<2, 128>>>(p, 41);
  store_at_quotient<<<2, 128>>>(p, 100, 2);
  compare("guarded division", want, download(p, 8));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil.h"

__global__ void heat_kernel(const float *now, float *next, int n, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool at_end = i == 0 || i == n - 1;
  next[i] = at_end ? now[i] : now[i] + rate * (now[i - 1] - 2.0f * now[i] + now[i + 1]);
}

void step_heat(const float *now, float *next, int n, float rate) {
  const int block = 128;
  heat_kernel<<<(n + block - 1) / block, block>>>(now, next, n, rate);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / Kernel parameters: a struct with a factor of its own or a pointer to one, barriers behind both
//
// Whether a factor is zero decides for the whole block, as in CUTLASS's epilogues; both sides wait at barriers.
#include <cstdio>

struct Factors {
  int alpha, beta;
  const int *alpha_there, *beta_there;
  int unused[32];
};

__global__ void combine(Factors f, const int *x, int *y) {
  __shared__ int part[64];
  const int alpha = *(f.alpha_there != nullptr ? f.alpha_there : &f.alpha);
  const int beta = *(f.beta_there != nullptr ? f.beta_there : &f.beta);
  const int i = threadIdx.x;
  if (beta != 0) {
    part[i] = y[i];
    __syncthreads();
    y[i] = alpha * x[i] + beta * part[63 - i];
  } else {
    part[i] = x[i];
    __syncthreads();
    y[i] = alpha * part[63 - i] + f.unused[i % 32];
  }
}

int main() {
  int *memory;
  if (cudaMallocManaged(&memory, 256 * sizeof(int)) != cudaSuccess) return 1;
  int *const x = memory, *const y = memory + 64, *const there = memory + 128;
  for (int form = 0; form < 4; ++form) {
    for (int i = 0; i < 64; ++i) x[i] = i, y[i] = 100 * i;
    there[0] = 5, there[1] = form == 2 ? 0 : 7;
    Factors f = {2, form == 1 ? 3 : 0, form >= 2 ? there : nullptr, form >= 2 ? there + 1 : nullptr, {9}};
    combine<<<1, 64>>>(f, x, y);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("%d: %d %d %d\n", form, y[0], y[1], y[63]);
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread for each element of C. -DBLOCK_X=, -DBLOCK_Y=: the block's shape.
#include "sgemm.h"

__global__ void sgemm(int n, const float *a, const float *b, float *c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Sgemm problem(settings);
  const int n = problem.n;
  bench::DeviceArray<float> a(problem.a), b(problem.b), c(problem.c);
  const dim3 block(BLOCK_X, BLOCK_Y);
  const dim3 grid((n + BLOCK_X - 1) / BLOCK_X, (n + BLOCK_Y - 1) / BLOCK_Y);
  return bench::measure(
      settings, problem.work(),
      [&] {
        sgemm<<<grid, block>>>(n, a.data(), b.data(), c.data());
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(c.to_host().data()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block computes BLOCK_Y rows of BLOCK_X columns from tiles in shared memory; BLOCK_X is a multiple of BLOCK_Y.
#include "sgemm.h"

__global__ void sgemm(int n, const float *a, const float *b, float *c) {
  __shared__ float tile_a[BLOCK_Y][BLOCK_X], tile_b[BLOCK_X][BLOCK_X];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * BLOCK_X + x, row = blockIdx.y * BLOCK_Y + y;
  float sum = 0;
  for (int start = 0; start < n; start += BLOCK_X) {
    tile_a[y][x] = a[row * n + start + x];
    for (int k = y; k < BLOCK_X; k += BLOCK_Y) tile_b[k][x] = b[(start + k) * n + column];
    __syncthreads();
    for (int k = 0; k < BLOCK_X; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Sgemm problem(settings);
  const int n = problem.n;
  bench::DeviceArray<float> a(problem.a), b(problem.b), c(problem.c);
  const dim3 block(BLOCK_X, BLOCK_Y), grid(n / BLOCK_X, n / BLOCK_Y);
  return bench::measure(
      settings, problem.work(),
      [&] {
        sgemm<<<grid, block>>>(n, a.data(), b.data(), c.data());
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(c.to_host().data()); });
}

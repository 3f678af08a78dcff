// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "functions.h"

#include <cuda_runtime.h>

__device__ float polynomial(float x) { return (x * 3 + 2) * x + 1; }
__device__ int index_here() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int through_another(int x) { return twice(x) + 1; }
__device__ int collatz(int x, int depth) { return x == 1 ? depth : collatz(x % 2 ? 3 * x + 1 : x / 2, depth + 1); }
__device__ void count(int *cells, int which) { atomicAdd(&cells[which], 1); }

__device__ int sum_of_warp(int x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}
__device__ int wait_at_barrier(int *cell, int x) {
  cell[threadIdx.x] = x;
  __syncthreads();
  return cell[blockDim.x - 1 - threadIdx.x];
}
__device__ int through_another_with_barrier(int *cell, int x) { return barrier_of_main(cell, x); }
__device__ int shared_sum(int x) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x);
  __syncthreads();
  return sum;
}

__device__ void wait_for(volatile int *flag) {
  while (*flag == 0) {
  }
}
__device__ int look(volatile int *flag) { return *flag; }
__device__ int look_twice(volatile int *flag) { return look(flag) + look(flag); }
__device__ bool poll(volatile int *flag, int depth) {
  return *flag != 0 || (depth < 100 && poll_again(flag, depth + 1));
}
__device__ void end_odd(int x) {
  if (x & 1) asm volatile("exit;");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / functions of another file that compute, wait, meet other threads
// Separate compilation: what a kernel calls in another file only computes, or holds a barrier, a shuffle, a shared
// variable, a wait, a volatile read that the kernel waits on, or calls a function back that does.
// flags: -rdc=true
// sources: functions.cu
// build: objects
#include "../check.h"
#include "functions.h"

__device__ int twice(int x) { return 2 * x; }
__device__ bool poll_again(volatile int *flag, int depth) { return poll(flag, depth); }
__device__ int barrier_of_main(int *cell, int x) { return wait_at_barrier(cell, x) + 1; }

__global__ void compute(float *output, int *other) {
  int i = index_here();
  output[i] = polynomial(i * 0.5f);
  other[i] = through_another(i) + collatz(i + 1, 0);
  count(other + 1024, i % 7);
}

__global__ void compute_around_a_barrier(int *output) {
  __shared__ int cell[128];
  cell[threadIdx.x] = through_another(threadIdx.x);
  __syncthreads();
  output[index_here()] = cell[127 - threadIdx.x] + twice(cell[threadIdx.x]);
}

__global__ void exchange(int *output, int *cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, *mine = cells + blockIdx.x * blockDim.x;
  int sum = sum_of_warp(i), other = wait_at_barrier(mine, i);
  __syncthreads();
  int third = through_another_with_barrier(mine, 2 * i);
  output[i] = sum + other * 3 + third * 5 + shared_sum(i) * 7;
}

__global__ void wait_in_the_function(int *flag, int *output) {
  if (threadIdx.x == 64) *(volatile int *)flag = 1;
  if (threadIdx.x != 0) return;
  wait_for(flag);
  *output = 42;
}

__global__ void wait_on_the_function(int *flag, int *output) {
  if (threadIdx.x == 64) *(volatile int *)flag = 1;
  if (threadIdx.x != 0) return;
  for (int i = 0; look_twice(flag) == 0;)
    if (++i > 1000000) return;
  *output = 42;
}

__global__ void wait_to_and_fro(int *flag, int *output) {
  if (threadIdx.x == 64) *(volatile int *)flag = 1;
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 10000 && *output == 0; ++i) *output = poll(flag, 0) ? 42 : 0;
}

__global__ void look_once(const int *flag, int *output) {
  output[threadIdx.x] = look(const_cast<int *>(flag) + threadIdx.x);
}

__global__ void some_end(int *output) {
  end_odd(threadIdx.x);
  output[threadIdx.x] = 1;
}

int main() {
  const int n = 512, block = 128;
  std::vector<float> polynomials(n);
  std::vector<int> others(n), counts(7), around(n), exchanged(n), ended(block);
  for (int i = 0; i < n; ++i) {
    float x = i * 0.5f;
    polynomials[i] = (x * 3 + 2) * x + 1;
    int steps = 0;
    for (int value = i + 1; value != 1; ++steps) value = value % 2 ? 3 * value + 1 : value / 2;
    others[i] = 2 * i + 1 + steps;
    ++counts[i % 7];
    int thread = i % block, first = i - thread;
    around[i] = 2 * (127 - thread) + 1 + 2 * (2 * thread + 1);
    int warp = i / 32 * 32;
    exchanged[i] = 32 * warp + 496 + (first + block - 1 - thread) * 3 + (2 * (first + block - 1 - thread) + 1) * 5;
    exchanged[i] += 7 * (block * first + block * (block - 1) / 2);
  }
  float *output = device_zeros<float>(n);
  int *other = device_zeros<int>(2048), *cells = device_zeros<int>(n), *flags = device_zeros<int>(64);
  compute<<<n / block, block>>>(output, other);
  compare("computed", polynomials, download(output, n));
  compare("through another", others, download(other, n));
  compare("counted", counts, download(other + 1024, 7));
  compute_around_a_barrier<<<n / block, block>>>(other);
  compare("around a barrier", around, download(other, n));
  exchange<<<n / block, block>>>(other, cells);
  compare("exchanged", exchanged, download(other, n));
  wait_in_the_function<<<1, 96>>>(flags, flags + 32);
  wait_on_the_function<<<1, 96>>>(flags + 1, flags + 33);
  wait_to_and_fro<<<1, 96>>>(flags + 2, flags + 34);
  compare("waited", std::vector<int>{42, 42, 42}, download(flags + 32, 3));
  look_once<<<1, 3>>>(flags, other);
  compare("looked", std::vector<int>{1, 1, 1}, download(other, 3));
  CHECK(cudaMemset(other, 0, 2048 * sizeof(int)));
  some_end<<<1, block>>>(other);
  for (int i = 0; i < block; i += 2) ended[i] = 1;
  compare("ended", ended, download(other, block));
  return 0;
}

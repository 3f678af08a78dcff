// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / implicit warp synchrony through volatile shared memory
// Code from before __syncwarp: a scan and a reduction in which lanes see each other's volatile stores one statement
// later.
#include "check.h"

__device__ int scan_warp(int value, volatile int *cells) {
  const int thread = threadIdx.x;
  int at = 2 * thread - (thread & 31);
  cells[at] = 0;
  at += 32;
  cells[at] = value;
  cells[at] += cells[at - 1];
  cells[at] += cells[at - 2];
  cells[at] += cells[at - 4];
  cells[at] += cells[at - 8];
  cells[at] += cells[at - 16];
  return cells[at];
}

__global__ void scan(const int *input, int *output) {
  __shared__ int cells[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int mine = scan_warp(input[i], cells);
  __syncthreads();
  if ((threadIdx.x & 31) == 31) cells[threadIdx.x >> 5] = mine;
  __syncthreads();
  if (threadIdx.x < 32) cells[threadIdx.x] = scan_warp(cells[threadIdx.x], cells);
  __syncthreads();
  output[i] = mine + (threadIdx.x < 32 ? 0 : cells[(threadIdx.x >> 5) - 1]);
}

__global__ void reduce(const int *input, int *output) {
  extern __shared__ int sums[];
  const unsigned thread = threadIdx.x;
  sums[thread] = input[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  if (thread < 32) {
    volatile int *cells = sums;
    cells[thread] += cells[thread + 32];
    cells[thread] += cells[thread + 16];
    cells[thread] += cells[thread + 8];
    cells[thread] += cells[thread + 4];
    cells[thread] += cells[thread + 2];
    cells[thread] += cells[thread + 1];
    if (thread == 0) output[blockIdx.x] = cells[0];
  }
}

// A lane waits for another's flag: lanes that wait to meet at different places are let go in turn.
__global__ void hand_over(int *output) {
  __shared__ volatile int flag, data;
  if (threadIdx.x == 0) flag = data = 0;
  __syncthreads();
  if (threadIdx.x == 40) {
    data = 7;
    __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 33) {
    while (flag == 0) {
    }
    *output = data;
  }
}

int main() {
  const int blocks = 3, block = 128;
  std::vector<int> input = random_ints(blocks * block, 1000, 5), want(input.size());
  for (int i = 0; i < blocks * block; ++i) want[i] = input[i] + (i % block ? want[i - 1] : 0);
  int *output = device_zeros<int>(blocks * block);
  scan<<<blocks, block>>>(upload(input), output);
  compare("scan", want, download(output, blocks * block));

  std::vector<int> sums(6);
  for (int i = 0; i < 6 * 64; ++i) sums[i / 64] += input[i];
  int *reduced = device_zeros<int>(6);
  reduce<<<6, 64, 64 * sizeof(int)>>>(upload(input), reduced);
  compare("sums", sums, download(reduced, 6));

  int *handed = device_zeros<int>(1);
  hand_over<<<1, 64>>>(handed);
  compare("handed over", std::vector<int>{7}, download(handed, 1));
  return 0;
}

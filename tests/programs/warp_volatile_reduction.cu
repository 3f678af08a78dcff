// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / warp-synchronous code with syncwarp
// The classic unrolled reduction through volatile shared memory, made well defined by syncwarp between its steps.
#include "check.h"

__device__ void warp_reduce(volatile int *cells, int thread) {
  int value = cells[thread];
#pragma unroll
  for (int stride = 32; stride > 0; stride >>= 1) {
    value += cells[thread + stride];
    __syncwarp();
    cells[thread] = value;
    __syncwarp();
  }
}

template <int kBlock>
__global__ void reduce(const int *input, int *output) {
  __shared__ int cells[kBlock];
  cells[threadIdx.x] = input[blockIdx.x * kBlock + threadIdx.x];
  __syncthreads();
  if (kBlock >= 512 && threadIdx.x < 256) cells[threadIdx.x] += cells[threadIdx.x + 256];
  __syncthreads();
  if (kBlock >= 256 && threadIdx.x < 128) cells[threadIdx.x] += cells[threadIdx.x + 128];
  __syncthreads();
  if (kBlock >= 128 && threadIdx.x < 64) cells[threadIdx.x] += cells[threadIdx.x + 64];
  __syncthreads();
  if (threadIdx.x < 32) warp_reduce(cells, threadIdx.x);
  if (threadIdx.x == 0) output[blockIdx.x] = cells[0];
}

template <int kBlock>
void test() {
  const int blocks = 4;
  std::vector<int> input = random_ints(kBlock * blocks, 10000, kBlock), want(blocks, 0);
  for (int i = 0; i < kBlock * blocks; ++i) want[i / kBlock] += input[i];
  int *output = device_zeros<int>(blocks);
  reduce<kBlock><<<blocks, kBlock>>>(upload(input), output);
  compare("sums", want, download(output, blocks));
}

int main() {
  test<64>();
  test<128>();
  test<256>();
  test<512>();
  return 0;
}

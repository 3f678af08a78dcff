// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / threadfence between blocks
// A one-launch reduction: the block that takes the last ticket after a threadfence adds the other blocks' partial sums.
#include "check.h"

__device__ unsigned tickets = 0;

__global__ void reduce(const int *input, volatile long long *partial, long long *total, int n) {
  __shared__ long long sums[128];
  __shared__ bool last;
  long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += input[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 64; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = sums[0];
}

int main() {
  const int n = 30000;
  std::vector<int> input = random_ints(n, 1 << 20);
  long long want = 0;
  for (int value : input) want += value;
  int *device_input = upload(input);
  long long *partial = device_zeros<long long>(64), *total = device_zeros<long long>(1);
  for (int blocks : {1, 7, 40}) {
    reduce<<<blocks, 128>>>(device_input, partial, total, n);
    report("total", want, download(total, 1)[0]);
  }
  return 0;
}

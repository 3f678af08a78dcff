// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / decoupled look-back
// A one-pass scan with decoupled look-back: blocks take atomic ids and spin on the state of earlier blocks.
#include "check.h"

const unsigned long long kAggregate = 1ull << 62, kPrefix = 2ull << 62, kValue = kAggregate - 1;

__device__ unsigned next_block = 0;

__global__ void scan(const int *input, int *output, unsigned long long *state) {
  __shared__ unsigned block;
  __shared__ int values[64];
  __shared__ int before;
  if (threadIdx.x == 0) block = atomicAdd(&next_block, 1u);
  __syncthreads();
  int i = block * 64 + threadIdx.x;
  values[threadIdx.x] = input[i];
  for (int offset = 1; offset < 64; offset *= 2) {
    __syncthreads();
    int other = threadIdx.x >= offset ? values[threadIdx.x - offset] : 0;
    __syncthreads();
    values[threadIdx.x] += other;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long total = values[63], sum = 0;
    atomicExch(&state[block], (block == 0 ? kPrefix : kAggregate) | total);
    for (int earlier = static_cast<int>(block) - 1; earlier >= 0;) {
      unsigned long long seen = atomicAdd(&state[earlier], 0ull);
      if (seen == 0) continue;
      sum += seen & kValue;
      if (seen & kPrefix) break;
      --earlier;
    }
    if (block != 0) atomicExch(&state[block], kPrefix | (sum + total));
    before = static_cast<int>(sum);
  }
  __syncthreads();
  output[i] = values[threadIdx.x] + before;
}

int main() {
  const int blocks = 50, n = blocks * 64;
  std::vector<int> input = random_ints(n, 1000), want(n);
  for (int i = 0, sum = 0; i < n; ++i) want[i] = sum += input[i];
  int *device_input = upload(input), *output = device_zeros<int>(n);
  unsigned long long *state = device_zeros<unsigned long long>(blocks);
  scan<<<blocks, 64>>>(device_input, output, state);
  compare("scan", want, download(output, n));
  return 0;
}

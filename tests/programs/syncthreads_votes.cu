// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / __syncthreads_count, and, or
// __syncthreads_count, _and and _or: the votes of all threads of a 2-D block, in turn with plain barriers in a loop.
#include "check.h"

__global__ void vote(int *output) {
  int thread = threadIdx.y * blockDim.x + threadIdx.x, out = (blockIdx.x * blockDim.x * blockDim.y + thread) * 12;
  for (int round = 0; round < 4; ++round) {
    output[out++] = __syncthreads_count(thread % (round + 2) == 0);
    output[out++] = __syncthreads_and(thread + round < 60) != 0;
    __syncthreads();
    output[out++] = __syncthreads_or(thread == 50 + round * 3) != 0;
  }
}

int main() {
  const int threads = 58, blocks = 3;
  std::vector<int> want;
  for (int thread = 0; thread < threads * blocks; ++thread)
    for (int round = 0; round < 4; ++round) {
      want.push_back((threads + round + 1) / (round + 2));
      want.push_back(threads - 1 + round < 60);
      want.push_back(50 + round * 3 < threads);
    }
  int *output = device_zeros<int>(want.size());
  vote<<<blocks, dim3(29, 2)>>>(output);
  compare("votes", want, download(output, want.size()));
  return 0;
}

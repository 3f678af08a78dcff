// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / barriers in loops and conditions
// Barriers inside loops and ifs that all threads of a block take alike, differently in different blocks.
#include "check.h"

__global__ void mix(const int *rounds, int *data) {
  __shared__ int cells[40];
  int thread = threadIdx.x, global = blockIdx.x * blockDim.x + thread;
  int value = data[global];
  for (int round = 0; round < rounds[blockIdx.x]; ++round) {
    cells[thread] = value;
    __syncthreads();
    if ((round + blockIdx.x) % 3 != 0) {
      int other = cells[(thread + 1) % blockDim.x];
      __syncthreads();
      cells[thread] = other * 2;
      __syncthreads();
    }
    value += cells[(thread + 3) % blockDim.x];
    __syncthreads();
    if (round == 4) break;
  }
  data[global] = value;
}

int main() {
  const int block = 40, blocks = 7;
  std::vector<int> rounds{0, 1, 2, 3, 5, 6, 9}, data = random_ints(block * blocks, 100), want = data;
  for (int b = 0; b < blocks; ++b)
    for (int round = 0; round < std::min(rounds[b], 5); ++round) {
      std::vector<int> old(want.begin() + b * block, want.begin() + (b + 1) * block), cells = old;
      if ((round + b) % 3 != 0)
        for (int i = 0; i < block; ++i) cells[i] = old[(i + 1) % block] * 2;
      for (int i = 0; i < block; ++i) want[b * block + i] = old[i] + cells[(i + 3) % block];
    }
  int *device = upload(data);
  mix<<<blocks, block>>>(upload(rounds), device);
  compare("mixed", want, download(device, want.size()));
  return 0;
}

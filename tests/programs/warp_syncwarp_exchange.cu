// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / syncwarp
// Lanes exchange through shared memory ordered by syncwarp alone: a transpose of 4x8 inside each warp, also half a
// warp.
#include "check.h"

__global__ void exchange(const int *input, int *output) {
  __shared__ int cells[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = input[threadIdx.x];
  for (int round = 0; round < 3; ++round) {
    cells[warp][lane] = value;
    __syncwarp();
    value = cells[warp][lane % 8 * 4 + lane / 8] + round;
    __syncwarp();
  }
  if (lane < 16) {
    cells[warp][lane] = value;
    __syncwarp(0x0000ffffu);
    value = cells[warp][15 - lane];
  }
  output[threadIdx.x] = value;
}

int main() {
  const int n = 128;
  std::vector<int> input = random_ints(n, 1000), want = input;
  for (int warp = 0; warp < n; warp += 32) {
    for (int round = 0; round < 3; ++round) {
      std::vector<int> old(want.begin() + warp, want.begin() + warp + 32);
      for (int lane = 0; lane < 32; ++lane) want[warp + lane] = old[lane % 8 * 4 + lane / 8] + round;
    }
    std::reverse(want.begin() + warp, want.begin() + warp + 16);
  }
  int *output = device_zeros<int>(n);
  exchange<<<1, n>>>(upload(input), output);
  compare("exchanged", want, download(output, n));
  return 0;
}

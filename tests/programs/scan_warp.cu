// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / scans by shuffles
// A block scan built from inclusive warp scans by shfl_up, with the warps' totals scanned by the first warp.
#include "check.h"

__device__ int warp_scan(int value, int lane) {
  for (int offset = 1; offset < 32; offset *= 2) {
    int other = __shfl_up_sync(0xffffffffu, value, offset);
    if (lane >= offset) value += other;
  }
  return value;
}

__global__ void scan(const int *input, int *output, int *exclusive) {
  __shared__ int totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = warp_scan(input[i], lane);
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int total = lane < (blockDim.x >> 5) ? totals[lane] : 0;
    totals[lane] = warp_scan(total, lane);
  }
  __syncthreads();
  if (warp > 0) value += totals[warp - 1];
  output[i] = value;
  exclusive[i] = value - input[i];
}

int main() {
  const int block = 352, blocks = 4, n = block * blocks;
  std::vector<int> input = random_ints(n, 2000), want(n), want_exclusive(n);
  for (int i = 0, sum = 0; i < n; ++i) {
    if (i % block == 0) sum = 0;
    want_exclusive[i] = sum;
    want[i] = sum += input[i];
  }
  int *device_input = upload(input), *output = device_zeros<int>(n), *exclusive = device_zeros<int>(n);
  scan<<<blocks, block>>>(device_input, output, exclusive);
  compare("inclusive", want, download(output, n));
  compare("exclusive", want_exclusive, download(exclusive, n));
  return 0;
}

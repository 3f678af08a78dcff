// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / reductions by shuffles
// A block reduction from shuffles: each warp reduces by shfl_down, then the first warp reduces the warps' sums.
#include "check.h"

__device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void block_sum(const int *input, int *output, int n) {
  __shared__ int sums[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += input[i];
  sum = warp_sum(sum);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < blockDim.x / 32 ? sums[lane] : 0;
  sum = warp_sum(sum);
  if (lane == 0) atomicAdd(output, sum);
}

int main() {
  const int n = 20000;
  std::vector<int> input = random_ints(n, 1000);
  long long want = 0;
  for (int value : input) want += value;
  int *device_input = upload(input);
  for (int block : {32, 64, 96, 256, 1024}) {
    int *output = device_zeros<int>(1);
    block_sum<<<3, block>>>(device_input, output, n);
    report("sum", want, download(output, 1)[0]);
    CHECK(cudaFree(output));
  }
  return 0;
}

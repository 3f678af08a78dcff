// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / reads behind a barrier, before later writes that lack one
// order: default
// Each thread reads what the barrier has published, and warp 0 writes there after its next reduction: a race, which on
// a GPU no warp loses. In the default order none does here.
#include "check.h"

__device__ int warp_sum(int value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__global__ void two_sums(const int *data, int *result) {
  __shared__ int sums[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const int first = warp_sum(data[threadIdx.x]);
  if (lane == 0) sums[warp] = first;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < warps; ++i) sums[0] += sums[i];
  }
  __syncthreads();
  const int total = sums[0];
  const int second = warp_sum(data[threadIdx.x] * 3);
  if (lane == 0) sums[warp] = second;  // no barrier since the read above
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < warps; ++i) sums[0] += sums[i];
  }
  __syncthreads();
  result[threadIdx.x] = total + sums[0];
}

int main() {
  for (const int threads : {32, 64, 256, 1024}) {
    const std::vector<int> data = random_ints(threads, 1000);
    int sum = 0;
    for (const int value : data) sum += value;
    int *result = device_zeros<int>(threads);
    two_sums<<<1, threads>>>(upload(data), result);
    compare("totals", std::vector<int>(threads, 4 * sum), download(result, threads));
  }
  return 0;
}

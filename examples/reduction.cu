// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of an array: each warp sums in registers by shuffles, each block in shared memory, the grid by an atomic.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kWarp = 32;
constexpr int kBlock = 256;

__device__ int warp_sum(int value) {
  for (int delta = kWarp / 2; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
  return value;  // of the whole warp, in lane 0
}

__global__ void sum(const int *values, int n, unsigned long long *total) {
  __shared__ int partial[kBlock / kWarp];
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += values[i];

  int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  mine = warp_sum(mine);
  if (lane == 0) partial[warp] = mine;
  __syncthreads();

  if (warp == 0) {
    mine = warp_sum(lane < kBlock / kWarp ? partial[lane] : 0);
    if (lane == 0) atomicAdd(total, static_cast<unsigned long long>(mine));
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000000;
  std::vector<int> values(n);
  unsigned long long expected = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = i % 1000;
    expected += values[i];
  }

  int *device_values;
  unsigned long long *total;
  cudaMalloc(&device_values, n * sizeof(int));
  cudaMallocManaged(&total, sizeof *total);
  *total = 0;
  cudaMemcpy(device_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);

  sum<<<64, kBlock>>>(device_values, n, total);
  cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return 1;
  }
  std::printf("sum of %d values: %llu, expected %llu\n", n, *total, expected);
  bool right = *total == expected;
  cudaFree(total);
  cudaFree(device_values);
  return right ? 0 : 1;
}

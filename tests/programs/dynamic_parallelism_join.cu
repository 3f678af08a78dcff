// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form before CUDA 12: cudaDeviceSynchronize in device code waits for the block's children; recursion over it.
// feature: Dynamic parallelism / cudaDeviceSynchronize in device code
// feature: Dynamic parallelism / cudaMalloc and cudaFree in device code
// flags: -rdc=true -lcudadevrt
// unrecorded: CUDA 12 removed cudaDeviceSynchronize from device code
#include "check.h"

#define CHECK_DEVICE(call) check_device((call), __LINE__)

__device__ void check_device(cudaError_t error, int line) {
  if (error != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(error));
}

// A sum by halves.
__global__ void sum_tree(const int *values, int count, int *result) {
  if (count <= 4) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    if (threadIdx.x == 0) *result = sum;
    return;
  }
  __shared__ int *parts;
  if (threadIdx.x == 0) CHECK_DEVICE(cudaMalloc(&parts, 2 * sizeof(int)));
  __syncthreads();
  if (threadIdx.x == 0) sum_tree<<<1, 2>>>(values, count / 2, parts);
  if (threadIdx.x == 1) sum_tree<<<1, 2>>>(values + count / 2, count - count / 2, parts + 1);
  cudaDeviceSynchronize();
  __syncthreads();
  if (threadIdx.x == 0) {
    *result = parts[0] + parts[1];
    CHECK_DEVICE(cudaFree(parts));
  }
}

int main() {
  std::vector<int> values(1000);
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += values[i] = i * 7 % 1001;
  int *result = device_zeros<int>(1);
  sum_tree<<<1, 2>>>(upload(values), 1000, result);
  report("recursive sum", sum, download(result, 1)[0]);
  return 0;
}

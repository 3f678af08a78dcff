// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that uses CUB's algorithms, for measuring how long it takes to compile (bench/compile_time.py).
#include <cstdio>
#include <cub/cub.cuh>

constexpr int kThreads = 128, kItems = 4;

__global__ void sort_blocks(int *values) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
  } storage;
  int mine[kItems];
  int *start = values + blockIdx.x * kThreads * kItems;
  Load(storage.load).Load(start, mine);
  __syncthreads();
  Sort(storage.sort).Sort(mine);
  cub::StoreDirectBlocked(threadIdx.x, start, mine);
}

__global__ void sum_blocks(const float *in, float *out) {
  using Reduce = cub::BlockReduce<float, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(in[blockIdx.x * kThreads + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  const int n = 1 << 16;
  int *values, *sorted;
  float *numbers, *sums;
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&sorted, n * sizeof(int));
  cudaMallocManaged(&numbers, n * sizeof(float));
  cudaMallocManaged(&sums, n * sizeof(float));
  for (int k = 0; k < n; ++k) values[k] = (k * 7919) % 65521, numbers[k] = 1;
  sort_blocks<<<n / kThreads / kItems, kThreads>>>(values);
  sum_blocks<<<n / kThreads, kThreads>>>(numbers, sums);
  void *storage = nullptr;
  size_t bytes = 0;
  cub::DeviceReduce::Sum(storage, bytes, numbers, sums, n);
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Sum(storage, bytes, numbers, sums, n);
  cudaFree(storage);
  storage = nullptr;
  cub::DeviceScan::InclusiveSum(storage, bytes, values, sorted, n);
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveSum(storage, bytes, values, sorted, n);
  cudaFree(storage);
  storage = nullptr;
  cub::DeviceRadixSort::SortKeys(storage, bytes, values, sorted, n);
  cudaMalloc(&storage, bytes);
  cub::DeviceRadixSort::SortKeys(storage, bytes, values, sorted, n);
  cudaDeviceSynchronize();
  std::printf("%g %d\n", sums[0], sorted[n - 1]);
}

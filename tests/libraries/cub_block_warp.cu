// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB inside a kernel: loads, reductions, scans and a sort of a block; reductions and scans of whole and half warps.
#include "expect.h"

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

constexpr int THREADS = 128, ITEMS = 4, COUNT = THREADS * ITEMS;

__global__ void block_algorithms(const int *in, int *sum, int *largest, int *scanned, int *sorted) {
  using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using Reduce = cub::BlockReduce<int, THREADS>;
  using RakingReduce = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>;
  using Scan = cub::BlockScan<int, THREADS>;
  using Sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Reduce::TempStorage reduce;
    typename RakingReduce::TempStorage raking;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
  } storage;
  int items[ITEMS], prefix[ITEMS];
  Load(storage.load).Load(in, items);
  __syncthreads();
  const int total = Reduce(storage.reduce).Sum(items);
  __syncthreads();
  const int best = RakingReduce(storage.raking).Reduce(items[0], [](int a, int b) { return a > b ? a : b; });
  if (threadIdx.x == 0) *sum = total, *largest = best;
  __syncthreads();
  Scan(storage.scan).InclusiveSum(items, prefix);
  __syncthreads();
  Store(storage.store).Store(scanned, prefix);
  __syncthreads();
  Sort(storage.sort).Sort(items);
  __syncthreads();
  Store(storage.store).Store(sorted, items);
}

__global__ void warp_algorithms(const int *in, int *sums, int *prefixes) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int, 16>;
  __shared__ typename Reduce::TempStorage reduce[THREADS / 32];
  __shared__ typename Scan::TempStorage scan[THREADS / 16];
  const int value = in[threadIdx.x];
  const int sum = Reduce(reduce[threadIdx.x / 32]).Sum(value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  int prefix;
  Scan(scan[threadIdx.x / 16]).ExclusiveSum(value, prefix);
  prefixes[threadIdx.x] = prefix;
}

int main() {
  int *in, *one, *scanned, *sorted;
  cudaMallocManaged(&in, COUNT * sizeof(int));
  cudaMallocManaged(&one, 2 * sizeof(int));
  cudaMallocManaged(&scanned, COUNT * sizeof(int));
  cudaMallocManaged(&sorted, COUNT * sizeof(int));
  for (int i = 0; i < COUNT; ++i) in[i] = i * 37 % COUNT - 100;  // every number from -100 to COUNT - 101, once
  block_algorithms<<<1, THREADS>>>(in, one, one + 1, scanned, sorted);
  expect(cudaDeviceSynchronize() == cudaSuccess, "block kernel");
  int running = 0, largest = -1000;
  bool scans = true, sorts = true;
  for (int i = 0; i < COUNT; ++i) {
    running += in[i];
    scans = scans && scanned[i] == running;
    sorts = sorts && sorted[i] == i - 100;
    if (i % ITEMS == 0 && in[i] > largest) largest = in[i];
  }
  expect(one[0] == running, "BlockReduce::Sum");
  expect(one[1] == largest, "BlockReduce::Reduce");
  expect(scans, "BlockScan::InclusiveSum");
  expect(sorts, "BlockRadixSort::Sort");

  warp_algorithms<<<1, THREADS>>>(in, scanned, sorted);
  expect(cudaDeviceSynchronize() == cudaSuccess, "warp kernel");
  bool sums = true, prefixes = true;
  for (int i = 0, warp = 0, half = 0; i < THREADS; ++i) {
    if (i % 16 == 0) half = 0;
    if (i % 32 == 0) warp = 0;
    prefixes = prefixes && sorted[i] == half;
    half += in[i];
    warp += in[i];
    if (i % 32 == 31) sums = sums && scanned[i / 32] == warp;
  }
  expect(sums, "WarpReduce::Sum");
  expect(prefixes, "WarpScan::ExclusiveSum");
  return done();
}

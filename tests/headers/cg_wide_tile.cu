// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / tiles wider than a warp
//
// Tiles wider than a warp: exchange, votes, barriers, reductions and scans; halves of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

template <unsigned Size>
__global__ void wide_tiles(int *out) {
  auto tile = cg::tiled_partition<Size>(cg::this_thread_block());
  const int thread = threadIdx.x;
  int value = tile.shfl(thread, 40) + 2 * tile.shfl(thread * 3, 63);
  value += tile.any(thread == 70) * 100000 + tile.all(thread < 128) * 1000000;
  tile.sync();
  auto half = cg::tiled_partition<Size / 2>(tile);
  half.sync();
  out[thread] = value * 2 + half.meta_group_rank() + half.thread_rank() + tile.thread_rank() + tile.meta_group_rank();
}

template <unsigned Size>
__global__ void wide_collectives(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<Size>(block);
  const int thread = threadIdx.x, mixed = thread * 37 % 101 - 50;
  int value = cg::reduce(tile, mixed, cg::plus<int>()) + cg::reduce(tile, mixed * 0.5f, cg::greater<float>()) * 7;
  value += cg::inclusive_scan(tile, mixed, cg::plus<int>()) * 3 + cg::exclusive_scan(tile, mixed) * 5;
  out[thread] = value;
}

template <class T>
void print_sums(const char *name, T *device, int rows, int row) {
  static T host[4096];
  cudaMemcpy(host, device, rows * row * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < row; ++i) sum += double(host[r * row + i]) * (i % 13 + 1);
    printf(" %.1f", sum);
  }
  printf("\n");
}

int main() {
  int *out;
  cudaMalloc(&out, 4096 * sizeof(int));
  wide_tiles<64><<<1, 256>>>(out);
  print_sums("tile<64>", out, 4, 64);
  wide_tiles<128><<<1, 256>>>(out);
  print_sums("tile<128>", out, 4, 64);
  wide_collectives<64><<<1, 256>>>(out);
  print_sums("collectives<64>", out, 4, 64);
  wide_collectives<256><<<1, 256>>>(out);
  print_sums("collectives<256>", out, 4, 64);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / thread_block, grid_group
//
// thread_block, grid_group and thread_group: ranks, sizes and barriers of a block with three dimensions.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

// One function for any group: a tree sum in shared memory.
__device__ int group_sum(const cg::thread_group &group, int *scratch, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half != 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void ranks(int *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  const dim3 index = block.group_index(), thread = block.thread_index(), dim = block.dim_threads();
  const unsigned expected = (thread.z * dim.y + thread.y) * dim.x + thread.x;
  int wrong = 0;
  wrong += block.thread_rank() != expected;
  wrong += block.size() != 64 || block.num_threads() != 64 || block.group_dim().x != 4;
  wrong += grid.num_blocks() != 6 || grid.size() != 384 || grid.num_threads() != 384;
  wrong += grid.block_rank() != index.y * 3 + index.x || grid.group_dim().x != 3 || grid.group_dim().y != 2;
  wrong += grid.thread_rank() != grid.block_rank() * 64 + block.thread_rank();
  wrong += cg::thread_rank(block) != expected || cg::group_size(block) != 64;
  atomicAdd(out, wrong);
}

__global__ void sums(int *out) {
  __shared__ int scratch[64];
  cg::thread_block block = cg::this_thread_block();
  const int rank = block.thread_rank();
  const int total = group_sum(block, scratch, rank);
  if (rank == 0) out[0] = total;
  block.sync();
  cg::thread_group tile = cg::tiled_partition(block, 16);
  const int part = group_sum(tile, scratch + rank / 16 * 16, rank);
  if (tile.thread_rank() == 0) out[1 + rank / 16] = part;
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  cg::sync(block);
  if (rank % 3 == 0) {
    cg::thread_group active = cg::coalesced_threads();
    if (rank == 33) out[5] = active.size() * 100 + active.thread_rank();
    active.sync();
  }
  cg::thread_group self = cg::this_thread();
  self.sync();
  if (rank == 5) out[6] = self.size() * 10 + self.thread_rank();
}

__global__ void grid_phases(int *cells, int *out) {
  cg::grid_group grid = cg::this_grid();
  if (!grid.is_valid()) return;
  const unsigned rank = grid.thread_rank(), size = grid.size();
  cells[rank] = rank;
  grid.sync();
  const int next = cells[(rank + 100) % size];
  cg::sync(grid);
  cells[rank] = next;
  grid.sync();
  if (rank == 0) {
    int sum = 0;
    for (unsigned i = 0; i < size; ++i) sum += cells[i] * (i % 7);
    *out = sum;
  }
}

int main() {
  int *out, *cells, host[8] = {};
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&cells, 256 * sizeof(int));
  cudaMemset(out, 0, sizeof host);
  ranks<<<dim3(3, 2), dim3(4, 8, 2)>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("wrong ranks: %d\n", host[0]);
  sums<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("block sum %d, tile sums %d %d %d %d\n", host[0], host[1], host[2], host[3], host[4]);
  printf("coalesced size and rank %d, one thread %d\n", host[5], host[6]);
  void *arguments[] = {&cells, &out};
  printf("%s\n",
         cudaGetErrorName(cudaLaunchCooperativeKernel((void *)grid_phases, dim3(4), dim3(64), arguments, 0, 0)));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("grid phases %d\n", host[0]);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

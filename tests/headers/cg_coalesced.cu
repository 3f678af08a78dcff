// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / coalesced groups
//
// coalesced_group under divergence: active lanes, ranks, shuffles by rank, votes; labeled, binary and tiled partitions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void branches(int *out) {
  const int i = threadIdx.x;
  if (i % 3 == 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    const int rank = g.thread_rank();
    out[i] = rank + 100 * g.size();
    out[32 + i] = g.shfl(i, 2) + 1000 * g.shfl_up(i, 1) + 100000 * g.shfl_down(i, 4);
    out[64 + i] = g.ballot(rank % 2) + 10000 * g.any(i == 4) + 100000 * g.all(i < 31);
    out[96 + i] = g.match_any(i / 6);
    int same;
    const int lanes = g.match_all(i / 32, same);
    out[128 + i] = lanes * 2 + (same != 0);
    g.sync();
  } else {
    auto g = cg::coalesced_threads();
    out[i] = -int(g.size() * 100 + g.thread_rank());
    auto quads = cg::tiled_partition(g, 4);
    out[32 + i] =
        quads.thread_rank() + 10 * quads.meta_group_rank() + 100 * quads.meta_group_size() + 1000 * quads.size();
    out[64 + i] = quads.shfl(i, 0);
    out[96 + i] = out[128 + i] = g.meta_group_size() + g.meta_group_rank();
  }
}

// Every iteration has fewer active lanes.
__global__ void shrinking(int *out) {
  int seen = 0;
  for (int k = 0; k <= int(threadIdx.x); k += 5) {
    auto g = cg::coalesced_threads();
    seen = seen * 3 + int(g.size());
  }
  out[threadIdx.x] = seen;
}

__global__ void partitions(int *out) {
  const int i = threadIdx.x;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto label = cg::labeled_partition(warp, i % 5);
  out[i] = label.size() * 100 + label.thread_rank();
  out[32 + i] = cg::reduce(label, i, cg::plus<int>()) + label.shfl(i, 1) * 1000;
  auto odd = cg::binary_partition(warp, i % 4 == 3);
  out[64 + i] = odd.size() * 100 + odd.thread_rank();
  auto nested = cg::binary_partition(odd, i < 16);
  out[96 + i] = nested.size() * 100 + nested.thread_rank();
  auto again = cg::labeled_partition(odd, i / 8);
  out[128 + i] = again.size() * 100 + again.thread_rank();
}

// The classic: one atomic for all active lanes.
__device__ int aggregated_increment(int *counter) {
  auto g = cg::coalesced_threads();
  int first = 0;
  if (g.thread_rank() == 0) first = atomicAdd(counter, int(g.size()));
  return g.thread_rank() + g.shfl(first, 0);
}

__global__ void filter(int *counter, int *out) {
  if ((threadIdx.x * 7 + blockIdx.x) % 3 == 0) out[aggregated_increment(counter)] = 1;
}

void print_rows(const char *name, const int *device, int rows) {
  int host[160];
  cudaMemcpy(host, device, rows * 32 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    printf("%s %d:", name, r);
    for (int i = 0; i < 32; ++i) printf(" %d", host[r * 32 + i]);
    printf("\n");
  }
}

int main() {
  int *out;
  cudaMalloc(&out, 8192 * sizeof(int));
  cudaMemset(out, 0, 8192 * sizeof(int));
  branches<<<1, 32>>>(out);
  print_rows("branches", out, 5);
  shrinking<<<1, 32>>>(out);
  print_rows("shrinking", out, 1);
  partitions<<<1, 32>>>(out);
  print_rows("partitions", out, 5);
  cudaMemset(out, 0, 8192 * sizeof(int));
  filter<<<8, 256>>>(out, out + 1);
  static int host[8192];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  int filled = 0;
  for (int i = 1; i < 8192; ++i) filled += host[i];
  printf("filter: counted %d, filled %d, without holes %d\n", host[0], filled,
         host[host[0]] == 1 && host[host[0] + 1] == 0);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

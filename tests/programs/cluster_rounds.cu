// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90
// feature: Cooperative groups / clusters that take different ways, with barriers of blocks and warps in between
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 96;

// Values travel from block to block; each cluster makes as many rounds as its number asks for.
__global__ void __cluster_dims__(3, 1, 1) rounds(int *out) {
  __shared__ int values[2][kThreads];
  __shared__ int sums[3];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned size = cluster.num_blocks(), rank = cluster.block_rank(), at = threadIdx.x;
  const int times = static_cast<int>(blockIdx.x / size) % 4;
  values[0][at] = static_cast<int>(blockIdx.x * kThreads + at);
  cluster.sync();
  for (int i = 0; i < times; ++i) {
    const int *const before = cluster.map_shared_rank(values[i % 2], (rank + size - 1) % size);
    const int mine = before[(at + 1) % kThreads];
    int sum = mine;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (at % 32 == 0) sums[at / 32] = sum;
    __syncthreads();
    values[(i + 1) % 2][at] = mine + (sums[0] + sums[1] + sums[2]) % 7;
    cluster.sync();
  }
  out[blockIdx.x * kThreads + at] = values[times % 2][at];
}

void expect_rounds(int blocks, std::vector<int> *want) {
  for (int first = 0; first < blocks; first += 3) {
    std::vector<int> now(3 * kThreads);
    for (int i = 0; i < 3 * kThreads; ++i) now[i] = first * kThreads + i;
    for (int round = 0; round < first / 3 % 4; ++round) {
      std::vector<int> next(3 * kThreads);
      for (int rank = 0; rank < 3; ++rank) {
        const int *const before = &now[(rank + 2) % 3 * kThreads];
        int sum = 0;
        for (int at = 0; at < kThreads; ++at) sum += before[at];
        for (int at = 0; at < kThreads; ++at) next[rank * kThreads + at] = before[(at + 1) % kThreads] + sum % 7;
      }
      now = next;
    }
    want->insert(want->end(), now.begin(), now.end());
  }
}

// One thread writes to the next block, and the same thread there reads.
__global__ void __cluster_dims__(2, 2, 1) single(int *out) {
  __shared__ int box;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) box = 1;
  cluster.sync();
  if (threadIdx.x == 0 && rank % 2 == 0) *cluster.map_shared_rank(&box, rank ^ 3) = 10 + static_cast<int>(rank);
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x + gridDim.x * blockIdx.y] = box;
  cluster.sync();
}

// Atomics of all blocks on one counter, while its own block counts there, too.
__global__ void __cluster_dims__(4) counter(int *out) {
  __shared__ int count;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  int *const first = cluster.map_shared_rank(&count, 0);
  for (int i = 0; i < 50; ++i) {
    if (cluster.block_rank() == 0)
      atomicAdd(&count, 1);
    else
      atomicAdd(first, 2);
  }
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = *first;
  cluster.sync();
}

int main() {
  const int blocks = 24;
  std::vector<int> want;
  expect_rounds(blocks, &want);
  int *out = device_zeros<int>(blocks * kThreads);
  rounds<<<blocks, kThreads>>>(out);
  compare("rounds", want, download(out, blocks * kThreads));
  single<<<dim3(4, 2), 64>>>(out);
  // Ranks in a cluster: x is 0 and 2 for the left pair; block (x, y) has rank x % 2 + 2 * (y % 2).
  compare("single", std::vector<int>{1, 12, 1, 12, 1, 10, 1, 10}, download(out, 8));
  counter<<<8, 64>>>(out);
  compare("counter", std::vector<int>(8, 50 * 64 * (1 + 2 * 3)), download(out, 8));
  return 0;
}

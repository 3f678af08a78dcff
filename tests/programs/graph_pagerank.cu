// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / graph pagerank
// PageRank in fixed point: every node pushes an equal share of its rank with 64-bit atomics, for ten rounds.
#include "check.h"

typedef unsigned long long u64;

__global__ void push(const int *offsets, const int *edges, const u64 *rank, u64 *next, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int degree = offsets[node + 1] - offsets[node];
  if (degree == 0) return;
  u64 share = rank[node] * 85 / 100 / degree;
  for (int e = offsets[node]; e < offsets[node + 1]; ++e) atomicAdd(&next[edges[e]], share);
}

__global__ void settle(u64 *rank, u64 *next, u64 base, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  rank[node] = next[node] + base;
  next[node] = 0;
}

int main() {
  const int nodes = 600;
  const u64 one = 1ull << 40, base = one * 15 / 100;
  std::vector<int> offsets(nodes + 1, 0), edges;
  Lcg lcg{77};
  for (int node = 0; node < nodes; ++node) {
    for (int degree = lcg.below(6); degree > 0; --degree) edges.push_back(lcg.below(nodes) * lcg.below(nodes) / nodes);
    offsets[node + 1] = static_cast<int>(edges.size());
  }
  std::vector<u64> want(nodes, one);
  int *device_offsets = upload(offsets), *device_edges = upload(edges);
  u64 *rank = upload(want), *next = device_zeros<u64>(nodes);
  for (int round = 0; round < 10; ++round) {
    std::vector<u64> sums(nodes, base);
    for (int node = 0; node < nodes; ++node)
      for (int e = offsets[node]; e < offsets[node + 1]; ++e)
        sums[edges[e]] += want[node] * 85 / 100 / (offsets[node + 1] - offsets[node]);
    want = sums;
    push<<<(nodes + 99) / 100, 100>>>(device_offsets, device_edges, rank, next, nodes);
    settle<<<(nodes + 99) / 100, 100>>>(rank, next, base, nodes);
  }
  compare("ranks", want, download(rank, nodes));
  return 0;
}

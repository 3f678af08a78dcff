// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / graph bfs
// Breadth-first search level by level: a frontier queue filled through an atomic counter, one launch per level.
#include "check.h"

__global__ void expand(const int *offsets, const int *edges, int *depth, const int *frontier, int size, int *next,
                       int *next_size, int level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int node = frontier[i];
  for (int e = offsets[node]; e < offsets[node + 1]; ++e)
    if (atomicCAS(&depth[edges[e]], -1, level + 1) == -1) next[atomicAdd(next_size, 1)] = edges[e];
}

int main() {
  const int nodes = 2000;
  std::vector<int> offsets(nodes + 1, 0), edges, want(nodes, -1);
  Lcg lcg{21};
  for (int node = 0; node < nodes; ++node) {
    for (int degree = lcg.below(4); degree > 0; --degree) edges.push_back(lcg.below(nodes));
    offsets[node + 1] = static_cast<int>(edges.size());
  }
  std::vector<int> queue{1};
  want[1] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (int e = offsets[queue[head]]; e < offsets[queue[head] + 1]; ++e)
      if (want[edges[e]] < 0) {
        want[edges[e]] = want[queue[head]] + 1;
        queue.push_back(edges[e]);
      }
  std::vector<int> start(nodes, -1);
  start[1] = 0;
  int *device_offsets = upload(offsets), *device_edges = upload(edges), *depth = upload(start);
  int *frontier = upload(std::vector<int>(nodes, 1)), *next = device_zeros<int>(nodes),
      *next_size = device_zeros<int>(1);
  int size = 1, level = 0;
  while (size > 0) {
    CHECK(cudaMemset(next_size, 0, sizeof(int)));
    expand<<<(size + 63) / 64, 64>>>(device_offsets, device_edges, depth, frontier, size, next, next_size, level++);
    size = download(next_size, 1)[0];
    std::swap(frontier, next);
  }
  compare("depths", want, download(depth, nodes));
  report("levels", want[queue.back()] + 1, level);
  return 0;
}

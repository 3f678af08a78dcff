// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / graph components
// Connected components by label propagation with atomicMin until no label changes.
#include <numeric>

#include "check.h"

__global__ void propagate(const int2 *edges, int count, int *label, int *changed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int2 edge = edges[i];
  int a = atomicAdd(&label[edge.x], 0), b = atomicAdd(&label[edge.y], 0);
  if (a == b) return;
  if (a < b)
    atomicMin(&label[edge.y], a);
  else
    atomicMin(&label[edge.x], b);
  *changed = 1;
}

int find(std::vector<int> &parent, int node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

int main() {
  const int nodes = 1000, count = 800;
  std::vector<int2> edges(count);
  std::vector<int> parent(nodes), label(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  label = parent;
  Lcg lcg{4};
  for (int2 &edge : edges) {
    edge = int2{lcg.below(nodes), lcg.below(nodes)};
    int a = find(parent, edge.x), b = find(parent, edge.y);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  int components = 0;
  for (int node = 0; node < nodes; ++node) components += find(parent, node) == node;
  std::vector<int> want(nodes);
  for (int node = 0; node < nodes; ++node) want[node] = find(parent, node);
  int2 *device_edges = upload(edges);
  int *device_label = upload(label), *changed = device_zeros<int>(1);
  do {
    CHECK(cudaMemset(changed, 0, sizeof(int)));
    propagate<<<(count + 127) / 128, 128>>>(device_edges, count, device_label, changed);
  } while (download(changed, 1)[0] != 0);
  compare("labels", want, download(device_label, nodes));
  std::printf("%d components\n", components);
  return 0;
}

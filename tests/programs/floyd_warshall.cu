// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / floyd warshall
// All shortest paths by Floyd and Warshall: one launch a pivot, and in one block with two barriers a pivot.
#include "check.h"

const int kNodes = 40, kFar = 1 << 20;

__global__ void relax(int *distance, int pivot) {
  int from = blockIdx.y * blockDim.y + threadIdx.y, to = blockIdx.x * blockDim.x + threadIdx.x;
  if (from >= kNodes || to >= kNodes || from == pivot || to == pivot) return;
  int through = distance[from * kNodes + pivot] + distance[pivot * kNodes + to];
  if (through < distance[from * kNodes + to]) distance[from * kNodes + to] = through;
}

__global__ void relax_all(int *distance) {
  __shared__ int pivot_row[kNodes];
  for (int pivot = 0; pivot < kNodes; ++pivot) {
    if (threadIdx.y == 0) pivot_row[threadIdx.x] = distance[pivot * kNodes + threadIdx.x];
    __syncthreads();
    for (int from = threadIdx.y; from < kNodes; from += blockDim.y) {
      if (from == pivot || threadIdx.x == pivot) continue;
      int through = distance[from * kNodes + pivot] + pivot_row[threadIdx.x];
      if (through < distance[from * kNodes + threadIdx.x]) distance[from * kNodes + threadIdx.x] = through;
    }
    __syncthreads();
  }
}

int main() {
  std::vector<int> graph(kNodes * kNodes, kFar);
  Lcg lcg{14};
  for (int edge = 0; edge < 160; ++edge) {
    int from = lcg.below(kNodes), to = lcg.below(kNodes);
    graph[from * kNodes + to] = 1 + lcg.below(50);
  }
  for (int node = 0; node < kNodes; ++node) graph[node * kNodes + node] = 0;
  std::vector<int> want = graph;
  for (int k = 0; k < kNodes; ++k)
    for (int i = 0; i < kNodes; ++i)
      for (int j = 0; j < kNodes; ++j)
        want[i * kNodes + j] = std::min(want[i * kNodes + j], want[i * kNodes + k] + want[k * kNodes + j]);
  int *distance = upload(graph), *again = upload(graph);
  for (int pivot = 0; pivot < kNodes; ++pivot) relax<<<dim3(3, 5), dim3(16, 8)>>>(distance, pivot);
  relax_all<<<1, dim3(kNodes, 6)>>>(again);
  compare("launch per pivot", want, download(distance, want.size()));
  compare("one block", want, download(again, want.size()));
  return 0;
}

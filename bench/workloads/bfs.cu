// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two launches a level: nodes on the frontier reach for their neighbours, then what was reached becomes the frontier.
#include "bfs.h"

const int kThreads = 256;

__global__ void expand(const Node *nodes, const int *edges, bool *frontier, bool *reached, const bool *visited,
                       int *cost, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && frontier[i]) {
    frontier[i] = false;
    for (int j = nodes[i].start; j < nodes[i].start + nodes[i].edges; ++j) {
      int neighbour = edges[j];
      if (!visited[neighbour]) {
        cost[neighbour] = cost[i] + 1;
        reached[neighbour] = true;
      }
    }
  }
}

__global__ void advance(bool *frontier, bool *reached, bool *visited, int *more, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && reached[i]) {
    frontier[i] = true;
    visited[i] = true;
    *more = 1;
    reached[i] = false;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Bfs problem(settings);
  const int n = problem.count, blocks = (n + kThreads - 1) / kThreads;
  bench::DeviceArray<Node> nodes(problem.nodes);
  bench::DeviceArray<int> edges(problem.edges), cost(n), more(1);
  bench::DeviceArray<bool> frontier(n), reached(n), visited(n);
  return bench::measure(
      settings, problem.work(),
      [&] {
        BENCH_CUDA(cudaMemset(cost.data(), -1, cost.bytes()));
        BENCH_CUDA(cudaMemset(frontier.data(), 0, frontier.bytes()));
        BENCH_CUDA(cudaMemset(reached.data(), 0, reached.bytes()));
        BENCH_CUDA(cudaMemset(visited.data(), 0, visited.bytes()));
        BENCH_CUDA(cudaMemset(cost.data(), 0, sizeof(int)));
        BENCH_CUDA(cudaMemset(frontier.data(), 1, 1));
        BENCH_CUDA(cudaMemset(visited.data(), 1, 1));
        int again = 1;
        while (again != 0) {
          BENCH_CUDA(cudaMemset(more.data(), 0, sizeof(int)));
          expand<<<blocks, kThreads>>>(nodes.data(), edges.data(), frontier.data(), reached.data(), visited.data(),
                                       cost.data(), n);
          advance<<<blocks, kThreads>>>(frontier.data(), reached.data(), visited.data(), more.data(), n);
          BENCH_CUDA(cudaMemcpy(&again, more.data(), sizeof(int), cudaMemcpyDeviceToHost));
        }
      },
      [&] { return problem.check(cost.to_host().data()); });
}

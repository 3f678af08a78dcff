// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bfs.h"

static void bfs(const Bfs &graph, bool *frontier, bool *reached, bool *visited, int *cost) {
  const int n = graph.count;
  const Node *nodes = graph.nodes.data();
  const int *edges = graph.edges.data();
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    frontier[i] = reached[i] = visited[i] = false;
    cost[i] = -1;
  }
  frontier[0] = visited[0] = true;
  cost[0] = 0;
  bool more = true;
  while (more) {
    more = false;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      if (!frontier[i]) continue;
      frontier[i] = false;
      for (int j = nodes[i].start; j < nodes[i].start + nodes[i].edges; ++j) {
        const int neighbour = edges[j];
        if (!visited[neighbour]) {
          cost[neighbour] = cost[i] + 1;
          reached[neighbour] = true;
        }
      }
    }
#pragma omp parallel for reduction(|| : more)
    for (int i = 0; i < n; ++i) {
      if (!reached[i]) continue;
      frontier[i] = true;
      visited[i] = true;
      more = true;
      reached[i] = false;
    }
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Bfs problem(settings);
  bench::Array<bool> frontier(problem.count), reached(problem.count), visited(problem.count);
  bench::Array<int> cost(problem.count);
  return bench::measure(
      settings, problem.work(), [&] { bfs(problem, frontier.data(), reached.data(), visited.data(), cost.data()); },
      [&] { return problem.check(cost.data()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distance of every node of a graph from node 0, level by level. Variants: `random` (262144 nodes, 2 to 10 edges
// each to anywhere: few wide levels), `grid` (256 x 256 nodes, edges to the neighbours: 511 narrow levels).
#pragma once

#include "harness.h"

struct Node {
  int start, edges;
};

struct Bfs {
  int count;
  bench::Array<Node> nodes;
  bench::Array<int> edges;

  explicit Bfs(const bench::Settings &settings) : Bfs(neighbours(settings)) {}

  bench::Work work() const {
    const double bytes = 4.0 * static_cast<double>(edges.size()) + (sizeof(Node) + 4 + 3) * static_cast<double>(count);
    return {0, bytes, bytes, true};
  }

  bench::Check check(const int *got) const {
    std::vector<int> expected(count, -1), queue = {0};
    expected[0] = 0;
    for (size_t next = 0; next < queue.size(); ++next) {
      const Node node = nodes[queue[next]];
      for (int i = node.start; i < node.start + node.edges; ++i) {
        if (expected[edges[i]] >= 0) continue;
        expected[edges[i]] = expected[queue[next]] + 1;
        queue.push_back(edges[i]);
      }
    }
    return {bench::differences(got, expected.data(), count), 0};
  }

 private:
  typedef std::vector<std::vector<int>> Neighbours;

  explicit Bfs(const Neighbours &lists)
      : count(static_cast<int>(lists.size())), nodes(lists.size()), edges(total(lists)) {
    int next = 0;
    for (int i = 0; i < count; ++i) {
      nodes[i] = {next, static_cast<int>(lists[i].size())};
      for (int neighbour : lists[i]) edges[next++] = neighbour;
    }
  }

  static size_t total(const Neighbours &lists) {
    size_t sum = 0;
    for (const std::vector<int> &list : lists) sum += list.size();
    return sum;
  }

  static Neighbours neighbours(const bench::Settings &settings) {
    if (settings.is("random")) return random_graph(settings.quick ? 1000 : 262144);
    if (settings.is("grid")) return grid(settings.quick ? 16 : 256);
    settings.unknown_variant();
  }

  static Neighbours random_graph(int count) {
    bench::Random random(5);
    Neighbours lists(count);
    for (std::vector<int> &list : lists) {
      list.resize(2 + random.below(9));
      for (int &neighbour : list) neighbour = static_cast<int>(random.below(count));
    }
    return lists;
  }

  static Neighbours grid(int side) {
    Neighbours lists(size_t(side) * side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        std::vector<int> &list = lists[y * side + x];
        if (x > 0) list.push_back(y * side + x - 1);
        if (x < side - 1) list.push_back(y * side + x + 1);
        if (y > 0) list.push_back((y - 1) * side + x);
        if (y < side - 1) list.push_back((y + 1) * side + x);
      }
    }
    return lists;
  }
};

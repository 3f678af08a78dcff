// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct {
  int start, edges;
} Node;

kernel void expand(global const Node *nodes, global const int *edges, global uchar *frontier, global uchar *reached,
                   global const uchar *visited, global int *cost, int n) {
  int i = get_global_id(0);
  if (i < n && frontier[i]) {
    frontier[i] = 0;
    for (int j = nodes[i].start; j < nodes[i].start + nodes[i].edges; ++j) {
      int neighbour = edges[j];
      if (!visited[neighbour]) {
        cost[neighbour] = cost[i] + 1;
        reached[neighbour] = 1;
      }
    }
  }
}

kernel void advance(global uchar *frontier, global uchar *reached, global uchar *visited, global int *more, int n) {
  int i = get_global_id(0);
  if (i < n && reached[i]) {
    frontier[i] = 1;
    visited[i] = 1;
    *more = 1;
    reached[i] = 0;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: nodes are the operations that streams would run, kept to be run again.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "stream.h"

// What cudaGraphKernelNodeGetParams tells; the arguments live as long as the operation.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  warploom::Operation operation;
  std::vector<CUgraphNode_st *> dependencies;
  cudaKernelNodeParams kernel = {};
  CUgraph_st *graph = nullptr;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

struct CUgraphExec_st {
  // In an order that respects the dependencies; by the nodes of the graph that it was made from.
  std::vector<const CUgraphNode_st *> order;
  std::map<const CUgraphNode_st *, CUgraphNode_st> nodes;
};

namespace warploom {

// A capture in progress: the graph, and the streams that take part.
struct Capture {
  CUgraph_st *graph;
  CUstream_st *origin;
  unsigned long long id;
  bool owns_graph;
  bool invalidated = false;
  bool ended = false;
  std::vector<CUstream_st *> streams = {};
};

bool is_graph(const CUgraph_st *graph);
CUgraph_st *new_graph();
void delete_graph(CUgraph_st *graph);
CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, Operation operation,
                         std::vector<CUgraphNode_st *> dependencies);
// The node that `submit(stream)` makes on a stream that is being captured.
cudaError_t capture_node(CUgraph_st *graph, std::vector<CUgraphNode_st *> dependencies, CUgraphNode_st **node,
                         const std::function<cudaError_t(cudaStream_t)> &submit_to);

// The submissions behind node parameters.
cudaError_t submit_kernel(cudaStream_t stream, const cudaKernelNodeParams &params);
cudaError_t submit_memset(cudaStream_t stream, const cudaMemsetParams &params);
// Runs every operation of a graph, dependencies first.
cudaError_t run_nodes(const CUgraphExec_st &exec);
// Nodes with dependencies first; empty when they form a cycle.
std::vector<const CUgraphNode_st *> topological_order(const CUgraph_st &graph);

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: nodes are the operations that streams would run, kept to be run again.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "stream.h"

namespace warploom {

class GraphMemory;

// The value that device code sets, and what it is at the start of each launch.
struct Conditional {
  unsigned value = 0;
  unsigned initial = 0;
  bool assign_initial = false;
};

// What a conditional node runs. Its bodies are filled in after the node was made, and instantiated with the graph.
struct ConditionalBodies {
  std::shared_ptr<Conditional> condition;
  cudaGraphConditionalNodeType type;
  std::vector<CUgraph_st *> graphs;
  ConditionalBodies(std::shared_ptr<Conditional> value, cudaGraphConditionalNodeType kind, std::size_t count);
  ConditionalBodies(const ConditionalBodies &) = delete;
  ConditionalBodies &operator=(const ConditionalBodies &) = delete;
  ~ConditionalBodies();
};

}  // namespace warploom

// What cudaGraphKernelNodeGetParams tells; the arguments live as long as the operation.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  warploom::Operation operation;
  std::vector<CUgraphNode_st *> dependencies;
  cudaKernelNodeParams kernel = {};
  CUgraph_st *graph = nullptr;
  std::shared_ptr<warploom::ConditionalBodies> bodies;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<warploom::Conditional>> conditionals;  // whose handles were made for this graph
  std::vector<std::shared_ptr<warploom::GraphMemory>> allocated;
  // Memory of its own that a node frees, which a later one may have again.
  std::vector<std::pair<const CUgraphNode_st *, std::shared_ptr<warploom::GraphMemory>>> freed;
};

struct CUgraphExec_st {
  // In an order that respects the dependencies; by the nodes of the graph that it was made from.
  std::vector<const CUgraphNode_st *> order;
  std::map<const CUgraphNode_st *, CUgraphNode_st> nodes;
  std::vector<std::shared_ptr<warploom::Conditional>> conditionals;
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
  std::vector<CUgraphNode_st *> tails_of_destroyed = {};  // of streams that joined and were destroyed since
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
// The operation of an instantiated conditional node.
cudaError_t instantiate_bodies(const ConditionalBodies &bodies, Operation *operation);
cudaError_t fill_in(CUgraphExec_st *exec, const CUgraph_st &graph);
// Runs every operation of a graph, dependencies first.
cudaError_t run_nodes(const CUgraphExec_st &exec);
// Nodes with dependencies first; empty when they form a cycle.
std::vector<const CUgraphNode_st *> topological_order(const CUgraph_st &graph);
CUgraph_st *clone(const CUgraph_st &original);

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: nodes are the operations that streams would run, kept to be run again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <variant>
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
  ConditionalBodies(std::shared_ptr<Conditional> value, cudaGraphConditionalNodeType kind);
  ConditionalBodies(std::shared_ptr<Conditional> value, cudaGraphConditionalNodeType kind, std::size_t count);
  ConditionalBodies(const ConditionalBodies &) = delete;
  ConditionalBodies &operator=(const ConditionalBodies &) = delete;
  ~ConditionalBodies();
};

// What an instantiated conditional node chooses from.
struct Choice {
  std::shared_ptr<Conditional> condition;
  cudaGraphConditionalNodeType type;
  std::vector<std::shared_ptr<const CUgraphExec_st>> bodies;

  // The number of a body; as many as there are: none.
  std::size_t chosen() const;
};

// What a node was made from, as far as its type has parameters; nothing: it was captured.
using NodeParameters =
    std::variant<std::monostate, cudaMemsetParams, cudaHostNodeParams, cudaMemcpy3DParms, cudaEventRecordNodeParams,
                 cudaEventWaitNodeParams, cudaMemAllocNodeParams, cudaMemFreeNodeParams>;
using NodeAttributes = std::map<int, cudaLaunchAttributeValue>;

// References to user objects, which copies of their holder have as well.
class UserReferences {
 public:
  UserReferences() = default;
  UserReferences(const UserReferences &other);
  UserReferences &operator=(UserReferences other) {
    held_.swap(other.held_);
    return *this;
  }
  ~UserReferences();

  void add(CUuserObject_st *object, std::uint64_t count) { held_[object] += count; }
  // False when there are not so many.
  bool drop(CUuserObject_st *object, std::uint64_t count);

 private:
  std::map<CUuserObject_st *, std::uint64_t> held_;
};

}  // namespace warploom

// What cudaGraphKernelNodeGetParams tells of `kernel`; the arguments live as long as the operation.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  warploom::Operation operation;
  std::vector<CUgraphNode_st *> dependencies;
  cudaKernelNodeParams kernel = {};
  CUgraph_st *graph = nullptr;
  std::shared_ptr<warploom::ConditionalBodies> bodies;
  std::shared_ptr<CUgraph_st> child;               // of a child graph node: instantiated with the graph
  std::shared_ptr<const warploom::Choice> choice;  // of an instantiated node: its bodies
  std::shared_ptr<const CUgraphExec_st> inner;  // in place of `operation`: a child graph, or a captured launch of one
  warploom::NodeParameters parameters;
  warploom::NodeAttributes attributes;  // of a kernel
  std::uint64_t id = 0;                 // of its own; addresses come back
  std::uint64_t original = 0;           // the id of the node that it was cloned from
  bool enabled = true;                  // in an instantiated graph
  bool may_wait = false;                // for other work: a library's operation
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<warploom::Conditional>> conditionals;  // whose handles were made for this graph
  std::vector<std::shared_ptr<warploom::GraphMemory>> allocated;
  // Memory of its own that a node frees, which a later one may have again.
  std::vector<std::pair<const CUgraphNode_st *, std::shared_ptr<warploom::GraphMemory>>> freed;
  std::vector<std::shared_ptr<warploom::GraphMemory>> freed_of_others;
  warploom::UserReferences user_objects;
};

struct CUgraphExec_st {
  // In an order that respects the dependencies; by the nodes of the graph that it was made from.
  std::vector<const CUgraphNode_st *> order;
  std::map<const CUgraphNode_st *, CUgraphNode_st> nodes;
  std::vector<std::shared_ptr<warploom::Conditional>> conditionals;
  warploom::UserReferences user_objects;
  std::vector<std::shared_ptr<warploom::GraphMemory>> kept, freed;  // allocated and not freed; freed for other graphs
  unsigned long long flags = 0;
  std::shared_ptr<warploom::Plan> plan;  // of a launch; null before the first
  warploom::TaskPointer last;            // launch
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
bool is_exec(const CUgraphExec_st *exec);
// The copy of `node` in an instantiated graph; null when there is none.
CUgraphNode_st *find_in(CUgraphExec_st *exec, cudaGraphNode_t node);
// A list of nodes as the caller passes it; false when a node is not one of the graph.
bool read_nodes(const CUgraph_st *graph, const cudaGraphNode_t *nodes, std::size_t count,
                std::vector<CUgraphNode_st *> *result);
// Copies up to *count nodes out, null behind the last, and the number of those into *count; to null: how many there
// are.
void write_nodes(const std::vector<CUgraphNode_st *> &nodes, cudaGraphNode_t *out, std::size_t *count);
CUgraph_st *new_graph();
void delete_graph(CUgraph_st *graph);
struct GraphDeleter {
  void operator()(CUgraph_st *graph) const { delete_graph(graph); }
};
using OwnedGraph = std::unique_ptr<CUgraph_st, GraphDeleter>;
CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, Operation operation,
                         std::vector<CUgraphNode_st *> dependencies);
// The node that `submit(stream)` makes on a stream that is being captured.
cudaError_t capture_node(CUgraph_st *graph, std::vector<CUgraphNode_st *> dependencies, CUgraphNode_st **node,
                         const std::function<cudaError_t(cudaStream_t)> &submit_to);

// Replaces a node's operation by the one that `submit_to` submits; its type must stay.
cudaError_t replace(CUgraphNode_st *node, const std::function<cudaError_t(cudaStream_t)> &submit_to);

// The submissions behind node parameters.
cudaError_t submit_kernel(cudaStream_t stream, const cudaKernelNodeParams &params,
                          const NodeAttributes &attributes = {});
cudaError_t submit_params(cudaStream_t stream, const cudaMemsetParams &params);
cudaError_t submit_params(cudaStream_t stream, const cudaHostNodeParams &params);
cudaError_t submit_params(cudaStream_t stream, const cudaMemcpy3DParms &params);
cudaError_t submit_params(cudaStream_t stream, const cudaEventRecordNodeParams &params);
cudaError_t submit_params(cudaStream_t stream, const cudaEventWaitNodeParams &params);
// The parameters of a copy of bytes in a row.
cudaMemcpy3DParms row_copy(void *target, const void *source, std::size_t size, cudaMemcpyKind kind);
// The node runs the child, instantiated.
cudaError_t instantiate_child(const CUgraph_st &child, CUgraphNode_st *node);
// The node chooses from the bodies, instantiated.
cudaError_t instantiate_bodies(const ConditionalBodies &bodies, CUgraphNode_st *node);
cudaError_t fill_in(CUgraphExec_st *exec, const CUgraph_st &graph);
// Conditions get the values that they begin a launch with.
void begin_launch(const CUgraphExec_st &exec);
// What a launch runs, as long as the graph lives and is not changed.
std::shared_ptr<Plan> make_plan(const CUgraphExec_st &exec);
// Nodes with dependencies first; empty when they form a cycle.
std::vector<const CUgraphNode_st *> topological_order(const CUgraph_st &graph);
CUgraph_st *clone(const CUgraph_st &original);

}  // namespace warploom

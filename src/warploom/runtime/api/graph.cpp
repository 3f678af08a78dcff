// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

#include "copy.h"
#include "event.h"
#include "graph_memory.h"

namespace warploom {
namespace {

struct GraphTable {
  std::mutex mutex;
  std::unordered_set<const CUgraph_st *> graphs;
};

GraphTable &graph_table() {
  static GraphTable *const instance = new GraphTable;
  return *instance;
}

// The body of an entry point that adds a node.
template <class Submit>
cudaError_t add(cudaGraphNode_t *node, CUgraph_st *graph, const cudaGraphNode_t *dependencies, std::size_t count,
                Submit &&submit_to) {
  return api_call([&]() -> cudaError_t {
    std::vector<CUgraphNode_st *> after;
    if (!node || !is_graph(graph) || !read_nodes(graph, dependencies, count, &after)) return cudaErrorInvalidValue;
    return capture_node(graph, std::move(after), node, submit_to);
  });
}

// The same for a node that keeps its parameters.
template <class Parameters>
cudaError_t add_with(cudaGraphNode_t *node, CUgraph_st *graph, const cudaGraphNode_t *dependencies, std::size_t count,
                     const Parameters *params) {
  const cudaError_t error = add(node, graph, dependencies, count, [&](cudaStream_t stream) {
    return params ? submit_params(stream, *params) : cudaErrorInvalidValue;
  });
  if (error == cudaSuccess) (*node)->parameters = *params;
  return error;
}

}  // namespace

bool read_nodes(const CUgraph_st *graph, const cudaGraphNode_t *nodes, std::size_t count,
                std::vector<CUgraphNode_st *> *result) {
  if (count && !nodes) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!nodes[i] || nodes[i]->graph != graph) return false;
    result->push_back(nodes[i]);
  }
  return true;
}

void write_nodes(const std::vector<CUgraphNode_st *> &nodes, cudaGraphNode_t *out, std::size_t *count) {
  if (!out) {
    *count = nodes.size();
    return;
  }
  const std::size_t written = std::min(*count, nodes.size());
  std::copy_n(nodes.begin(), written, out);
  std::fill_n(out + written, *count - written, nullptr);
  *count = written;
}

bool is_graph(const CUgraph_st *graph) {
  GraphTable &table = graph_table();
  const std::lock_guard lock(table.mutex);
  return table.graphs.contains(graph);
}

CUgraph_st *new_graph() {
  auto graph = std::make_unique<CUgraph_st>();
  GraphTable &table = graph_table();
  const std::lock_guard lock(table.mutex);
  table.graphs.insert(graph.get());
  return graph.release();
}

void delete_graph(CUgraph_st *graph) {
  {
    GraphTable &table = graph_table();
    const std::lock_guard lock(table.mutex);
    table.graphs.erase(graph);
  }
  delete graph;
}

CUgraph_st *clone(const CUgraph_st &original) {
  OwnedGraph copy(new_graph());
  copy->conditionals = original.conditionals;
  copy->user_objects = original.user_objects;
  std::map<const CUgraphNode_st *, CUgraphNode_st *> twin;
  for (const auto &node : original.nodes) {
    CUgraphNode_st *const made = add_node(copy.get(), node->type, node->operation, {});
    made->inner = node->inner;
    made->kernel = node->kernel;
    made->parameters = node->parameters;
    made->attributes = node->attributes;
    made->original = node->id;
    if (node->child) made->child = {clone(*node->child), delete_graph};
    if (const auto &bodies = node->bodies) {
      made->bodies = std::make_shared<ConditionalBodies>(bodies->condition, bodies->type, 0);
      auto &graphs = made->bodies->graphs;
      graphs.reserve(bodies->graphs.size());
      for (const CUgraph_st *body : bodies->graphs) graphs.push_back(clone(*body));
    }
    twin[node.get()] = made;
  }
  for (const auto &node : original.nodes)
    for (const CUgraphNode_st *dependency : node->dependencies)
      twin[node.get()]->dependencies.push_back(twin[dependency]);
  return copy.release();
}

CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, Operation operation,
                         std::vector<CUgraphNode_st *> dependencies) {
  static std::atomic<std::uint64_t> next_id = 1;
  auto node = std::make_unique<CUgraphNode_st>();
  node->id = next_id++;
  node->type = type;
  node->operation = std::move(operation);
  node->dependencies = std::move(dependencies);
  node->graph = graph;
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

std::vector<const CUgraphNode_st *> topological_order(const CUgraph_st &graph) {
  std::map<const CUgraphNode_st *, std::size_t> waiting;
  for (const auto &node : graph.nodes) waiting[node.get()] = node->dependencies.size();
  std::vector<const CUgraphNode_st *> order;
  // Nodes are few, and most often added in order: repeated passes are short.
  for (bool progress = true; progress;) {
    progress = false;
    for (const auto &node : graph.nodes) {
      const auto entry = waiting.find(node.get());
      if (entry == waiting.end()) continue;
      const bool ready = std::none_of(node->dependencies.begin(), node->dependencies.end(),
                                      [&](const CUgraphNode_st *before) { return waiting.contains(before); });
      if (!ready) continue;
      order.push_back(node.get());
      waiting.erase(entry);
      progress = true;
    }
  }
  if (!waiting.empty()) order.clear();
  return order;
}

cudaError_t submit_kernel(cudaStream_t stream, const cudaKernelNodeParams &params, const NodeAttributes &attributes) {
  if (params.extra)
    return not_supported("cudaGraphAddKernelNode", "arguments in `extra` are not implemented: use `kernelParams`");
  std::vector<cudaLaunchAttribute> all;
  for (const auto &[id, value] : attributes) all.push_back({static_cast<cudaLaunchAttributeID>(id), {}, value});
  const cudaLaunchConfig_t config = {params.gridDim, params.blockDim, params.sharedMemBytes,
                                     stream,         all.data(),      static_cast<unsigned>(all.size())};
  return cudaLaunchKernelExC(&config, params.func, params.kernelParams);
}

cudaError_t submit_params(cudaStream_t stream, const cudaMemsetParams &params) {
  const std::size_t size = params.elementSize, width = params.width * size;
  if (size != 1 && size != 2 && size != 4) return cudaErrorInvalidValue;
  if (params.height > 1 && params.pitch < width) return cudaErrorInvalidValue;
  const Area target = {static_cast<std::byte *>(params.dst), params.pitch, params.pitch * params.height};
  return fill_box(find_stream(stream), target, {width, params.height, 1}, params.value, size);
}

cudaError_t submit_params(cudaStream_t stream, const cudaHostNodeParams &params) {
  return cudaLaunchHostFunc(stream, params.fn, params.userData);
}

cudaError_t submit_params(cudaStream_t stream, const cudaMemcpy3DParms &params) {
  return cudaMemcpy3DAsync(&params, stream);
}

cudaError_t submit_params(cudaStream_t stream, const cudaEventRecordNodeParams &params) {
  if (!find_event(params.event)) return cudaErrorInvalidResourceHandle;
  return submit(find_stream(stream), cudaGraphNodeTypeEventRecord, [handle = params.event] {
    if (CUevent_st *const event = find_event(handle)) record_in_graph(event);
    return cudaSuccess;
  });
}

cudaError_t submit_params(cudaStream_t stream, const cudaEventWaitNodeParams &params) {
  if (!find_event(params.event)) return cudaErrorInvalidResourceHandle;
  // A launch of the graph waits for the event as a whole.
  return submit(find_stream(stream), cudaGraphNodeTypeWaitEvent, [] { return cudaSuccess; });
}

cudaMemcpy3DParms row_copy(void *target, const void *source, std::size_t size, cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {const_cast<void *>(source), size, size, 1};
  copy.dstPtr = {target, size, size, 1};
  copy.extent = {size, 1, 1};
  copy.kind = kind;
  return copy;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags) {
  return api_call([&] {
    if (!pGraph || flags != 0) return cudaErrorInvalidValue;
    *pGraph = new_graph();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_call([&] {
    if (!is_graph(graph)) return cudaErrorInvalidValue;
    delete_graph(graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph) {
  return api_call([&] {
    if (!pGraphClone || !is_graph(originalGraph)) return cudaErrorInvalidValue;
    *pGraphClone = clone(*originalGraph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const cudaKernelNodeParams *pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    return pNodeParams ? submit_kernel(stream, *pNodeParams) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const cudaMemcpy3DParms *pCopyParams) {
  return add_with(pGraphNode, graph, pDependencies, numDependencies, pCopyParams);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                     const void *src, size_t count, cudaMemcpyKind kind) {
  const cudaError_t error = add(pGraphNode, graph, pDependencies, numDependencies,
                                [&](cudaStream_t stream) { return cudaMemcpyAsync(dst, src, count, kind, stream); });
  if (error == cudaSuccess) (*pGraphNode)->parameters = row_copy(dst, src, count, kind);
  return error;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const cudaMemsetParams *pMemsetParams) {
  return add_with(pGraphNode, graph, pDependencies, numDependencies, pMemsetParams);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                 size_t numDependencies, const cudaHostNodeParams *pNodeParams) {
  return add_with(pGraphNode, graph, pDependencies, numDependencies, pNodeParams);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     cudaMemAllocNodeParams *nodeParams) {
  const cudaError_t error = add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    return nodeParams ? submit_allocation(find_stream(stream), &nodeParams->dptr, nodeParams->bytesize)
                      : cudaErrorInvalidValue;
  });
  if (error == cudaSuccess) (*pGraphNode)->parameters = *nodeParams;
  return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr) {
  const cudaError_t error = add(pGraphNode, graph, pDependencies, numDependencies,
                                [&](cudaStream_t stream) { return submit_free(find_stream(stream), dptr); });
  if (error == cudaSuccess) (*pGraphNode)->parameters = cudaMemFreeNodeParams{dptr};
  return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                  size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [](cudaStream_t) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
  const cudaEventRecordNodeParams params = {event};
  return add_with(pGraphNode, graph, pDependencies, numDependencies, &params);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event) {
  const cudaEventWaitNodeParams params = {event};
  return add_with(pGraphNode, graph, pDependencies, numDependencies, &params);
}

}  // extern "C"

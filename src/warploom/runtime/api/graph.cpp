// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph.h"

#include <algorithm>
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

// A list of nodes as the caller passes it; false when a node is not one of the graph.
bool read_nodes(const CUgraph_st *graph, const cudaGraphNode_t *nodes, std::size_t count,
                std::vector<CUgraphNode_st *> *result) {
  if (count && !nodes) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!nodes[i] || nodes[i]->graph != graph) return false;
    result->push_back(nodes[i]);
  }
  return true;
}

// Copies up to *count nodes out, and the number there is into *count.
void write_nodes(const std::vector<CUgraphNode_st *> &nodes, cudaGraphNode_t *out, std::size_t *count) {
  if (out) std::copy_n(nodes.begin(), std::min(*count, nodes.size()), out);
  *count = nodes.size();
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

}  // namespace

bool is_graph(const CUgraph_st *graph) {
  GraphTable &table = graph_table();
  const std::lock_guard lock(table.mutex);
  return table.graphs.contains(graph);
}

CUgraph_st *new_graph() {
  auto *graph = new CUgraph_st;
  GraphTable &table = graph_table();
  const std::lock_guard lock(table.mutex);
  table.graphs.insert(graph);
  return graph;
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
  CUgraph_st *copy = new_graph();
  copy->conditionals = original.conditionals;
  std::map<const CUgraphNode_st *, CUgraphNode_st *> twin;
  for (const auto &node : original.nodes) {
    CUgraphNode_st *const made = add_node(copy, node->type, node->operation, {});
    made->kernel = node->kernel;
    if (const auto &bodies = node->bodies) {
      made->bodies = std::make_shared<ConditionalBodies>(bodies->condition, bodies->type, 0);
      for (const CUgraph_st *body : bodies->graphs) made->bodies->graphs.push_back(clone(*body));
    }
    twin[node.get()] = made;
  }
  for (const auto &node : original.nodes)
    for (const CUgraphNode_st *dependency : node->dependencies)
      twin[node.get()]->dependencies.push_back(twin[dependency]);
  return copy;
}

CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, Operation operation,
                         std::vector<CUgraphNode_st *> dependencies) {
  auto node = std::make_unique<CUgraphNode_st>();
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

cudaError_t submit_kernel(cudaStream_t stream, const cudaKernelNodeParams &params) {
  if (params.extra)
    return not_supported("cudaGraphAddKernelNode", "arguments in `extra` are not implemented: use `kernelParams`");
  return cudaLaunchKernel(params.func, params.gridDim, params.blockDim, params.kernelParams, params.sharedMemBytes,
                          stream);
}

cudaError_t submit_memset(cudaStream_t stream, const cudaMemsetParams &params) {
  const std::size_t size = params.elementSize, width = params.width * size;
  if (size != 1 && size != 2 && size != 4) return cudaErrorInvalidValue;
  if (params.height > 1 && params.pitch < width) return cudaErrorInvalidValue;
  const Area target = {static_cast<std::byte *>(params.dst), params.pitch, params.pitch * params.height};
  return fill_box(find_stream(stream), target, {width, params.height, 1}, params.value, size);
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
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](cudaStream_t stream) { return cudaMemcpy3DAsync(pCopyParams, stream); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                     const void *src, size_t count, cudaMemcpyKind kind) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](cudaStream_t stream) { return cudaMemcpyAsync(dst, src, count, kind, stream); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const cudaMemsetParams *pMemsetParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    return pMemsetParams ? submit_memset(stream, *pMemsetParams) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                 size_t numDependencies, const cudaHostNodeParams *pNodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    return pNodeParams ? cudaLaunchHostFunc(stream, pNodeParams->fn, pNodeParams->userData) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     cudaMemAllocNodeParams *nodeParams) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    return nodeParams ? submit_allocation(find_stream(stream), &nodeParams->dptr, nodeParams->bytesize)
                      : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr) {
  return add(pGraphNode, graph, pDependencies, numDependencies,
             [&](cudaStream_t stream) { return submit_free(find_stream(stream), dptr); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                  size_t numDependencies) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [](cudaStream_t) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                        cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    if (!find_event(event)) return cudaErrorInvalidResourceHandle;
    return submit(find_stream(stream), cudaGraphNodeTypeEventRecord, [=] { return cudaEventRecord(event, nullptr); });
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event) {
  return add(pGraphNode, graph, pDependencies, numDependencies, [&](cudaStream_t stream) {
    if (!find_event(event)) return cudaErrorInvalidResourceHandle;
    return submit(find_stream(stream), cudaGraphNodeTypeWaitEvent, [=] { return cudaEventSynchronize(event); });
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, size_t numDependencies) {
  return api_call([&] {
    std::vector<CUgraphNode_st *> before, after;
    if (!is_graph(graph) || !read_nodes(graph, from, numDependencies, &before) ||
        !read_nodes(graph, to, numDependencies, &after))
      return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < numDependencies; ++i) after[i]->dependencies.push_back(before[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes) {
  return api_call([&] {
    if (!is_graph(graph) || !numNodes) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st *> all;
    for (const auto &node : graph->nodes) all.push_back(node.get());
    write_nodes(all, nodes, numNodes);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes) {
  return api_call([&] {
    if (!is_graph(graph) || !pNumRootNodes) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st *> roots;
    for (const auto &node : graph->nodes)
      if (node->dependencies.empty()) roots.push_back(node.get());
    write_nodes(roots, pRootNodes, pNumRootNodes);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *numEdges) {
  return api_call([&] {
    if (!is_graph(graph) || !numEdges || !from != !to) return cudaErrorInvalidValue;
    std::vector<CUgraphNode_st *> sources, targets;
    for (const auto &node : graph->nodes)
      for (CUgraphNode_st *dependency : node->dependencies) {
        sources.push_back(dependency);
        targets.push_back(node.get());
      }
    std::size_t count = *numEdges;
    if (edgeData) std::fill_n(edgeData, std::min(count, sources.size()), cudaGraphEdgeData{});
    write_nodes(sources, from, &count);
    write_nodes(targets, to, numEdges);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *pType) {
  return api_call([&] {
    if (!node || !pType) return cudaErrorInvalidValue;
    *pType = node->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *pNodeParams) {
  return api_call([&] {
    if (!node || !pNodeParams || node->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    *pNodeParams = node->kernel;
    return cudaSuccess;
  });
}

}  // extern "C"

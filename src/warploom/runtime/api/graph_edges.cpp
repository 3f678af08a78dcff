// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes of a graph have to do with each other, and with those of a graph that was cloned from it.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "graph.h"

namespace warploom {
namespace {

bool depends(const CUgraphNode_st &node, const CUgraphNode_st *on) {
  return std::find(node.dependencies.begin(), node.dependencies.end(), on) != node.dependencies.end();
}

std::vector<CUgraphNode_st *> dependents(const CUgraphNode_st *node) {
  std::vector<CUgraphNode_st *> found;
  for (const auto &other : node->graph->nodes)
    if (depends(*other, node)) found.push_back(other.get());
  return found;
}

// Calls change(before, after) for each pair of a list of edges, once all of them are known to be legal.
template <class Check, class Change>
cudaError_t for_edges(CUgraph_st *graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, std::size_t count,
                      Check &&is_legal, Change &&change) {
  return api_call([&] {
    std::vector<CUgraphNode_st *> before, after;
    if (!is_graph(graph) || !read_nodes(graph, from, count, &before) || !read_nodes(graph, to, count, &after))
      return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (!is_legal(before[i], *after[i])) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) change(before[i], *after[i]);
    return cudaSuccess;
  });
}

// Edges here carry no data.
cudaError_t write_edges(const std::vector<CUgraphNode_st *> &nodes, cudaGraphNode_t *out, cudaGraphEdgeData *data,
                        std::size_t *count) {
  if (data && out) std::fill_n(data, *count, cudaGraphEdgeData{});
  write_nodes(nodes, out, count);
  return cudaSuccess;
}

const char *type_name(cudaGraphNodeType type) {
  static constexpr const char *kNames[] = {"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
                                           "EMPTY",     "WAIT_EVENT", "EVENT_RECORD", "SIGNAL",     "WAIT",
                                           "MEM_ALLOC", "MEM_FREE",   "BATCH_MEM_OP", "CONDITIONAL"};
  const auto index = static_cast<std::size_t>(type);
  return index < std::size(kNames) ? kNames[index] : "NODE";
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, size_t numDependencies) {
  return for_edges(
      graph, from, to, numDependencies,
      [](CUgraphNode_st *before, CUgraphNode_st &after) { return before != &after && !depends(after, before); },
      [](CUgraphNode_st *before, CUgraphNode_st &after) { after.dependencies.push_back(before); });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *, size_t numDependencies) {
  return for_edges(
      graph, from, to, numDependencies,
      [](CUgraphNode_st *before, CUgraphNode_st &after) { return depends(after, before); },
      [](CUgraphNode_st *before, CUgraphNode_st &after) { std::erase(after.dependencies, before); });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api_call([&] {
    if (!node || !is_graph(node->graph)) return cudaErrorInvalidValue;
    CUgraph_st &graph = *node->graph;
    for (const auto &other : graph.nodes) std::erase(other->dependencies, node);
    std::erase_if(graph.freed, [&](const auto &entry) { return entry.first == node; });
    std::erase_if(graph.nodes, [&](const auto &each) { return each.get() == node; });
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
    write_edges(sources, from, edgeData, &count);
    write_nodes(targets, to, numEdges);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                         cudaGraphEdgeData *edgeData, size_t *pNumDependencies) {
  return api_call([&] {
    if (!node || !pNumDependencies) return cudaErrorInvalidValue;
    return write_edges(node->dependencies, pDependencies, edgeData, pNumDependencies);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                           cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes) {
  return api_call([&] {
    if (!node || !pNumDependentNodes) return cudaErrorInvalidValue;
    return write_edges(dependents(node), pDependentNodes, edgeData, pNumDependentNodes);
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph) {
  return api_call([&] {
    if (!pNode || !originalNode || !is_graph(clonedGraph)) return cudaErrorInvalidValue;
    const auto found = std::find_if(clonedGraph->nodes.begin(), clonedGraph->nodes.end(),
                                    [&](const auto &node) { return node->original == originalNode->id; });
    if (found == clonedGraph->nodes.end()) return cudaErrorInvalidValue;
    *pNode = found->get();
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

// The nodes with their types, and the edges; of the flags, which ask for parameters as well, nothing.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int) {
  return api_call([&]() -> cudaError_t {
    if (!is_graph(graph) || !path) return cudaErrorInvalidValue;
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "w"), std::fclose);
    if (!file) return cudaErrorOperatingSystem;
    std::fputs("digraph dot {\n", file.get());
    for (const auto &node : graph->nodes) {
      const auto id = static_cast<unsigned long long>(node->id);
      std::fprintf(file.get(), "  n%llu [shape=\"box\" label=\"%llu\\n%s\"];\n", id, id, type_name(node->type));
      for (const CUgraphNode_st *before : node->dependencies)
        std::fprintf(file.get(), "  n%llu -> n%llu;\n", static_cast<unsigned long long>(before->id), id);
    }
    std::fputs("}\n", file.get());
    return cudaSuccess;
  });
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of every type by one call, and conditional nodes: device code decides whether, how often, or which graph runs.
#include <algorithm>

#include "graph.h"

namespace warploom {
namespace {

std::shared_ptr<Conditional> find_conditional(const CUgraph_st &graph, cudaGraphConditionalHandle handle) {
  for (const auto &conditional : graph.conditionals)
    if (reinterpret_cast<cudaGraphConditionalHandle>(&conditional->value) == handle) return conditional;
  return nullptr;
}

bool is_legal(const cudaConditionalNodeParams &params) {
  switch (params.type) {
    case cudaGraphCondTypeIf:
      return params.size == 1 || params.size == 2;
    case cudaGraphCondTypeWhile:
      return params.size == 1;
    case cudaGraphCondTypeSwitch:
      return params.size >= 1;
  }
  return false;
}

cudaError_t add_conditional(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                            std::size_t count, cudaConditionalNodeParams *params) {
  if (!is_graph(graph) || !is_legal(*params)) return cudaErrorInvalidValue;
  const std::shared_ptr<Conditional> condition = find_conditional(*graph, params->handle);
  if (!condition) return cudaErrorInvalidValue;
  auto bodies = std::make_shared<ConditionalBodies>(condition, params->type, params->size);
  if (const cudaError_t error = cudaGraphAddEmptyNode(node, graph, dependencies, count); error != cudaSuccess)
    return error;
  (*node)->type = cudaGraphNodeTypeConditional;
  (*node)->bodies = std::move(bodies);
  // A body may set the condition of the node that it belongs to, and hold conditional nodes of its own.
  params->phGraph_out = (*node)->bodies->graphs.data();
  return cudaSuccess;
}

cudaError_t add_kernel(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, std::size_t count,
                       const cudaKernelNodeParamsV2 &kernel) {
  const cudaKernelNodeParams params = {kernel.func,           kernel.gridDim,      kernel.blockDim,
                                       kernel.sharedMemBytes, kernel.kernelParams, kernel.extra};
  return cudaGraphAddKernelNode(node, graph, dependencies, count, &params);
}

cudaError_t add_memset(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, std::size_t count,
                       const cudaMemsetParamsV2 &fill) {
  const cudaMemsetParams params = {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height};
  return cudaGraphAddMemsetNode(node, graph, dependencies, count, &params);
}

cudaError_t add_allocation(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                           std::size_t count, cudaMemAllocNodeParamsV2 *memory) {
  cudaMemAllocNodeParams params = {memory->poolProps, memory->accessDescs, memory->accessDescCount, memory->bytesize,
                                   nullptr};
  const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, dependencies, count, &params);
  memory->dptr = params.dptr;
  return error;
}

}  // namespace

ConditionalBodies::ConditionalBodies(std::shared_ptr<Conditional> value, cudaGraphConditionalNodeType kind)
    : condition(std::move(value)), type(kind) {}

ConditionalBodies::ConditionalBodies(std::shared_ptr<Conditional> value, cudaGraphConditionalNodeType kind,
                                     std::size_t count)
    : ConditionalBodies(std::move(value), kind) {
  graphs.reserve(count);
  for (std::size_t i = 0; i < count; ++i) graphs.push_back(new_graph());
}

ConditionalBodies::~ConditionalBodies() {
  for (CUgraph_st *graph : graphs) delete_graph(graph);
}

std::size_t Choice::chosen() const {
  const unsigned value = __atomic_load_n(&condition->value, __ATOMIC_RELAXED);
  if (type == cudaGraphCondTypeSwitch) return std::min<std::size_t>(value, bodies.size());
  return value != 0 ? 0 : 1;  // a loop has one body
}

cudaError_t instantiate_bodies(const ConditionalBodies &bodies, CUgraphNode_st *node) {
  auto choice = std::make_shared<Choice>(bodies.condition, bodies.type);
  for (const CUgraph_st *graph : bodies.graphs) {
    auto made = std::make_shared<CUgraphExec_st>();
    if (const cudaError_t error = fill_in(made.get(), *graph); error != cudaSuccess) return error;
    choice->bodies.push_back(std::move(made));
  }
  node->choice = std::move(choice);
  return cudaSuccess;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph,
                                             unsigned int defaultLaunchValue, unsigned int flags) {
  return api_call([&] {
    if (!pHandle_out || !is_graph(graph) || (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault)))
      return cudaErrorInvalidValue;
    const bool assign = flags & cudaGraphCondAssignDefault;
    graph->conditionals.push_back(std::make_shared<Conditional>(0U, defaultLaunchValue, assign));
    *pHandle_out = reinterpret_cast<cudaGraphConditionalHandle>(&graph->conditionals.back()->value);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *, size_t count, cudaGraphNodeParams *params) {
  if (!node || !params) return record(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return add_kernel(node, graph, dependencies, count, params->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return add_memset(node, graph, dependencies, count, params->memset);
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host = {params->host.fn, params->host.userData};
      return cudaGraphAddHostNode(node, graph, dependencies, count, &host);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, dependencies, count, params->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, dependencies, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, dependencies, count, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, dependencies, count, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return add_allocation(node, graph, dependencies, count, &params->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, dependencies, count, params->free.dptr);
    case cudaGraphNodeTypeConditional:
      return api_call([&] { return add_conditional(node, graph, dependencies, count, &params->conditional); });
    default:
      return api_call([&] {
        return not_supported("cudaGraphAddNode", "there are no semaphores of a graphics API: order the work by events");
      });
  }
}

}  // extern "C"

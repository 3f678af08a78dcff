// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of nodes, in a graph and in one that was instantiated: asked for, and changed.
#include <utility>

#include "graph.h"
#include "launch.h"

namespace warploom {
namespace {

template <class Parameters>
cudaError_t get(cudaGraphNode_t node, cudaGraphNodeType type, Parameters *out) {
  return api_call([&]() -> cudaError_t {
    if (!node || !out || node->type != type) return cudaErrorInvalidValue;
    const Parameters *const found = std::get_if<Parameters>(&node->parameters);
    if (!found)
      return not_supported("cudaGraph...GetParams",
                           "the parameters of a captured node are not kept: keep those of the call that was captured");
    *out = *found;
    return cudaSuccess;
  });
}

template <class Parameters>
cudaError_t change(CUgraphNode_st *node, const Parameters *params) {
  return api_call([&]() -> cudaError_t {
    if (!node || !params) return cudaErrorInvalidValue;
    const cudaError_t error = replace(node, [&](cudaStream_t stream) { return submit_params(stream, *params); });
    if (error == cudaSuccess) node->parameters = *params;
    return error;
  });
}

cudaError_t change_row(CUgraphNode_st *node, void *target, const void *source, std::size_t size, cudaMemcpyKind kind) {
  return api_call([&]() -> cudaError_t {
    if (!node) return cudaErrorInvalidValue;
    const cudaError_t error =
        replace(node, [&](cudaStream_t stream) { return cudaMemcpyAsync(target, source, size, kind, stream); });
    if (error == cudaSuccess) node->parameters = row_copy(target, source, size, kind);
    return error;
  });
}

cudaError_t change_kernel(CUgraphNode_st *node, const cudaKernelNodeParams *params) {
  return api_call([&]() -> cudaError_t {
    if (!node || !params) return cudaErrorInvalidValue;
    return replace(node, [&](cudaStream_t stream) { return submit_kernel(stream, *params, node->attributes); });
  });
}

cudaError_t change_any(CUgraphNode_st *node, const cudaGraphNodeParams *params) {
  if (!node || !params || node->type != params->type) return record(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2 &own = params->kernel;
      const cudaKernelNodeParams kernel = {own.func,           own.gridDim,      own.blockDim,
                                           own.sharedMemBytes, own.kernelParams, own.extra};
      return change_kernel(node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return change(node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2 &own = params->memset;
      const cudaMemsetParams fill = {own.dst, own.pitch, own.value, own.elementSize, own.width, own.height};
      return change(node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host = {params->host.fn, params->host.userData};
      return change(node, &host);
    }
    case cudaGraphNodeTypeEventRecord:
      return change(node, &params->eventRecord);
    case cudaGraphNodeTypeWaitEvent:
      return change(node, &params->eventWait);
    default:
      return api_call([] {
        return not_supported("cudaGraphNodeSetParams", "nodes of this type cannot be changed: make the graph again");
      });
  }
}

// Where a device variable lies, from `offset` on.
cudaError_t place_of(const void *symbol, std::size_t offset, std::size_t count, char **place) {
  const DeviceSymbol found = symbol ? find_symbol(symbol) : DeviceSymbol{};
  if (!found.address) return cudaErrorInvalidSymbol;
  if (offset > found.size || count > found.size - offset) return cudaErrorInvalidValue;
  *place = static_cast<char *>(found.address) + offset;
  return cudaSuccess;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *pNodeParams) {
  return api_call([&] {
    if (!node || !pNodeParams || node->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    *pNodeParams = node->kernel;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *pNodeParams) {
  return change_kernel(node, pNodeParams);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *pNodeParams) {
  return change_kernel(find_in(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            cudaLaunchAttributeValue *value_out) {
  return api_call([&] {
    if (!hNode || !value_out || hNode->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    const auto found = hNode->attributes.find(attr);
    *value_out = found == hNode->attributes.end() ? cudaLaunchAttributeValue{} : found->second;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                            const cudaLaunchAttributeValue *value) {
  return api_call([&]() -> cudaError_t {
    if (!hNode || !value || hNode->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    NodeAttributes changed = hNode->attributes;
    changed[attr] = *value;
    const cudaError_t error =
        replace(hNode, [&](cudaStream_t stream) { return submit_kernel(stream, hNode->kernel, changed); });
    if (error == cudaSuccess) hNode->attributes = std::move(changed);
    return error;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc) {
  return api_call([&]() -> cudaError_t {
    if (!hDst || !hSrc || hDst->type != cudaGraphNodeTypeKernel || hSrc->type != cudaGraphNodeTypeKernel)
      return cudaErrorInvalidValue;
    const NodeAttributes copied = hSrc->attributes;
    const cudaError_t error =
        replace(hDst, [&](cudaStream_t stream) { return submit_kernel(stream, hDst->kernel, copied); });
    if (error == cudaSuccess) hDst->attributes = copied;
    return error;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *pNodeParams) {
  return get(node, cudaGraphNodeTypeMemcpy, pNodeParams);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *pNodeParams) {
  return change(node, pNodeParams);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                           cudaMemcpyKind kind) {
  return change_row(node, dst, src, count, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *pNodeParams) {
  return change(find_in(hGraphExec, node), pNodeParams);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count, cudaMemcpyKind kind) {
  return change_row(find_in(hGraphExec, node), dst, src, count, kind);
}

// -- copies to and from device variables

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           const void *symbol, const void *src, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  char *place = nullptr;
  if (const cudaError_t error = place_of(symbol, offset, count, &place); error != cudaSuccess) return record(error);
  return cudaGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies, numDependencies, place, src, count, kind);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                             const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  char *place = nullptr;
  if (const cudaError_t error = place_of(symbol, offset, count, &place); error != cudaSuccess) return record(error);
  return cudaGraphAddMemcpyNode1D(pGraphNode, graph, pDependencies, numDependencies, dst, place, count, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                 size_t count, size_t offset, cudaMemcpyKind kind) {
  char *place = nullptr;
  if (const cudaError_t error = place_of(symbol, offset, count, &place); error != cudaSuccess) return record(error);
  return change_row(node, place, src, count, kind);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t count,
                                                   size_t offset, cudaMemcpyKind kind) {
  char *place = nullptr;
  if (const cudaError_t error = place_of(symbol, offset, count, &place); error != cudaSuccess) return record(error);
  return change_row(node, dst, place, count, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src, size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsToSymbol(find_in(hGraphExec, node), symbol, src, count, offset, kind);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count, size_t offset,
                                                       cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsFromSymbol(find_in(hGraphExec, node), dst, symbol, count, offset, kind);
}

// -- the other types

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *pNodeParams) {
  return get(node, cudaGraphNodeTypeMemset, pNodeParams);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *pNodeParams) {
  return change(node, pNodeParams);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams *pNodeParams) {
  return change(find_in(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *pNodeParams) {
  return get(node, cudaGraphNodeTypeHost, pNodeParams);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *pNodeParams) {
  return change(node, pNodeParams);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *pNodeParams) {
  return change(find_in(hGraphExec, node), pNodeParams);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
  if (!event_out) return record(cudaErrorInvalidValue);
  cudaEventRecordNodeParams params = {};
  const cudaError_t error = get(node, cudaGraphNodeTypeEventRecord, &params);
  if (error == cudaSuccess) *event_out = params.event;
  return error;
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  const cudaEventRecordNodeParams params = {event};
  return change(node, &params);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
  return cudaGraphEventRecordNodeSetEvent(find_in(hGraphExec, hNode), event);
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out) {
  if (!event_out) return record(cudaErrorInvalidValue);
  cudaEventWaitNodeParams params = {};
  const cudaError_t error = get(node, cudaGraphNodeTypeWaitEvent, &params);
  if (error == cudaSuccess) *event_out = params.event;
  return error;
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  const cudaEventWaitNodeParams params = {event};
  return change(node, &params);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
  return cudaGraphEventWaitNodeSetEvent(find_in(hGraphExec, hNode), event);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams *params_out) {
  return get(node, cudaGraphNodeTypeMemAlloc, params_out);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out) {
  if (!dptr_out) return record(cudaErrorInvalidValue);
  cudaMemFreeNodeParams params = {};
  const cudaError_t error = get(node, cudaGraphNodeTypeMemFree, &params);
  if (error == cudaSuccess) *static_cast<void **>(dptr_out) = params.dptr;
  return error;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *nodeParams) {
  return change_any(node, nodeParams);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *nodeParams) {
  return change_any(find_in(graphExec, node), nodeParams);
}

}  // extern "C"

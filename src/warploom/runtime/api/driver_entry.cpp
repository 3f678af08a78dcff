// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API by name. Some took other parameters in older versions of CUDA: who asks for such a
// version gets a function with those parameters, or none, never one that reads its arguments in another way.
#include <dlfcn.h>

#include <cstring>

#include "driver_helpers.h"

namespace warploom {
namespace {

// Memory's new home by the number of a device; -1 is the processor.
CUmemLocation place_of(CUdevice device) {
  return device == CU_DEVICE_CPU ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0}
                                 : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult prefetch_by_device(CUdeviceptr memory, std::size_t size, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync(memory, size, place_of(device), 0, stream);
}

CUresult advise_by_device(CUdeviceptr memory, std::size_t size, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise(memory, size, advice, place_of(device));
}

CUresult capture_info_without_edges(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                    const CUgraphNode **nodes, std::size_t *count) {
  return cuStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}

CUresult add_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, std::size_t count) {
  return cuGraphAddDependencies(graph, from, to, nullptr, count);
}

CUresult remove_dependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, std::size_t count) {
  return cuGraphRemoveDependencies(graph, from, to, nullptr, count);
}

CUresult edges_of(CUgraph graph, CUgraphNode *from, CUgraphNode *to, std::size_t *count) {
  return cuGraphGetEdges(graph, from, to, nullptr, count);
}

CUresult dependencies_of(CUgraphNode node, CUgraphNode *nodes, std::size_t *count) {
  return cuGraphNodeGetDependencies(node, nodes, nullptr, count);
}

CUresult dependents_of(CUgraphNode node, CUgraphNode *nodes, std::size_t *count) {
  return cuGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

CUresult update_dependencies(CUstream stream, CUgraphNode *nodes, std::size_t count, unsigned flags) {
  return cuStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}

CUresult add_node(CUgraphNode *node, CUgraph graph, const CUgraphNode *before, std::size_t count,
                  CUgraphNodeParams *params) {
  return cuGraphAddNode(node, graph, before, nullptr, count, params);
}

CUresult copy_batch(CUdeviceptr *targets, CUdeviceptr *sources, std::size_t *sizes, std::size_t count,
                    CUmemcpyAttributes *attributes, std::size_t *firsts, std::size_t number, std::size_t *failed,
                    CUstream stream) {
  if (failed) *failed = SIZE_MAX;
  return cuMemcpyBatchAsync(targets, sources, sizes, count, attributes, firsts, number, stream);
}

CUresult create_context(CUcontext *context, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}

// Contexts with some of the multiprocessors only are not there.
CUresult create_context_with_affinity(CUcontext *context, const void *, int count, unsigned flags, CUdevice device) {
  return count == 0 ? cuCtxCreate(context, flags, device) : CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}

template <class Function>
void *address_of(Function *function) {
  return reinterpret_cast<void *>(function);
}

// Before `version` (12020: CUDA 12.2) the function of this name was another one: `older`, or null where there is none.
struct Changed {
  const char *name;
  int version;
  void *older;
};

const Changed kChanged[] = {
    {"cuCtxCreate", 11040, address_of(&create_context)},
    {"cuCtxCreate", 12050, address_of(&create_context_with_affinity)},
    {"cuGraphAddDependencies", 12030, address_of(&add_dependencies)},
    {"cuGraphAddKernelNode", 12000, nullptr},
    {"cuGraphAddNode", 12030, address_of(&add_node)},
    {"cuGraphExecKernelNodeSetParams", 12000, nullptr},
    {"cuGraphExecUpdate", 12000, nullptr},
    {"cuGraphGetEdges", 12030, address_of(&edges_of)},
    {"cuGraphKernelNodeGetParams", 12000, nullptr},
    {"cuGraphKernelNodeSetParams", 12000, nullptr},
    {"cuGraphNodeGetDependencies", 12030, address_of(&dependencies_of)},
    {"cuGraphNodeGetDependentNodes", 12030, address_of(&dependents_of)},
    {"cuGraphRemoveDependencies", 12030, address_of(&remove_dependencies)},
    {"cuMemAdvise", 12020, address_of(&advise_by_device)},
    {"cuMemPrefetchAsync", 12020, address_of(&prefetch_by_device)},
    {"cuMemcpy3DBatchAsync", 13000, nullptr},
    {"cuMemcpyBatchAsync", 13000, address_of(&copy_batch)},
    {"cuStreamGetCaptureInfo", 11030, nullptr},
    {"cuStreamGetCaptureInfo", 12030, address_of(&capture_info_without_edges)},
    {"cuStreamUpdateCaptureDependencies", 12030, address_of(&update_dependencies)},
};

// The newer of two functions that differ in their parameters.
struct Newer {
  const char *name;
  int version;
  const char *symbol;
};

constexpr Newer kNewer[] = {{"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"}, {"cuCtxCreate", 12050, "cuCtxCreate_v4"}};

void *find_entry(const char *name, int version) {
  for (const Changed &changed : kChanged)
    if (version < changed.version && !std::strcmp(name, changed.name)) return changed.older;
  for (const Newer &newer : kNewer)
    if (version >= newer.version && !std::strcmp(name, newer.name)) return dlsym(RTLD_DEFAULT, newer.symbol);
  return dlsym(RTLD_DEFAULT, name);
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t,
                          CUdriverProcAddressQueryResult *symbolStatus) {
  if (!symbol || !pfn) return CUDA_ERROR_INVALID_VALUE;
  *pfn = find_entry(symbol, cudaVersion);
  if (symbolStatus) *symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *pfn || symbolStatus ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
                                             unsigned long long, cudaDriverEntryPointQueryResult *driverStatus) {
  return api_call([&]() -> cudaError_t {
    if (!symbol || !funcPtr) return cudaErrorInvalidValue;
    *funcPtr = find_entry(symbol, static_cast<int>(cudaVersion));
    if (driverStatus) *driverStatus = *funcPtr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *funcPtr || driverStatus ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *driverStatus) {
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDA_VERSION, flags, driverStatus);
}

// With the parameters of CUDA 12.5 and later; none of those that make another kind of context has a meaning here.
WARPLOOM_DRIVER_API CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned int flags, CUdevice device) {
  return parameters ? CUDA_ERROR_NOT_SUPPORTED : create_context(context, flags, device);
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuGetProcAddress, _v2);

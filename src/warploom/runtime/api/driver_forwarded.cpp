// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API that are the runtime's under another name, launches by configuration, and functions by
// name.
#include <dlfcn.h>

#include <string>
#include <vector>

#include "driver.h"
#include "graph.h"
#include "launch.h"

namespace warploom {
namespace {

static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(cudaHostNodeParams));
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams));
static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));

cudaKernelNodeParams runtime_params(const CUDA_KERNEL_NODE_PARAMS &params) {
  void *const function = params.func ? static_cast<void *>(params.func) : static_cast<void *>(params.kern);
  return {function,
          {params.gridDimX, params.gridDimY, params.gridDimZ},
          {params.blockDimX, params.blockDimY, params.blockDimZ},
          params.sharedMemBytes,
          params.kernelParams,
          params.extra};
}

// The newest version of a function is the one that its name without a version stands for.
void *find_entry(const std::string &name) {
  for (const char *const version : {"", "_v2", "_v3", "_v4"})
    if (void *const found = dlsym(RTLD_DEFAULT, (name + version).c_str())) return found;
  return nullptr;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

#define WARPLOOM_FORWARDED(name, parameters, call) \
  CUresult name parameters {                       \
    return driver_call([&] { return call; });      \
  }
#include "warploom/driver_forwarded.def"
#undef WARPLOOM_FORWARDED

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  return driver_call([&]() -> cudaError_t {
    if (!config || (config->numAttrs && !config->attrs) || (kernelParams && extra)) return cudaErrorInvalidValue;
    const CUfunc_st *function = f ? find_function(f) : nullptr;
    if (!function) return cudaErrorInvalidResourceHandle;
    std::vector<void *> unpacked = kernelParams ? std::vector<void *>() : unpack(*function->kernel, extra);
    const cudaLaunchConfig_t same = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                                     {config->blockDimX, config->blockDimY, config->blockDimZ},
                                     config->sharedMemBytes,
                                     config->hStream,
                                     reinterpret_cast<cudaLaunchAttribute *>(config->attrs),
                                     config->numAttrs};
    return cudaLaunchKernelExC(&same, f, kernelParams ? kernelParams : unpacked.empty() ? nullptr : unpacked.data());
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams) {
  return driver_call([&] {
    if (!f) return cudaErrorInvalidResourceHandle;
    return cudaLaunchCooperativeKernel(f, dim3(gridDimX, gridDimY, gridDimZ), dim3(blockDimX, blockDimY, blockDimZ),
                                       kernelParams, sharedMemBytes, hStream);
  });
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return driver_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, &params);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return driver_call([&]() -> cudaError_t {
    cudaKernelNodeParams params;
    if (!nodeParams) return cudaErrorInvalidValue;
    if (const cudaError_t error = cudaGraphKernelNodeGetParams(hNode, &params); error != cudaSuccess) return error;
    const dim3 &grid = params.gridDim, &block = params.blockDim;
    *nodeParams = {
        find_function(params.func), grid.x,       grid.y,  grid.z, block.x, block.y, block.z, params.sharedMemBytes,
        params.kernelParams,        params.extra, nullptr, nullptr};
    return cudaSuccess;
  });
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return driver_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphKernelNodeSetParams(hNode, &params);
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return driver_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, &params);
  });
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int, cuuint64_t,
                          CUdriverProcAddressQueryResult *symbolStatus) {
  if (!symbol || !pfn) return CUDA_ERROR_INVALID_VALUE;
  *pfn = find_entry(symbol);
  if (symbolStatus) *symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *pfn || symbolStatus ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long,
                                    cudaDriverEntryPointQueryResult *driverStatus) {
  return api_call([&]() -> cudaError_t {
    if (!symbol || !funcPtr) return cudaErrorInvalidValue;
    *funcPtr = find_entry(symbol);
    if (driverStatus) *driverStatus = *funcPtr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return *funcPtr || driverStatus ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *driverStatus) {
  return cudaGetDriverEntryPoint(symbol, funcPtr, flags, driverStatus);
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuGetProcAddress, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphAddKernelNode, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphKernelNodeGetParams, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphKernelNodeSetParams, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphExecKernelNodeSetParams, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphAddDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphGetEdges, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphNodeGetDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphNodeGetDependentNodes, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphRemoveDependencies, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD2D8, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamBeginCapture, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamUpdateCaptureDependencies, _v2);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's graphs: nodes' parameters in the runtime API's form.
#include <cstring>

#include "driver_helpers.h"

namespace warploom {
namespace {

static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(cudaHostNodeParams));
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams));
static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(cudaMemAllocNodeParams));
static_assert(sizeof(CUDA_CONDITIONAL_NODE_PARAMS) == sizeof(cudaConditionalNodeParams));
static_assert(sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams));
static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams));
static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo));

}  // namespace

cudaKernelNodeParams runtime_params(const CUDA_KERNEL_NODE_PARAMS &params) {
  void *const function = params.func ? static_cast<void *>(params.func) : static_cast<void *>(params.kern);
  return {function,
          {params.gridDimX, params.gridDimY, params.gridDimZ},
          {params.blockDimX, params.blockDimY, params.blockDimZ},
          params.sharedMemBytes,
          params.kernelParams,
          params.extra};
}

// Kernels and copies are described in other words, all other types of nodes in the same.
cudaError_t runtime_node(const CUgraphNodeParams *params, cudaGraphNodeParams *same) {
  if (!params) return cudaErrorInvalidValue;
  std::memcpy(static_cast<void *>(same), params, sizeof *same);
  if (params->type == CU_GRAPH_NODE_TYPE_KERNEL) {
    const cudaKernelNodeParams kernel = runtime_params(params->kernel);
    same->kernel = {kernel.func,         kernel.gridDim, kernel.blockDim, kernel.sharedMemBytes,
                    kernel.kernelParams, kernel.extra,   nullptr};
  } else if (params->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
    same->memcpy = {};
    return runtime_copy(&params->memcpy.copyParams, &same->memcpy.copyParams);
  }
  return cudaSuccess;
}

void give_back(const cudaGraphNodeParams &same, CUgraphNodeParams *params) {
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    params->alloc.dptr = reinterpret_cast<CUdeviceptr>(same.alloc.dptr);
  else if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    params->conditional.phGraph_out = same.conditional.phGraph_out;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return anywhere_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, &params);
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return anywhere_call([&]() -> cudaError_t {
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
  return anywhere_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphKernelNodeSetParams(hNode, &params);
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS *nodeParams) {
  return anywhere_call([&]() -> cudaError_t {
    if (!nodeParams) return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = runtime_params(*nodeParams);
    return cudaGraphExecKernelNodeSetParams(hGraphExec, hNode, &params);
  });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuGraphAddKernelNode, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphKernelNodeGetParams, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphKernelNodeSetParams, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphExecKernelNodeSetParams, _v2);

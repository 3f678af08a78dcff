// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of kernels.
#include "../registry.h"
#include "error.h"
#include "launch.h"

namespace warploom {
namespace {

// There are no registers to run out of: a number that lets occupancy be bounded by threads and shared memory alone.
constexpr int kRegistersPerThread = kRegistersPerProcessor / kMaxThreadsPerProcessor;

// The body of an entry point on a kernel.
template <class Body>
cudaError_t function_call(const void *stub, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  const auto found = [&]() -> cudaError_t {
    CUfunc_st *function = stub ? find_function(stub) : nullptr;
    return function ? body(function) : no_kernel(stub);
  };
  return api_call(found, caller);
}

cudaError_t set_dynamic_shared(CUfunc_st *function, int value) {
  const std::size_t used = function->kernel->static_shared;
  if (value < 0 || used + static_cast<std::size_t>(value) > kSharedPerBlockOptin) return cudaErrorInvalidValue;
  function->max_dynamic_shared = static_cast<std::size_t>(value);
  return cudaSuccess;
}

}  // namespace

int max_threads(const Kernel &kernel) {
  return kernel.max_threads ? static_cast<int>(kernel.max_threads) : kMaxThreadsPerBlock;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, const void *func) {
  return function_call(func, [&](const CUfunc_st *function) {
    if (!attr) return cudaErrorInvalidValue;
    const Kernel &kernel = *function->kernel;
    *attr = cudaFuncAttributes{};
    attr->sharedSizeBytes = kernel.static_shared;
    attr->localSizeBytes = kernel.local_size;
    attr->maxThreadsPerBlock = max_threads(kernel);
    attr->numRegs = kRegistersPerThread;
    attr->ptxVersion = attr->binaryVersion = static_cast<int>(architecture_of(kernel) / 10);
    attr->maxDynamicSharedSizeBytes = static_cast<int>(function->max_dynamic_shared);
    attr->preferredShmemCarveout = function->carveout;
    attr->clusterDimMustBeSet = kernel.cluster[0] != 0;
    attr->requiredClusterWidth = static_cast<int>(kernel.cluster[0]);
    attr->requiredClusterHeight = static_cast<int>(kernel.cluster[1]);
    attr->requiredClusterDepth = static_cast<int>(kernel.cluster[2]);
    attr->nonPortableClusterSizeAllowed = function->large_clusters;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *func, cudaFuncAttribute attr, int value) {
  return function_call(func, [&](CUfunc_st *function) {
    switch (attr) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared(function, value);
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared)
          return cudaErrorInvalidValue;
        function->carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        function->large_clusters = value != 0;
        return cudaSuccess;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;  // a hint by CUDA's own definition
      default:
        return cudaErrorInvalidValue;
    }
  });
}

// Caches and banks of shared memory are not modelled: these two are hints by CUDA's own definition.
cudaError_t cudaFuncSetCacheConfig(const void *func, cudaFuncCache) {
  return function_call(func, [](const CUfunc_st *) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, cudaSharedMemConfig) {
  return function_call(func, [](const CUfunc_st *) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
  return function_call(func, [&](const CUfunc_st *function) {
    if (!name) return cudaErrorInvalidValue;
    *name = function->kernel->name;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
  return function_call(func, [&](const CUfunc_st *function) {
    if (paramIndex >= function->kernel->parameter_count) return cudaErrorInvalidValue;
    const Parameter &parameter = function->kernel->parameters[paramIndex];
    if (paramOffset) *paramOffset = parameter.offset;
    if (paramSize) *paramSize = parameter.size;
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr) {
  return function_call(symbolPtr, [&](CUfunc_st *function) {
    if (!functionPtr) return cudaErrorInvalidValue;
    *functionPtr = function;
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr) {
  return function_call(entryFuncAddr, [&](CUfunc_st *function) {
    if (!kernelPtr) return cudaErrorInvalidValue;
    *kernelPtr = reinterpret_cast<cudaKernel_t>(function);
    return cudaSuccess;
  });
}

// Devices of compute capability 1.3 and up have doubles: CUDA defines these two as doing nothing.
cudaError_t cudaSetDoubleForDevice(double *) {
  return api_call([] { return cudaSuccess; });
}

cudaError_t cudaSetDoubleForHost(double *) {
  return api_call([] { return cudaSuccess; });
}

}  // extern "C"

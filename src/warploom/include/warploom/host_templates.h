// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ face of the runtime API: typed pointers, symbols by reference, kernels by name. Included by cuda_runtime.h.
#ifndef WARPLOOM_HOST_TEMPLATES_H
#define WARPLOOM_HOST_TEMPLATES_H

#include "../channel_descriptor.h"
#include "../cuda_runtime_api.h"
#include "host_occupancy.h"
#ifdef __CUDACC__
#include "../surface_functions.h"
#include "../texture_indirect_functions.h"
#if __cplusplus >= 201103L
#include "../texture_fetch_functions.h"
#endif
#endif

// Code of such a function has the lines of its callers: what asks where it was called from learns that.
#ifdef __clang__
#define WARPLOOM_OF_THE_CALLER __attribute__((always_inline, nodebug))
#else
#define WARPLOOM_OF_THE_CALLER __attribute__((always_inline))
#endif

namespace warploom {

// The address by which the runtime knows a device variable on the host side.
template <class T>
inline const void *symbol_key(const T &symbol) {
  return const_cast<const void *>(static_cast<const volatile void *>(__builtin_addressof(symbol)));
}

// Before CUDA 5 a symbol could be named by a string.
template <size_t size>
inline const void *symbol_key(const char (&symbol)[size]) {
  return __warploom_symbol_key(symbol, symbol, size);
}

}  // namespace warploom

template <class T>
__host__ __device__ WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMalloc(T **pointer, size_t size) {
  return ::cudaMalloc((void **)(void *)pointer, size);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
  return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
  return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                                            unsigned int flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)pointer, size, flags);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)pointer, size, stream);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}

template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t length = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void *)pointer, length, flags);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *source, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(warploom::symbol_key(symbol), source, count, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *source, size_t count, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(warploom::symbol_key(symbol), source, count, offset, kind, stream);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *target, const T &symbol, size_t count, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(target, warploom::symbol_key(symbol), count, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *target, const T &symbol, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(target, warploom::symbol_key(symbol), count, offset, kind, stream);
}

template <class T>
inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
  return ::cudaGetSymbolAddress(pointer, warploom::symbol_key(symbol));
}

template <class T>
inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return ::cudaGetSymbolSize(size, warploom::symbol_key(symbol));
}

template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, size_t count, const T &symbol,
                                                  const void *source, size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count, warploom::symbol_key(symbol), source, size,
                                          offset, kind);
}

template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies, size_t count, void *target,
                                                    const T &symbol, size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count, target, warploom::symbol_key(symbol),
                                            size, offset, kind);
}

template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *source,
                                                        size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, warploom::symbol_key(symbol), source, size, offset, kind);
}

template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *target, const T &symbol,
                                                          size_t size, size_t offset, cudaMemcpyKind kind) {
  return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, target, warploom::symbol_key(symbol), size, offset, kind);
}

template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
                                                            const void *source, size_t size, size_t offset,
                                                            cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, warploom::symbol_key(symbol), source, size, offset,
                                                    kind);
}

template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *target,
                                                              const T &symbol, size_t size, size_t offset,
                                                              cudaMemcpyKind kind) {
  return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, target, warploom::symbol_key(symbol), size, offset,
                                                      kind);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                           size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                                                      void **arguments, size_t shared = 0,
                                                                      cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

template <class T>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaLaunch(T *kernel) {
  return ::cudaLaunch((const void *)kernel);
}

template <class T>
inline cudaError_t cudaSetupArgument(T argument, size_t offset) {
  return ::cudaSetupArgument((const void *)__builtin_addressof(argument), sizeof(T), offset);
}

template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
  return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class T>
inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}

template <class T>
inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}

template <class T>
inline cudaError_t cudaFuncGetName(const char **name, T *kernel) {
  return ::cudaFuncGetName(name, (const void *)kernel);
}

template <class T>
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *kernel) {
  return ::cudaGetFuncBySymbol(function, (const void *)kernel);
}

template <class T>
inline cudaError_t cudaGetKernel(cudaKernel_t *handle, T *kernel) {
  return ::cudaGetKernel(handle, (const void *)kernel);
}

#if __cplusplus >= 201103L

namespace warploom {

// Arguments converted to the kernel's parameter types live here until the launch has copied them.
template <class... Parameters>
WARPLOOM_OF_THE_CALLER inline cudaError_t launch_converted(const cudaLaunchConfig_t *config, const void *kernel,
                                                           Parameters... parameters) {
  void *addresses[] = {(void *)__builtin_addressof(parameters)..., nullptr};
  return ::cudaLaunchKernelExC(config, kernel, addresses);
}

}  // namespace warploom

template <class... Parameters, class... Arguments>
WARPLOOM_OF_THE_CALLER inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                             void (*kernel)(Parameters...), Arguments &&...arguments) {
  return warploom::launch_converted<Parameters...>(config, (const void *)kernel,
                                                   static_cast<Arguments &&>(arguments)...);
}

template <class... Parameters>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, void (*kernel)(Parameters...),
                                                        const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void *)kernel, config);
}
template <class... Parameters>
inline cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, void (*kernel)(Parameters...),
                                                  const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, (const void *)kernel, config);
}

#endif

#endif

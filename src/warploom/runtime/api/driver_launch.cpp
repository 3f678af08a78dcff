// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's streams, events and functions.
#include <cstring>
#include <vector>

#include "driver_helpers.h"
#include "warploom/host_occupancy.h"

namespace warploom {
namespace {

int attribute_of(const cudaFuncAttributes &attributes, CUfunction_attribute attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return attributes.maxThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(attributes.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(attributes.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(attributes.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return attributes.numRegs;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return attributes.ptxVersion;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return attributes.binaryVersion;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return attributes.cacheModeCA;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return attributes.maxDynamicSharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return attributes.preferredShmemCarveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return attributes.clusterDimMustBeSet;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return attributes.requiredClusterWidth;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return attributes.requiredClusterHeight;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return attributes.requiredClusterDepth;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return attributes.nonPortableClusterSizeAllowed;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return attributes.clusterSchedulingPolicyPreference;
    case CU_FUNC_ATTRIBUTE_MAX:
      break;
  }
  return -1;
}

}  // namespace

cudaError_t function_attribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  cudaFuncAttributes attributes;
  if (!value || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
  const cudaError_t error = cudaFuncGetAttributes(&attributes, function);
  if (error == cudaSuccess) *value = attribute_of(attributes, attribute);
  return error;
}

cudaError_t best_block(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, std::size_t shared,
                       int limit, unsigned flags) {
  if (!function || !find_function(function)) return cudaErrorInvalidResourceHandle;
  if (limit < 0) return cudaErrorInvalidValue;
  const auto shared_size = [&](int size) { return shared_of ? shared_of(size) : shared; };
  return best_block_size(grid, block, static_cast<const void *>(function), shared_size, limit, flags);
}

std::vector<void *> unpack(const Kernel &kernel, void **extra) {
  char *buffer = nullptr;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char *>(extra[1]);
  std::vector<void *> arguments;
  for (std::uint32_t i = 0; buffer && i < kernel.parameter_count; ++i)
    arguments.push_back(buffer + kernel.parameters[i].offset);
  return arguments;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority) {
  return driver_call([&] { return cudaStreamCreateWithPriority(phStream, flags, priority); });
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) {
  return cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult cuStreamDestroy(CUstream hStream) {
  return anywhere_call([&] { return cudaStreamDestroy(hStream); });
}

CUresult cuStreamQuery(CUstream hStream) {
  return stream_driver_call(hStream, [&] { return cudaStreamQuery(hStream); });
}

CUresult cuStreamSynchronize(CUstream hStream) {
  return stream_driver_call(hStream, [&] { return cudaStreamSynchronize(hStream); });
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return stream_driver_call(hStream, [&] { return cudaStreamWaitEvent(hStream, hEvent, Flags); });
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData) {
  return anywhere_call([&] { return cudaLaunchHostFunc(hStream, fn, userData); });
}

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags) {
  return driver_call([&] { return cudaEventCreateWithFlags(phEvent, Flags); });
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) {
  return stream_driver_call(hStream, [&] { return cudaEventRecord(hEvent, hStream); });
}

CUresult cuEventQuery(CUevent hEvent) {
  return anywhere_call([&] { return cudaEventQuery(hEvent); });
}

CUresult cuEventSynchronize(CUevent hEvent) {
  return anywhere_call([&] { return cudaEventSynchronize(hEvent); });
}

CUresult cuEventDestroy(CUevent hEvent) {
  return anywhere_call([&] { return cudaEventDestroy(hEvent); });
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd) {
  return anywhere_call([&] { return cudaEventElapsedTime(pMilliseconds, hStart, hEnd); });
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return anywhere_call([&] { return function_attribute(pi, attrib, hfunc); });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return anywhere_call([&] { return cudaFuncSetAttribute(hfunc, static_cast<cudaFuncAttribute>(attrib), value); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return anywhere_call([&] {
    if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) return cudaErrorInvalidValue;
    return cudaFuncSetCacheConfig(hfunc, static_cast<cudaFuncCache>(config));
  });
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                        unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                        unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
  return stream_driver_call(hStream, [&]() -> cudaError_t {
    const CUfunc_st *function = f ? find_function(f) : nullptr;
    if (!function) return cudaErrorInvalidResourceHandle;
    if (kernelParams && extra) return cudaErrorInvalidValue;
    std::vector<void *> unpacked = kernelParams ? std::vector<void *>() : unpack(*function->kernel, extra);
    void **arguments = kernelParams ? kernelParams : unpacked.empty() ? nullptr : unpacked.data();
    return cudaLaunchKernel(f, dim3(gridDimX, gridDimY, gridDimZ), dim3(blockDimX, blockDimY, blockDimZ), arguments,
                            sharedMemBytes, hStream);
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize) {
  return driver_call([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, static_cast<const void *>(func), blockSize,
                                                         dynamicSMemSize);
  });
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit) {
  return driver_call([&] {
    return best_block(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit,
                      cudaOccupancyDefault);
  });
}

CUresult cuProfilerStart() {
  return driver_call([] { return cudaProfilerStart(); });
}

CUresult cuProfilerStop() {
  return driver_call([] { return cudaProfilerStop(); });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuStreamDestroy, _v2);
WARPLOOM_DRIVER_VERSION(cuEventDestroy, _v2);
WARPLOOM_DRIVER_VERSION(cuEventElapsedTime, _v2);

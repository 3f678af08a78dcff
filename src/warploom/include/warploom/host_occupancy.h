// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The occupancy calculator's templates: the block size that fills a multiprocessor best.
#ifndef WARPLOOM_HOST_OCCUPANCY_H
#define WARPLOOM_HOST_OCCUPANCY_H

#include "../cuda_runtime_api.h"

namespace warploom {

struct ConstantSharedSize {
  size_t bytes;
  size_t operator()(int) const { return bytes; }
};

struct BlockSizeLimits {
  int threads_per_processor, processors, warp, largest;
};

inline cudaError_t block_size_limits(BlockSizeLimits *limits, const void *kernel, int block_size_limit) {
  int device = 0;
  cudaFuncAttributes attributes;
  cudaError_t error = ::cudaGetDevice(&device);
  if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&limits->threads_per_processor, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&limits->processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = ::cudaDeviceGetAttribute(&limits->warp, cudaDevAttrWarpSize, device);
  if (error != cudaSuccess) return error;
  limits->largest = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limits->largest) limits->largest = block_size_limit;
  return cudaSuccess;
}

// Tries every whole number of warps, largest first, and keeps the first that has the most threads resident.
template <class SharedSize>
inline cudaError_t best_block_size(int *min_grid, int *block, const void *kernel, SharedSize shared_size,
                                   int block_size_limit, unsigned int flags) {
  if (!min_grid || !block || !kernel) return cudaErrorInvalidValue;
  BlockSizeLimits limits;
  cudaError_t error = block_size_limits(&limits, kernel, block_size_limit);
  if (error != cudaSuccess) return error;
  int best_threads = 0;
  *min_grid = *block = 0;
  for (int aligned = (limits.largest + limits.warp - 1) / limits.warp * limits.warp; aligned > 0;
       aligned -= limits.warp) {
    const int size = aligned < limits.largest ? aligned : limits.largest;
    int blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, size, shared_size(size), flags);
    if (error != cudaSuccess) return error;
    if (blocks * size > best_threads) {
      best_threads = blocks * size;
      *block = size;
      *min_grid = blocks * limits.processors;
    }
    if (best_threads == limits.threads_per_processor) break;
  }
  return cudaSuccess;
}

}  // namespace warploom

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size,
                                                                 size_t dynamic_shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size,
                                                                  dynamic_shared, cudaOccupancyDefault);
}

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size,
                                                                          size_t dynamic_shared, unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size,
                                                                  dynamic_shared, flags);
}

template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block, T kernel, size_t dynamic_shared = 0,
                                                      int block_size_limit = 0) {
  const warploom::ConstantSharedSize shared = {dynamic_shared};
  return warploom::best_block_size(min_grid, block, (const void *)kernel, shared, block_size_limit,
                                   cudaOccupancyDefault);
}

template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block, T kernel,
                                                               size_t dynamic_shared = 0, int block_size_limit = 0,
                                                               unsigned int flags = 0) {
  const warploom::ConstantSharedSize shared = {dynamic_shared};
  return warploom::best_block_size(min_grid, block, (const void *)kernel, shared, block_size_limit, flags);
}

template <class SharedSize, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block, T kernel,
                                                                  SharedSize shared_size, int block_size_limit = 0) {
  return warploom::best_block_size(min_grid, block, (const void *)kernel, shared_size, block_size_limit,
                                   cudaOccupancyDefault);
}

template <class SharedSize, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid, int *block, T kernel,
                                                                           SharedSize shared_size,
                                                                           int block_size_limit = 0,
                                                                           unsigned int flags = 0) {
  return warploom::best_block_size(min_grid, block, (const void *)kernel, shared_size, block_size_limit, flags);
}

template <class T>
inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T kernel, int blocks, int block_size) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, block_size);
}

#endif

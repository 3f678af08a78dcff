// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks a multiprocessor holds: the rules of compute capability 8.0 for threads, blocks and shared memory.
#include <algorithm>

#include "error.h"
#include "launch.h"

namespace warploom {
namespace {

constexpr std::size_t kSharedUnit = 128;

int warps_of(int threads) { return (threads + kWarpSize - 1) / kWarpSize; }

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

int blocks_by_threads(int block_size) {
  return std::min(kMaxThreadsPerProcessor / kWarpSize / warps_of(block_size), kMaxBlocksPerProcessor);
}

// 0: none.
dim3 asked_cluster(const cudaLaunchConfig_t &config) {
  dim3 asked(0, 0, 0);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto &dim = config.attrs[i].val.clusterDim;
    asked = {dim.x, dim.y, dim.z};
  }
  return asked;
}

}  // namespace

int resident_blocks(const CUfunc_st &function, int block_size, std::size_t dynamic_shared) {
  if (block_size > kMaxThreadsPerBlock) return 0;
  if (dynamic_shared > function.max_dynamic_shared) return 0;
  const std::size_t shared = round_up(function.kernel->static_shared + dynamic_shared, kSharedUnit) + kSharedReserved;
  return std::min(blocks_by_threads(block_size), static_cast<int>(kSharedPerProcessor / shared));
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                   size_t dynamicSMemSize, unsigned int flags) {
  return api_call([&] {
    if (!numBlocks || blockSize <= 0 || (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride)))
      return cudaErrorInvalidValue;
    const CUfunc_st *function = func ? find_function(func) : nullptr;
    if (!function) return no_kernel(func);
    *numBlocks = resident_blocks(*function, blockSize, dynamicSMemSize);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                      int blockSize) {
  return api_call([&] {
    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0) return cudaErrorInvalidValue;
    const CUfunc_st *function = func ? find_function(func) : nullptr;
    if (!function) return no_kernel(func);
    if (blockSize > kMaxThreadsPerBlock || numBlocks > blocks_by_threads(blockSize)) return cudaErrorInvalidValue;
    const std::size_t share = kSharedPerProcessor / static_cast<unsigned>(numBlocks) / kSharedUnit * kSharedUnit;
    const std::size_t taken = kSharedReserved + function->kernel->static_shared;
    *dynamicSmemSize = share > taken ? std::min(share - taken, function->max_dynamic_shared) : 0;
    return cudaSuccess;
  });
}

// Clusters run one after the other where there are fewer processors than blocks in one.
cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func, const cudaLaunchConfig_t *config) {
  return api_call([&]() -> cudaError_t {
    const CUfunc_st *function = func ? find_function(func) : nullptr;
    if (!function) return no_kernel(func);
    if (!numClusters || !config) return cudaErrorInvalidValue;
    const dim3 asked = asked_cluster(*config);
    Extent cluster;
    if (const cudaError_t error = find_cluster(*function, config->gridDim, asked, cluster); error != cudaSuccess)
      return error;
    if (asked.x == 0 && function->kernel->cluster[0] == 0) {
      *numClusters = 0;  // it has no clusters
      return cudaSuccess;
    }
    const dim3 &block = config->blockDim;
    const int resident =
        resident_blocks(*function, static_cast<int>(block.x * block.y * block.z), config->dynamicSmemBytes);
    const auto blocks = static_cast<int>(processor_count()) * resident;
    *numClusters = resident == 0 ? 0 : std::max(1, blocks / static_cast<int>(cluster.count()));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func, const cudaLaunchConfig_t *config) {
  return api_call([&]() -> cudaError_t {
    const CUfunc_st *function = func ? find_function(func) : nullptr;
    if (!function) return no_kernel(func);
    if (!clusterSize || !config) return cudaErrorInvalidValue;
    Extent cluster;
    const cudaError_t error = find_cluster(*function, config->gridDim, asked_cluster(*config), cluster);
    if (error == cudaSuccess) *clusterSize = largest_cluster(*function);
    return error;
  });
}

}  // extern "C"

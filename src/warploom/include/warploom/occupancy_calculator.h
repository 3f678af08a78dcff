// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of cuda_occupancy.h.
#pragma once

#define WARPLOOM_OCC static inline

WARPLOOM_OCC size_t warploom_occ_round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }
WARPLOOM_OCC int warploom_occ_least(int a, int b) { return a < b ? a : b; }
WARPLOOM_OCC int warploom_occ_capability(const cudaOccDeviceProp *p) { return p->computeMajor * 10 + p->computeMinor; }

// Blocks that a multiprocessor of the compute capability holds at most; 0 for one that is not known.
WARPLOOM_OCC int warploom_occ_most_blocks(const cudaOccDeviceProp *p) {
  switch (warploom_occ_capability(p)) {
    case 75:
    case 86:
    case 87:
      return 16;
    case 89:
    case 120:
    case 121:
      return 24;
    default:
      return p->computeMajor >= 6 && p->computeMajor <= 12 ? 32 : 0;
  }
}

// The least of the sizes that shared memory can be set to, in KB, that holds `bytes`; the largest when none does.
WARPLOOM_OCC size_t warploom_occ_capacity(const cudaOccDeviceProp *p, size_t bytes) {
  static const int turing[] = {32, 64, 0}, others[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 0};
  const int *sizes = warploom_occ_capability(p) == 75 ? turing : others;
  const size_t most = p->sharedMemPerMultiprocessor;
  if (p->computeMajor < 7) return most;
  for (int i = 0; i == 0 || sizes[i] != 0; ++i) {
    const size_t size = (size_t)sizes[i] * 1024;
    if (size >= most) break;
    if (size >= bytes) return size;
  }
  return most;
}

// What is asked to be shared memory of the memory that is also the first cache.
WARPLOOM_OCC size_t warploom_occ_preferred(const cudaOccDeviceProp *p, const cudaOccDeviceState *state) {
  const size_t most = p->sharedMemPerMultiprocessor;
  if (state->carveoutConfig != SHAREDMEM_CARVEOUT_DEFAULT) return most * (size_t)state->carveoutConfig / 100;
  switch (state->cacheConfig) {
    case CACHE_PREFER_L1:
      return 0;
    case CACHE_PREFER_EQUAL:
      return most / 2;
    default:
      return most;
  }
}

WARPLOOM_OCC cudaOccError warploom_occ_check(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                             const cudaOccDeviceState *s) {
  if (!p || !a || !s) return CUDA_OCC_ERROR_INVALID_INPUT;
  if (p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 || p->regsPerMultiprocessor <= 0 ||
      p->warpSize <= 0 || p->numSms <= 0 || a->maxThreadsPerBlock <= 0 || a->numRegs < 0 || a->numBlockBarriers < 0) {
    return CUDA_OCC_ERROR_INVALID_INPUT;
  }
  if (s->carveoutConfig < SHAREDMEM_CARVEOUT_DEFAULT || s->carveoutConfig > SHAREDMEM_CARVEOUT_MAX_SHARED) {
    return CUDA_OCC_ERROR_INVALID_INPUT;
  }
  return warploom_occ_most_blocks(p) == 0 ? CUDA_OCC_ERROR_UNKNOWN_DEVICE : CUDA_OCC_SUCCESS;
}

// A multiprocessor has four parts with registers of their own; a warp gets them in units of 256.
WARPLOOM_OCC void warploom_occ_registers(cudaOccResult *r, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                         int warps) {
  const int parts = warploom_occ_capability(p) == 60 ? 2 : 4;
  const int of_warp = (int)warploom_occ_round_up((size_t)(a->numRegs * p->warpSize), 256);
  r->allocatedRegistersPerBlock = of_warp * warps;
  r->blockLimitRegs = INT_MAX;
  if (of_warp == 0) return;
  if ((int)warploom_occ_round_up((size_t)warps, (size_t)parts) * of_warp > p->regsPerBlock) {
    r->blockLimitRegs = 0;
    return;
  }
  r->blockLimitRegs = p->regsPerMultiprocessor / parts / of_warp * parts / warps;
}

WARPLOOM_OCC void warploom_occ_shared(cudaOccResult *r, const cudaOccDeviceProp *p, const cudaOccFuncAttributes *a,
                                      const cudaOccDeviceState *s, size_t dynamic) {
  const size_t unit = p->computeMajor >= 8 ? 128 : 256, asked = a->sharedSizeBytes + dynamic;
  const size_t limit = a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN ? p->sharedMemPerBlockOptin : p->sharedMemPerBlock;
  const size_t taken = warploom_occ_round_up(asked + p->reservedSharedMemPerBlock, unit);
  const size_t preferred = warploom_occ_preferred(p, s);
  const size_t capacity = warploom_occ_capacity(p, preferred > taken ? preferred : taken);
  r->allocatedSharedMemPerBlock = taken;
  if (asked > limit || taken > p->sharedMemPerMultiprocessor) {
    r->blockLimitSharedMem = 0;
  } else {
    r->blockLimitSharedMem = taken == 0 ? INT_MAX : (int)(capacity / taken);
  }
}

WARPLOOM_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *result,
                                                                  const cudaOccDeviceProp *properties,
                                                                  const cudaOccFuncAttributes *attributes,
                                                                  const cudaOccDeviceState *state, int blockSize,
                                                                  size_t dynamicSmemSize) {
  const cudaOccError error = warploom_occ_check(properties, attributes, state);
  if (error != CUDA_OCC_SUCCESS) return error;
  if (!result || blockSize <= 0) return CUDA_OCC_ERROR_INVALID_INPUT;
  const int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
  const int largest = properties->maxThreadsPerBlock;
  result->blockLimitBlocks = warploom_occ_most_blocks(properties);
  const int barriers = result->blockLimitBlocks * (properties->computeMajor >= 12 ? 1 : 2);
  const int counts = properties->computeMajor >= 9 && attributes->numBlockBarriers != 0;
  result->blockLimitBarriers = counts ? barriers / attributes->numBlockBarriers : INT_MAX;
  result->blockLimitWarps =
      blockSize > largest ? 0 : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
  warploom_occ_registers(result, properties, attributes, warps);
  warploom_occ_shared(result, properties, attributes, state, dynamicSmemSize);
  int blocks = warploom_occ_least(result->blockLimitWarps, result->blockLimitBlocks);
  blocks = warploom_occ_least(blocks, warploom_occ_least(result->blockLimitRegs, result->blockLimitSharedMem));
  result->limitingFactors = (result->blockLimitWarps == blocks ? OCC_LIMIT_WARPS : 0u) |
                            (result->blockLimitRegs == blocks ? OCC_LIMIT_REGISTERS : 0u) |
                            (result->blockLimitSharedMem == blocks ? OCC_LIMIT_SHARED_MEMORY : 0u) |
                            (result->blockLimitBlocks == blocks ? OCC_LIMIT_BLOCKS : 0u);
  // Barriers are named beside what else is scarcest, not in its place.
  if (result->blockLimitBarriers <= blocks) result->limitingFactors |= OCC_LIMIT_BARRIERS;
  result->activeBlocksPerMultiprocessor = warploom_occ_least(blocks, result->blockLimitBarriers);
  result->partitionedGCConfig = PARTITIONED_GC_OFF;
  return CUDA_OCC_SUCCESS;
}

// The most dynamic shared memory that leaves room for `numBlocks` blocks.
WARPLOOM_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *bytesAvailable,
                                                              const cudaOccDeviceProp *properties,
                                                              const cudaOccFuncAttributes *attributes,
                                                              const cudaOccDeviceState *state, int numBlocks,
                                                              int blockSize) {
  cudaOccResult result;
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
  if (error != CUDA_OCC_SUCCESS) return error;
  if (!bytesAvailable || numBlocks <= 0 || numBlocks > result.activeBlocksPerMultiprocessor) {
    return CUDA_OCC_ERROR_INVALID_INPUT;
  }
  const size_t unit = properties->computeMajor >= 8 ? 128 : 256;
  const size_t capacity = warploom_occ_capacity(properties, warploom_occ_preferred(properties, state));
  const size_t share = capacity / (size_t)numBlocks / unit * unit;
  const size_t taken = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock;
  const size_t room = share > taken ? share - taken : 0, most = attributes->maxDynamicSharedSizeBytes;
  *bytesAvailable = room < most ? room : most;
  return CUDA_OCC_SUCCESS;
}

#ifdef __cplusplus
namespace warploom {

// Tries every whole number of warps, largest first, and keeps the first that has the most threads resident.
template <class SharedSize>
inline cudaOccError occ_best_block_size(int *min_grid, int *block, const cudaOccDeviceProp *properties,
                                        const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
                                        SharedSize shared_size) {
  const cudaOccError error = warploom_occ_check(properties, attributes, state);
  if (error != CUDA_OCC_SUCCESS) return error;
  if (!min_grid || !block) return CUDA_OCC_ERROR_INVALID_INPUT;
  const int warp = properties->warpSize;
  const int largest = warploom_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);
  int most = 0;
  *min_grid = *block = 0;
  for (int aligned = (largest + warp - 1) / warp * warp; aligned > 0; aligned -= warp) {
    const int size = warploom_occ_least(aligned, largest);
    cudaOccResult result;
    cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, size, shared_size(size));
    const int blocks = result.activeBlocksPerMultiprocessor;
    if (blocks * size > most) {
      most = blocks * size;
      *block = size;
      *min_grid = blocks * properties->numSms;
    }
    if (most == properties->maxThreadsPerMultiprocessor) break;
  }
  return CUDA_OCC_SUCCESS;
}

}  // namespace warploom

// `blockSizeToDynamicSMemSize` gives the dynamic shared memory of a block size; without it every block has the same.
inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
    const cudaOccDeviceState *state, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize = 0) {
  return warploom::occ_best_block_size(minGridSize, blockSize, properties, attributes, state, [&](int size) {
    return blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
  });
}
inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
                                                          const cudaOccDeviceProp *properties,
                                                          const cudaOccFuncAttributes *attributes,
                                                          const cudaOccDeviceState *state, size_t dynamicSMemSize = 0) {
  return warploom::occ_best_block_size(minGridSize, blockSize, properties, attributes, state,
                                       [=](int) { return dynamicSMemSize; });
}
template <class SharedSize>
inline cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(int *minGridSize, int *blockSize,
                                                                      const cudaOccDeviceProp *properties,
                                                                      const cudaOccFuncAttributes *attributes,
                                                                      const cudaOccDeviceState *state,
                                                                      SharedSize blockSizeToDynamicSMemSize) {
  return warploom::occ_best_block_size(minGridSize, blockSize, properties, attributes, state,
                                       blockSizeToDynamicSMemSize);
}
#endif
#undef WARPLOOM_OCC

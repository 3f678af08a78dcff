// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The occupancy calculator: how many blocks of a kernel one multiprocessor of a GPU holds, by the limits that NVIDIA
// documents for each compute capability from 6.0 on. It asks no device: whoever calls describes one.
#ifndef WARPLOOM_CUDA_OCCUPANCY_H
#define WARPLOOM_CUDA_OCCUPANCY_H

#include <limits.h>
#include <stddef.h>

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_INPUT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2,
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum {
  PARTITIONED_GC_OFF,
  PARTITIONED_GC_ON,
  PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;
typedef enum cudaOccFuncShmemConfig_enum { FUNC_SHMEM_LIMIT_DEFAULT, FUNC_SHMEM_LIMIT_OPTIN } cudaOccFuncShmemConfig;
typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE,
  CACHE_PREFER_SHARED,
  CACHE_PREFER_L1,
  CACHE_PREFER_EQUAL
} cudaOccCacheConfig;
typedef enum cudaOccCarveoutConfig_enum {
  SHAREDMEM_CARVEOUT_DEFAULT = -1,
  SHAREDMEM_CARVEOUT_MAX_L1 = 0,
  SHAREDMEM_CARVEOUT_HALF = 50,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100
} cudaOccCarveoutConfig;
typedef enum cudaOccLimitingFactor_enum {
  OCC_LIMIT_WARPS = 0x01,
  OCC_LIMIT_REGISTERS = 0x02,
  OCC_LIMIT_SHARED_MEMORY = 0x04,
  OCC_LIMIT_BLOCKS = 0x08,
  OCC_LIMIT_BARRIERS = 0x10
} cudaOccLimitingFactor;

struct cudaOccDeviceProp {
  int computeMajor, computeMinor;
  int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
  int regsPerBlock, regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
  cudaOccDeviceProp()
      : computeMajor(0),
        computeMinor(0),
        maxThreadsPerBlock(0),
        maxThreadsPerMultiprocessor(0),
        regsPerBlock(0),
        regsPerMultiprocessor(0),
        warpSize(0),
        sharedMemPerBlock(0),
        sharedMemPerMultiprocessor(0),
        numSms(0),
        sharedMemPerBlockOptin(0),
        reservedSharedMemPerBlock(0) {}
  template <class Properties>
  cudaOccDeviceProp(const Properties &p)
      : computeMajor(p.major),
        computeMinor(p.minor),
        maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
        regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerMultiprocessor),
        warpSize(p.warpSize),
        sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
        numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
#endif
};

struct cudaOccFuncAttributes {
  int maxThreadsPerBlock, numRegs;
  size_t sharedSizeBytes;
  cudaOccPartitionedGCConfig partitionedGCConfig;
  cudaOccFuncShmemConfig shmemLimitConfig;
  size_t maxDynamicSharedSizeBytes;
  int numBlockBarriers;
#ifdef __cplusplus
  cudaOccFuncAttributes()
      : maxThreadsPerBlock(0),
        numRegs(0),
        sharedSizeBytes(0),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
        maxDynamicSharedSizeBytes(0),
        numBlockBarriers(0) {}
  template <class Attributes>
  cudaOccFuncAttributes(const Attributes &a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock),
        numRegs(a.numRegs),
        sharedSizeBytes(a.sharedSizeBytes),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
        maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes),
        numBlockBarriers(1) {}
#endif
};

struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig;
  int carveoutConfig;  // percent of the largest share of shared memory, or one of cudaOccCarveoutConfig
#ifdef __cplusplus
  cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
};

struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned int limitingFactors;
  int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
};
typedef struct cudaOccDeviceProp cudaOccDeviceProp;
typedef struct cudaOccFuncAttributes cudaOccFuncAttributes;
typedef struct cudaOccDeviceState cudaOccDeviceState;
typedef struct cudaOccResult cudaOccResult;

#include "warploom/occupancy_calculator.h"

#endif

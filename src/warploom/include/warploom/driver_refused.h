// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver API's functions that are refused take: structures that nobody has to fill in, handles that nobody
// gets, and numbers. Included by cuda.h.
#ifndef WARPLOOM_DRIVER_REFUSED_H
#define WARPLOOM_DRIVER_REFUSED_H

typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st CUDA_ARRAY_MEMORY_REQUIREMENTS;
typedef struct CUDA_ARRAY_SPARSE_PROPERTIES_st CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_st CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
typedef struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st CUDA_EXT_SEM_WAIT_NODE_PARAMS;
typedef struct CUDA_LAUNCH_PARAMS_st CUDA_LAUNCH_PARAMS;
typedef struct CUarrayMapInfo_st CUarrayMapInfo;
typedef struct CUcheckpointCheckpointArgs_st CUcheckpointCheckpointArgs;
typedef struct CUcheckpointLockArgs_st CUcheckpointLockArgs;
typedef struct CUcheckpointRestoreArgs_st CUcheckpointRestoreArgs;
typedef struct CUcheckpointUnlockArgs_st CUcheckpointUnlockArgs;
typedef struct CUdevResource_st CUdevResource;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUmemDecompressParams_st CUmemDecompressParams;
typedef struct CUmulticastObjectProp_st CUmulticastObjectProp;
typedef struct CUtensorMap_st CUtensorMap;

typedef struct CUexternalMemory_st *CUexternalMemory;
typedef struct CUexternalSemaphore_st *CUexternalSemaphore;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUtexref_st *CUtexref;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUasyncCallbackHandle_st *CUasyncCallbackHandle;
typedef struct CUlogsCallbackHandle_st *CUlogsCallbackHandle;

// Enumerations, whose names are not defined.
typedef unsigned int CUatomicOperation;
typedef unsigned int CUcoredumpSettings;
typedef unsigned int CUdevResourceType;
typedef unsigned int CUflushGPUDirectRDMAWritesScope;
typedef unsigned int CUflushGPUDirectRDMAWritesTarget;
typedef unsigned int CUmemRangeHandleType;
typedef unsigned int CUmulticastGranularity_flags;
typedef unsigned int CUprocessState;
typedef unsigned int CUtensorMapDataType;
typedef unsigned int CUtensorMapFloatOOBfill;
typedef unsigned int CUtensorMapIm2ColWideMode;
typedef unsigned int CUtensorMapInterleave;
typedef unsigned int CUtensorMapL2promotion;
typedef unsigned int CUtensorMapSwizzle;

typedef unsigned int CUlogIterator;
typedef void (*CUlogsCallback)(void *data, unsigned int level, char *message, size_t length);
typedef void (*CUasyncCallback)(void *information, void *data, CUasyncCallbackHandle callback);

#define WARPLOOM_REFUSED(name, parameters) WARPLOOM_DRIVER_API CUresult name parameters;
#include "driver_refused.def"
#undef WARPLOOM_REFUSED

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime API's functions that are refused take; see driver_refused.h. Included by cuda_runtime_api.h inside
// extern "C".
typedef struct cudaArrayMemoryRequirements cudaArrayMemoryRequirements;
typedef struct cudaArraySparseProperties cudaArraySparseProperties;
typedef struct cudaExternalMemoryBufferDesc cudaExternalMemoryBufferDesc;
typedef struct cudaExternalMemoryHandleDesc cudaExternalMemoryHandleDesc;
typedef struct cudaExternalMemoryMipmappedArrayDesc cudaExternalMemoryMipmappedArrayDesc;
typedef struct cudaExternalSemaphoreHandleDesc cudaExternalSemaphoreHandleDesc;
typedef struct cudaExternalSemaphoreSignalParams cudaExternalSemaphoreSignalParams;
typedef struct cudaExternalSemaphoreWaitParams cudaExternalSemaphoreWaitParams;
typedef struct cudaExternalSemaphoreSignalNodeParams cudaExternalSemaphoreSignalNodeParams;
typedef struct cudaExternalSemaphoreWaitNodeParams cudaExternalSemaphoreWaitNodeParams;

typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef struct CUlogsCallbackHandle_st *cudaLogsCallbackHandle;

// Enumerations, whose names are not defined.
typedef unsigned int cudaAtomicOperation;
typedef unsigned int cudaLogIterator;
typedef void (*cudaLogsCallback_t)(void *data, unsigned int level, char *message, size_t length);
typedef void (*cudaAsyncCallback)(void *information, void *data, cudaAsyncCallbackHandle_t callback);

#define WARPLOOM_REFUSED(name, parameters) WARPLOOM_API cudaError_t name parameters;
#include "../runtime_refused.def"
#undef WARPLOOM_REFUSED

// -- found by name, and many copies at once

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2
};
enum cudaGetDriverEntryPointFlags {
  cudaEnableDefault = 0,
  cudaEnableLegacyStream = 1,
  cudaEnablePerThreadDefaultStream = 2
};
WARPLOOM_API cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *driverStatus WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *driverStatus WARPLOOM_DEFAULT(0));

enum cudaMemcpySrcAccessOrder {
  cudaMemcpySrcAccessOrderInvalid = 0,
  cudaMemcpySrcAccessOrderStream = 1,
  cudaMemcpySrcAccessOrderDuringApiCall = 2,
  cudaMemcpySrcAccessOrderAny = 3
};
struct cudaMemcpyAttributes {
  enum cudaMemcpySrcAccessOrder srcAccessOrder;
  struct cudaMemLocation srcLocHint;
  struct cudaMemLocation dstLocHint;
  unsigned int flags;
};
WARPLOOM_API cudaError_t cudaMemcpyBatchAsync(const void **dsts, const void **srcs, const size_t *sizes, size_t count,
                                              struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                              cudaStream_t stream);
WARPLOOM_API cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                   struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                   size_t numPrefetchLocs, unsigned long long flags,
                                                   cudaStream_t stream);
WARPLOOM_API cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                                  cudaStream_t stream);
WARPLOOM_API cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                             struct cudaMemLocation *prefetchLocs,
                                                             size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                             unsigned long long flags, cudaStream_t stream);

enum cudaMemcpy3DOperandType { cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray = 2 };
struct cudaOffset3D {
  size_t x, y, z;
};
struct cudaMemcpy3DOperand {
  enum cudaMemcpy3DOperandType type;
  union {
    struct {
      void *ptr;
      size_t rowLength;
      size_t layerHeight;
      struct cudaMemLocation locHint;
    } ptr;
    struct {
      cudaArray_t array;
      struct cudaOffset3D offset;
    } array;
  } op;
};
struct cudaMemcpy3DBatchOp {
  struct cudaMemcpy3DOperand src;
  struct cudaMemcpy3DOperand dst;
  struct cudaExtent extent;
  enum cudaMemcpySrcAccessOrder srcAccessOrder;
  unsigned int flags;
};
WARPLOOM_API cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                                unsigned long long flags, cudaStream_t stream);

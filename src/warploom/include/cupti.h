/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   CUPTI: what profilers within a program ask for. Callbacks at calls of the runtime and the driver API; records of
   kernels, copies, fills, calls, NVTX ranges and marks, the device, the context and outer ids. A record has the newest
   layout, and its older names are other names of it. Counters of the hardware (events, metrics, the Profiling and PC
   Sampling APIs) have no like on a CPU: their calls return CUPTI_ERROR_NOT_SUPPORTED, and say so. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cuda.h"
#include "cuda_runtime_api.h"

#define CUPTI_API_VERSION 130000
#define CUPTIAPI
#define CUPTI_INVALID_CONTEXT_ID 0xffffffffU
#define CUPTI_INVALID_STREAM_ID 0xffffffffU
#define CUPTI_CORRELATION_ID_UNKNOWN 0
#define CUPTI_GRID_ID_UNKNOWN 0LL
#define CUPTI_SOURCE_LOCATOR_ID_UNKNOWN 0
#define CUPTI_TIMESTAMP_UNKNOWN 0LL

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define WARPLOOM_CUPTI_RESULTS(X)                 \
  X(SUCCESS, 0)                                   \
  X(ERROR_INVALID_PARAMETER, 1)                   \
  X(ERROR_INVALID_DEVICE, 2)                      \
  X(ERROR_INVALID_CONTEXT, 3)                     \
  X(ERROR_INVALID_OPERATION, 7)                   \
  X(ERROR_OUT_OF_MEMORY, 8)                       \
  X(ERROR_HARDWARE, 9)                            \
  X(ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, 10)      \
  X(ERROR_API_NOT_IMPLEMENTED, 11)                \
  X(ERROR_MAX_LIMIT_REACHED, 12)                  \
  X(ERROR_NOT_READY, 13)                          \
  X(ERROR_NOT_COMPATIBLE, 14)                     \
  X(ERROR_NOT_INITIALIZED, 15)                    \
  X(ERROR_QUEUE_EMPTY, 18)                        \
  X(ERROR_INVALID_HANDLE, 19)                     \
  X(ERROR_INVALID_STREAM, 20)                     \
  X(ERROR_INVALID_KIND, 21)                       \
  X(ERROR_DISABLED, 23)                           \
  X(ERROR_NOT_SUPPORTED, 27)                      \
  X(ERROR_INSUFFICIENT_PRIVILEGES, 35)            \
  X(ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39) \
  X(ERROR_UNKNOWN, 999)
#define WARPLOOM_CUPTI_RESULT(name, number) CUPTI_##name = number,
typedef enum { WARPLOOM_CUPTI_RESULTS(WARPLOOM_CUPTI_RESULT) CUPTI_ERROR_FORCE_INT = 0x7fffffff } CUptiResult;
#undef WARPLOOM_CUPTI_RESULT

CUptiResult cuptiGetResultString(CUptiResult result, const char **str);
CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **str);
CUptiResult cuptiGetLastError(void);
CUptiResult cuptiGetVersion(uint32_t *version);
CUptiResult cuptiGetTimestamp(uint64_t *timestamp);
CUptiResult cuptiGetContextId(CUcontext context, uint32_t *contextId);
CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *deviceId);
CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t *streamId);
CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThreadStream, uint32_t *streamId);
CUptiResult cuptiGetThreadIdType(uint32_t *type);
CUptiResult cuptiFinalize(void);

/* Callbacks. */

typedef enum {
  CUPTI_CB_DOMAIN_INVALID = 0,
  CUPTI_CB_DOMAIN_DRIVER_API = 1,
  CUPTI_CB_DOMAIN_RUNTIME_API = 2,
  CUPTI_CB_DOMAIN_RESOURCE = 3,
  CUPTI_CB_DOMAIN_SYNCHRONIZE = 4,
  CUPTI_CB_DOMAIN_NVTX = 5,
  CUPTI_CB_DOMAIN_STATE = 6,
  CUPTI_CB_DOMAIN_SIZE
} CUpti_CallbackDomain;

typedef enum { CUPTI_API_ENTER = 0, CUPTI_API_EXIT = 1 } CUpti_ApiCallbackSite;
typedef uint32_t CUpti_CallbackId;

/* functionParams: of the functions that have a ..._params structure below; of others null. */
typedef struct {
  CUpti_ApiCallbackSite callbackSite;
  const char *functionName;
  const void *functionParams;
  void *functionReturnValue; /* CUresult or cudaError_t; null at the entry */
  const char *symbolName;    /* of the kernel that is launched, mangled; else null */
  CUcontext context;
  uint32_t contextUid;
  uint64_t *correlationData; /* for the callback, from the entry of a call to its end */
  uint32_t correlationId;
} CUpti_CallbackData;

typedef void (*CUpti_CallbackFunc)(void *userdata, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                                   const void *cbdata);
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef CUpti_CallbackDomain *CUpti_DomainTable;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *userdata);
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid);
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain);
CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber);
CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId cbid);
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name);
CUptiResult cuptiSupportedDomains(size_t *domainCount, CUpti_DomainTable *domainTable);

#include "warploom/cupti_calls.h"

/* Activity records. */

typedef enum {
  CUPTI_ACTIVITY_KIND_INVALID = 0,
  CUPTI_ACTIVITY_KIND_MEMCPY = 1,
  CUPTI_ACTIVITY_KIND_MEMSET = 2,
  CUPTI_ACTIVITY_KIND_KERNEL = 3,
  CUPTI_ACTIVITY_KIND_DRIVER = 4,
  CUPTI_ACTIVITY_KIND_RUNTIME = 5,
  CUPTI_ACTIVITY_KIND_EVENT = 6,
  CUPTI_ACTIVITY_KIND_METRIC = 7,
  CUPTI_ACTIVITY_KIND_DEVICE = 8,
  CUPTI_ACTIVITY_KIND_CONTEXT = 9,
  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
  CUPTI_ACTIVITY_KIND_NAME = 11,
  CUPTI_ACTIVITY_KIND_MARKER = 12,
  CUPTI_ACTIVITY_KIND_MARKER_DATA = 13,
  CUPTI_ACTIVITY_KIND_SOURCE_LOCATOR = 14,
  CUPTI_ACTIVITY_KIND_GLOBAL_ACCESS = 15,
  CUPTI_ACTIVITY_KIND_BRANCH = 16,
  CUPTI_ACTIVITY_KIND_OVERHEAD = 17,
  CUPTI_ACTIVITY_KIND_CDP_KERNEL = 18,
  CUPTI_ACTIVITY_KIND_PREEMPTION = 19,
  CUPTI_ACTIVITY_KIND_ENVIRONMENT = 20,
  CUPTI_ACTIVITY_KIND_EVENT_INSTANCE = 21,
  CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
  CUPTI_ACTIVITY_KIND_METRIC_INSTANCE = 23,
  CUPTI_ACTIVITY_KIND_INSTRUCTION_EXECUTION = 24,
  CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER = 25,
  CUPTI_ACTIVITY_KIND_FUNCTION = 26,
  CUPTI_ACTIVITY_KIND_MODULE = 27,
  CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE = 28,
  CUPTI_ACTIVITY_KIND_SHARED_ACCESS = 29,
  CUPTI_ACTIVITY_KIND_PC_SAMPLING = 30,
  CUPTI_ACTIVITY_KIND_CUDA_EVENT = 36,
  CUPTI_ACTIVITY_KIND_STREAM = 37,
  CUPTI_ACTIVITY_KIND_SYNCHRONIZATION = 38,
  CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION = 39,
  CUPTI_ACTIVITY_KIND_NVLINK = 40,
  CUPTI_ACTIVITY_KIND_MEMORY = 45,
  CUPTI_ACTIVITY_KIND_PCIE = 46,
  CUPTI_ACTIVITY_KIND_OPENMP = 47,
  CUPTI_ACTIVITY_KIND_MEMORY2 = 49,
  CUPTI_ACTIVITY_KIND_MEMORY_POOL = 50,
  CUPTI_ACTIVITY_KIND_GRAPH_TRACE = 51,
  CUPTI_ACTIVITY_KIND_JIT = 52,
  CUPTI_ACTIVITY_KIND_COUNT,
  CUPTI_ACTIVITY_KIND_FORCE_INT = 0x7fffffff
} CUpti_ActivityKind;

typedef enum {
  CUPTI_ACTIVITY_FLAG_NONE = 0,
  CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC = 1,
  CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1,
  CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS = 1,
  CUPTI_ACTIVITY_FLAG_MARKER_START = 2,
  CUPTI_ACTIVITY_FLAG_MARKER_END = 4
} CUpti_ActivityFlag;

typedef enum {
  CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN = 0,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOA = 3,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOH = 4,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOA = 5,
  CUPTI_ACTIVITY_MEMCPY_KIND_ATOD = 6,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOA = 7,
  CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8,
  CUPTI_ACTIVITY_MEMCPY_KIND_HTOH = 9,
  CUPTI_ACTIVITY_MEMCPY_KIND_PTOP = 10
} CUpti_ActivityMemcpyKind;

typedef enum {
  CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN = 0,
  CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1,
  CUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
  CUPTI_ACTIVITY_MEMORY_KIND_ARRAY = 4,
  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5,
  CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC = 6,
  CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC = 7
} CUpti_ActivityMemoryKind;

typedef enum {
  CUPTI_ACTIVITY_COMPUTE_API_UNKNOWN = 0,
  CUPTI_ACTIVITY_COMPUTE_API_CUDA = 1,
  CUPTI_ACTIVITY_COMPUTE_API_CUDA_MPS = 2
} CUpti_ActivityComputeApiKind;

typedef enum {
  CUPTI_ACTIVITY_OBJECT_UNKNOWN = 0,
  CUPTI_ACTIVITY_OBJECT_PROCESS = 1,
  CUPTI_ACTIVITY_OBJECT_THREAD = 2,
  CUPTI_ACTIVITY_OBJECT_DEVICE = 3,
  CUPTI_ACTIVITY_OBJECT_CONTEXT = 4,
  CUPTI_ACTIVITY_OBJECT_STREAM = 5
} CUpti_ActivityObjectKind;

typedef union {
  struct {
    uint32_t processId;
    uint32_t threadId;
  } pt;
  struct {
    uint32_t deviceId;
    uint32_t contextId;
    uint32_t streamId;
  } dcs;
} CUpti_ActivityObjectKindId;

typedef enum {
  CUPTI_EXTERNAL_CORRELATION_KIND_INVALID = 0,
  CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN = 1,
  CUPTI_EXTERNAL_CORRELATION_KIND_OPENACC = 2,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 = 3,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1 = 4,
  CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 = 5,
  CUPTI_EXTERNAL_CORRELATION_KIND_SIZE
} CUpti_ExternalCorrelationKind;

#define WARPLOOM_CUPTI_RECORD __attribute__((packed, aligned(8)))

typedef struct {
  CUpti_ActivityKind kind;
} WARPLOOM_CUPTI_RECORD CUpti_Activity;

typedef struct {
  CUpti_ActivityKind kind;
  union {
    uint8_t both;
    struct {
      uint8_t requested : 4;
      uint8_t executed : 4;
    } config;
  } cacheConfig;
  uint8_t sharedMemoryConfig;
  uint16_t registersPerThread; /* 0: a CPU's are not a thread's */
  uint32_t partitionedGlobalCacheRequested;
  uint32_t partitionedGlobalCacheExecuted;
  uint64_t start, end, completed; /* ns */
  uint32_t deviceId, contextId, streamId;
  int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
  int32_t staticSharedMemory, dynamicSharedMemory;
  uint32_t localMemoryPerThread, localMemoryTotal;
  uint32_t correlationId;
  int64_t gridId;
  const char *name; /* mangled */
  void *reserved0;
  uint64_t queued, submitted;
  uint8_t launchType, isSharedMemoryCarveoutRequested, sharedMemoryCarveoutRequested, padding;
  uint32_t sharedMemoryExecuted;
  uint64_t graphNodeId;
  uint32_t shmemLimitConfig;
  uint32_t graphId;
  void *pAccessPolicyWindow;
  uint32_t channelID, channelType;
  uint32_t clusterX, clusterY, clusterZ, clusterSchedulingPolicy;
  uint64_t localMemoryTotal_v2;
  uint32_t maxPotentialClusterSize, maxActiveClusters;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityKernel10;
typedef CUpti_ActivityKernel10 CUpti_ActivityKernel, CUpti_ActivityKernel2, CUpti_ActivityKernel3,
    CUpti_ActivityKernel4, CUpti_ActivityKernel5, CUpti_ActivityKernel6, CUpti_ActivityKernel7, CUpti_ActivityKernel8,
    CUpti_ActivityKernel9;

typedef struct {
  CUpti_ActivityKind kind;
  uint8_t copyKind, srcKind, dstKind, flags;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId, runtimeCorrelationId, pad;
  void *reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID, channelType, pad2;
  uint64_t copyCount;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityMemcpy6;
typedef CUpti_ActivityMemcpy6 CUpti_ActivityMemcpy, CUpti_ActivityMemcpy3, CUpti_ActivityMemcpy4, CUpti_ActivityMemcpy5;

typedef struct {
  CUpti_ActivityKind kind;
  uint32_t value;
  uint64_t bytes, start, end;
  uint32_t deviceId, contextId, streamId, correlationId;
  uint16_t flags, memoryKind;
  uint32_t pad;
  void *reserved0;
  uint64_t graphNodeId;
  uint32_t graphId, channelID, channelType, pad2;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityMemset4;
typedef CUpti_ActivityMemset4 CUpti_ActivityMemset, CUpti_ActivityMemset2, CUpti_ActivityMemset3;

typedef struct {
  CUpti_ActivityKind kind; /* DRIVER or RUNTIME */
  CUpti_CallbackId cbid;
  uint64_t start, end;
  uint32_t processId, threadId, correlationId, returnValue;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityAPI;

typedef struct {
  CUpti_ActivityKind kind;
  CUpti_ActivityFlag flags;
  uint64_t timestamp;
  uint32_t id;
  CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId;
  uint32_t pad;
  const char *name; /* null at the end of a range */
  const char *domain;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityMarker2;
typedef CUpti_ActivityMarker2 CUpti_ActivityMarker;

typedef struct {
  CUpti_ActivityKind kind;
  CUpti_ActivityFlag flags;
  uint64_t globalMemoryBandwidth, globalMemorySize; /* kB/s, bytes */
  uint32_t constantMemorySize, l2CacheSize, numThreadsPerWarp, coreClockRate, numMemcpyEngines, numMultiprocessors;
  uint32_t maxIPC, maxWarpsPerMultiprocessor, maxBlocksPerMultiprocessor, maxSharedMemoryPerMultiprocessor;
  uint32_t maxRegistersPerMultiprocessor, maxRegistersPerBlock, maxSharedMemoryPerBlock, maxThreadsPerBlock;
  uint32_t maxBlockDimX, maxBlockDimY, maxBlockDimZ, maxGridDimX, maxGridDimY, maxGridDimZ;
  uint32_t computeCapabilityMajor, computeCapabilityMinor, id, eccEnabled;
  cudaUUID_t uuid;
  const char *name;
  uint8_t isCudaVisible, isMigEnabled, reserved[6];
  uint32_t gpuInstanceId, computeInstanceId;
  cudaUUID_t migUuid;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityDevice5;
typedef CUpti_ActivityDevice5 CUpti_ActivityDevice, CUpti_ActivityDevice2, CUpti_ActivityDevice3, CUpti_ActivityDevice4;

typedef struct {
  CUpti_ActivityKind kind;
  uint32_t contextId, deviceId;
  uint16_t computeApiKind, nullStreamId;
  uint32_t parentContextId;
  uint8_t isGreenContext, padding;
  uint16_t numMultiprocessors;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityContext3;
typedef CUpti_ActivityContext3 CUpti_ActivityContext, CUpti_ActivityContext2;

typedef struct {
  CUpti_ActivityKind kind;
  CUpti_ExternalCorrelationKind externalKind;
  uint64_t externalId;
  uint32_t correlationId, reserved;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityExternalCorrelation;

typedef struct {
  CUpti_ActivityKind kind;
  CUpti_ActivityObjectKind objectKind;
  CUpti_ActivityObjectKindId objectId;
  uint32_t pad;
  const char *name;
} WARPLOOM_CUPTI_RECORD CUpti_ActivityName;

typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *maxNumRecords);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t streamId, uint8_t *buffer, size_t size,
                                                  size_t validSize);

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                                           CUpti_BuffersCallbackCompleteFunc funcBufferCompleted);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind);
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind);
CUptiResult cuptiActivityFlushAll(uint32_t flag);
CUptiResult cuptiActivityFlush(CUcontext context, uint32_t streamId, uint32_t flag);
CUptiResult cuptiActivityFlushPeriod(uint32_t time);
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, CUpti_Activity **record);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t streamId, size_t *dropped);
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id);
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *lastId);

#undef WARPLOOM_CUPTI_RECORD
#include "warploom/cupti_refused.h"

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Numbers of API functions in CUPTI's callbacks and records: those that profilers name. All others have numbers from
   10,000 on, by which cuptiGetCallbackName knows them in the same process. And the parameters of some. */
#pragma once

#define WARPLOOM_CUPTI_RUNTIME_CALLS(X) \
  X(cudaGetLastError, v3020, 10)        \
  X(cudaLaunch, v3020, 13)              \
  X(cudaMalloc, v3020, 20)              \
  X(cudaFree, v3020, 22)                \
  X(cudaMemcpy, v3020, 31)              \
  X(cudaMemcpyAsync, v3020, 41)         \
  X(cudaMemset, v3020, 51)              \
  X(cudaDeviceSynchronize, v3020, 165)  \
  X(cudaLaunchKernel, v7000, 211)
#define WARPLOOM_CUPTI_DRIVER_CALLS(X) X(cuLaunchKernel, 307)

#define WARPLOOM_CUPTI_RUNTIME_CALL(name, version, number) CUPTI_RUNTIME_TRACE_CBID_##name##_##version = number,
typedef enum {
  CUPTI_RUNTIME_TRACE_CBID_INVALID = 0,
  WARPLOOM_CUPTI_RUNTIME_CALLS(WARPLOOM_CUPTI_RUNTIME_CALL) CUPTI_RUNTIME_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_runtime_api_trace_cbid;
#undef WARPLOOM_CUPTI_RUNTIME_CALL
#define WARPLOOM_CUPTI_DRIVER_CALL(name, number) CUPTI_DRIVER_TRACE_CBID_##name = number,
typedef enum {
  CUPTI_DRIVER_TRACE_CBID_INVALID = 0,
  WARPLOOM_CUPTI_DRIVER_CALLS(WARPLOOM_CUPTI_DRIVER_CALL) CUPTI_DRIVER_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_driver_api_trace_cbid;
#undef WARPLOOM_CUPTI_DRIVER_CALL

typedef struct cudaMalloc_v3020_params_st {
  void **devPtr;
  size_t size;
} cudaMalloc_v3020_params;
typedef struct cudaFree_v3020_params_st {
  void *devPtr;
} cudaFree_v3020_params;
typedef struct cudaMemcpy_v3020_params_st {
  void *dst;
  const void *src;
  size_t count;
  enum cudaMemcpyKind kind;
} cudaMemcpy_v3020_params;
typedef struct cudaMemcpyAsync_v3020_params_st {
  void *dst;
  const void *src;
  size_t count;
  enum cudaMemcpyKind kind;
  cudaStream_t stream;
} cudaMemcpyAsync_v3020_params;
typedef struct cudaMemset_v3020_params_st {
  void *devPtr;
  int value;
  size_t count;
} cudaMemset_v3020_params;
typedef struct cudaLaunchKernel_v7000_params_st {
  const void *func;
#ifdef __cplusplus
  dim3 gridDim;
  dim3 blockDim;
#else
  struct dim3 gridDim;
  struct dim3 blockDim;
#endif
  void **args;
  size_t sharedMem;
  cudaStream_t stream;
} cudaLaunchKernel_v7000_params;

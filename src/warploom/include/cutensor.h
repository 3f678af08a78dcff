// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuTENSOR: declarations. Its functions say that they are not supported.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>

#define CUTENSOR_MAJOR 2
#define CUTENSOR_MINOR 3
#define CUTENSOR_PATCH 0
#define CUTENSOR_VERSION 20300

typedef enum {
  CUTENSOR_STATUS_SUCCESS = 0,
  CUTENSOR_STATUS_NOT_INITIALIZED = 1,
  CUTENSOR_STATUS_ALLOC_FAILED = 3,
  CUTENSOR_STATUS_INVALID_VALUE = 7,
  CUTENSOR_STATUS_ARCH_MISMATCH = 8,
  CUTENSOR_STATUS_MAPPING_ERROR = 11,
  CUTENSOR_STATUS_EXECUTION_FAILED = 13,
  CUTENSOR_STATUS_INTERNAL_ERROR = 14,
  CUTENSOR_STATUS_NOT_SUPPORTED = 15,
  CUTENSOR_STATUS_LICENSE_ERROR = 16,
  CUTENSOR_STATUS_CUBLAS_ERROR = 17,
  CUTENSOR_STATUS_CUDA_ERROR = 18,
  CUTENSOR_STATUS_INSUFFICIENT_WORKSPACE = 19,
  CUTENSOR_STATUS_INSUFFICIENT_DRIVER = 20,
  CUTENSOR_STATUS_IO_ERROR = 21
} cutensorStatus_t;
typedef enum {
  CUTENSOR_OP_IDENTITY = 1,
  CUTENSOR_OP_SQRT = 2,
  CUTENSOR_OP_ADD = 3,
  CUTENSOR_OP_MUL = 5,
  CUTENSOR_OP_MAX = 6,
  CUTENSOR_OP_MIN = 7,
  CUTENSOR_OP_RELU = 8,
  CUTENSOR_OP_CONJ = 9,
  CUTENSOR_OP_RCP = 10,
  CUTENSOR_OP_SIGMOID = 11,
  CUTENSOR_OP_TANH = 12,
  CUTENSOR_OP_EXP = 22,
  CUTENSOR_OP_LOG = 23,
  CUTENSOR_OP_ABS = 24,
  CUTENSOR_OP_NEG = 25,
  CUTENSOR_OP_SIN = 26,
  CUTENSOR_OP_COS = 27
} cutensorOperator_t;
typedef enum {
  CUTENSOR_ALGO_DEFAULT_PATIENT = -6,
  CUTENSOR_ALGO_GETT = -4,
  CUTENSOR_ALGO_TGETT = -3,
  CUTENSOR_ALGO_TTGT = -2,
  CUTENSOR_ALGO_DEFAULT = -1
} cutensorAlgo_t;
typedef enum { CUTENSOR_JIT_MODE_NONE = 0, CUTENSOR_JIT_MODE_DEFAULT = 1 } cutensorJitMode_t;
typedef enum {
  CUTENSOR_WORKSPACE_MIN = 1,
  CUTENSOR_WORKSPACE_DEFAULT = 2,
  CUTENSOR_WORKSPACE_MAX = 3
} cutensorWorksizePreference_t;
typedef enum {
  CUTENSOR_OPERATION_DESCRIPTOR_TAG = 0,
  CUTENSOR_OPERATION_DESCRIPTOR_SCALAR_TYPE = 1,
  CUTENSOR_OPERATION_DESCRIPTOR_FLOPS = 2,
  CUTENSOR_OPERATION_DESCRIPTOR_MOVED_BYTES = 3
} cutensorOperationDescriptorAttribute_t;
typedef enum {
  CUTENSOR_PLAN_PREFERENCE_AUTOTUNE_MODE = 0,
  CUTENSOR_PLAN_PREFERENCE_CACHE_MODE = 1,
  CUTENSOR_PLAN_PREFERENCE_INCREMENTAL_COUNT = 2,
  CUTENSOR_PLAN_PREFERENCE_ALGO = 3,
  CUTENSOR_PLAN_PREFERENCE_KERNEL_RANK = 4,
  CUTENSOR_PLAN_PREFERENCE_JIT = 5
} cutensorPlanPreferenceAttribute_t;
typedef enum { CUTENSOR_PLAN_REQUIRED_WORKSPACE = 0 } cutensorPlanAttribute_t;

typedef struct cutensorHandle *cutensorHandle_t;
typedef struct cutensorTensorDescriptor *cutensorTensorDescriptor_t;
typedef struct cutensorOperationDescriptor *cutensorOperationDescriptor_t;
typedef struct cutensorPlanPreference *cutensorPlanPreference_t;
typedef struct cutensorPlan *cutensorPlan_t;
typedef struct cutensorComputeDescriptor *cutensorComputeDescriptor_t;

#ifdef __cplusplus
extern "C" {
#endif
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_16F, CUTENSOR_COMPUTE_DESC_16BF,
    CUTENSOR_COMPUTE_DESC_TF32, CUTENSOR_COMPUTE_DESC_3XTF32, CUTENSOR_COMPUTE_DESC_32F, CUTENSOR_COMPUTE_DESC_64F;
const char *cutensorGetErrorString(const cutensorStatus_t status);
size_t cutensorGetVersion(void);
size_t cutensorGetCudartVersion(void);
#define WARPLOOM_CUTENSOR(NAME, PARAMETERS) cutensorStatus_t NAME PARAMETERS;
#include "warploom/libraries/cutensor_refused.def"
#undef WARPLOOM_CUTENSOR
#ifdef __cplusplus
}
#endif

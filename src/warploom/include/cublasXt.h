// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasXt: products of matrices of the host, cut for several devices.
#pragma once

#include "cublas_v2.h"

typedef struct cublasXtContext *cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum {
  CUBLASXT_FLOAT = 0,
  CUBLASXT_DOUBLE = 1,
  CUBLASXT_COMPLEX = 2,
  CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;
typedef enum {
  CUBLASXT_GEMM = 0,
  CUBLASXT_SYRK = 1,
  CUBLASXT_HERK = 2,
  CUBLASXT_SYMM = 3,
  CUBLASXT_HEMM = 4,
  CUBLASXT_TRSM = 5,
  CUBLASXT_SYR2K = 6,
  CUBLASXT_HER2K = 7,
  CUBLASXT_SPMM = 8,
  CUBLASXT_SYRKX = 9,
  CUBLASXT_HERKX = 10,
  CUBLASXT_TRMM = 11,
  CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int devices, int device_ids[], int *boards);
cublasStatus_t cublasXtMaxBoards(int *boards);
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int devices, int device_ids[]);
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *block);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode);
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                     void *function);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                   float ratio);
#define WARPLOOM_IN(...) __VA_ARGS__
#define WARPLOOM_XT(ROUTINE, PARAMETERS, ARGUMENTS) \
  cublasStatus_t cublasXt##ROUTINE(cublasXtHandle_t handle, WARPLOOM_IN PARAMETERS);
#include "warploom/libraries/cublas_xt.def"
#undef WARPLOOM_XT
#undef WARPLOOM_IN
#ifdef __cplusplus
}
#endif

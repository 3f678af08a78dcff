// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's types, and its functions under their full names.
#pragma once

// Programs ask for it to know what is declared.
#define CUBLAS_API_H_
#define CUBLASAPI
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 130100

#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else  // C programs only hand pointers to them on
typedef struct {
  unsigned short x;
} __half;
#endif
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuComplex.h"

typedef struct cublasContext *cublasHandle_t;

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_ALGO8 = 8,
  CUBLAS_GEMM_ALGO9 = 9,
  CUBLAS_GEMM_ALGO10 = 10,
  CUBLAS_GEMM_ALGO11 = 11,
  CUBLAS_GEMM_ALGO12 = 12,
  CUBLAS_GEMM_ALGO13 = 13,
  CUBLAS_GEMM_ALGO14 = 14,
  CUBLAS_GEMM_ALGO15 = 15,
  CUBLAS_GEMM_ALGO16 = 16,
  CUBLAS_GEMM_ALGO17 = 17,
  CUBLAS_GEMM_ALGO18 = 18,
  CUBLAS_GEMM_ALGO19 = 19,
  CUBLAS_GEMM_ALGO20 = 20,
  CUBLAS_GEMM_ALGO21 = 21,
  CUBLAS_GEMM_ALGO22 = 22,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
  CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
  CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
  CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
  CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
  CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
  CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
  CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
  CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
  CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
  CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
  CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
  CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
  CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
  CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78
} cublasComputeType_t;
typedef enum {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
  CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;
typedef cudaDataType cublasDataType_t;
typedef void (*cublasLogCallback)(const char *message);

#ifdef __cplusplus
extern "C" {
#endif
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
size_t cublasGetCudartVersion(void);
void cublasXerbla(const char *function, int parameter);
#define WARPLOOM_CUBLAS(NAME, PARAMETERS) cublasStatus_t NAME PARAMETERS;
#include "warploom/libraries/cublas.def"
#define WARPLOOM_I int
#define WARPLOOM_NAME(NAME) NAME
#include "warploom/libraries/cublas_sizes.def"
#undef WARPLOOM_I
#undef WARPLOOM_NAME
#define WARPLOOM_I int64_t
#define WARPLOOM_NAME_64(NAME) NAME##_64
#define WARPLOOM_NAME(NAME) WARPLOOM_NAME_64(NAME)
#include "warploom/libraries/cublas_sizes.def"
#undef WARPLOOM_I
#undef WARPLOOM_NAME
#undef WARPLOOM_NAME_64
#undef WARPLOOM_CUBLAS
#ifdef __cplusplus
}

// Before CUDA 11 the type in which a product is computed was a cudaDataType: programs that hand one over are taken on.
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType type,
                                                      cublasComputeType_t *compute) {
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  const cublasStatus_t status = cublasGetMathMode(handle, &mode);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const bool is_exact = (mode & 0xf) == CUBLAS_PEDANTIC_MATH;
  switch (type) {
    case CUDA_R_16F:
      *compute = is_exact ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
      break;
    case CUDA_R_32F:
    case CUDA_C_32F:
      *compute = is_exact ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
      break;
    case CUDA_R_64F:
    case CUDA_C_64F:
      *compute = is_exact ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
      break;
    case CUDA_R_32I:
      *compute = is_exact ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I;
      break;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return CUBLAS_STATUS_SUCCESS;
}

static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void *alpha, const void *a, cudaDataType aType,
                                          int lda, const void *b, cudaDataType bType, int ldb, const void *beta,
                                          void *c, cudaDataType cType, int ldc, cudaDataType type,
                                          cublasGemmAlgo_t algo) {
  cublasComputeType_t compute;
  const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, aType, lda, b, bType, ldb, beta, c, cType, ldc,
                      compute, algo);
}

static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                                 const void *const a[], cudaDataType aType, int lda,
                                                 const void *const b[], cudaDataType bType, int ldb, const void *beta,
                                                 void *const c[], cudaDataType cType, int ldc, int count,
                                                 cudaDataType type, cublasGemmAlgo_t algo) {
  cublasComputeType_t compute;
  const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, a, aType, lda, b, bType, ldb, beta, c, cType, ldc,
                             count, compute, algo);
}

static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                        cublasOperation_t transb, int m, int n, int k,
                                                        const void *alpha, const void *a, cudaDataType aType, int lda,
                                                        long long int strideA, const void *b, cudaDataType bType,
                                                        int ldb, long long int strideB, const void *beta, void *c,
                                                        cudaDataType cType, int ldc, long long int strideC, int count,
                                                        cudaDataType type, cublasGemmAlgo_t algo) {
  cublasComputeType_t compute;
  const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, aType, lda, strideA, b, bType, ldb,
                                    strideB, beta, c, cType, ldc, strideC, count, compute, algo);
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first API of cuBLAS: one handle for the program, scalars by value, flags as letters.
#pragma once

#include "cublas_api.h"

#ifdef CUBLAS_V2_H_
#error "a source includes cublas.h or cublas_v2.h, not both: they give the same names to different functions"
#endif

typedef cublasStatus_t cublasStatus;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasGetVersion(int *version);
cublasStatus cublasAlloc(int n, int size, void **pointer);
cublasStatus cublasFree(void *pointer);
cublasStatus cublasSetKernelStream(cudaStream_t stream);
#define WARPLOOM_LEGACY(RESULT, NAME, PARAMETERS) RESULT NAME PARAMETERS;
#include "warploom/libraries/cublas_legacy.def"
#undef WARPLOOM_LEGACY
#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first API of cuBLAS, without handles: what programs use of it beside the second one's types.
#pragma once

#include "cublas_api.h"

typedef cublasStatus_t cublasStatus;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasAlloc(int n, int size, void **pointer);
cublasStatus cublasFree(void *pointer);
cublasStatus cublasSetKernelStream(cudaStream_t stream);
#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles and what configures them, copies of vectors and matrices, names of codes.
#include <cublas_v2.h>

#include "handle.h"

using namespace warploom::blas;

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) { return create(handle); }
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) { return destroy(handle); }

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSPARSELt's functions.
#include <cusparseLt.h>

#include "../common/refused.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {

const char *cusparseLtGetErrorName(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : "CUSPARSE_STATUS_NOT_SUPPORTED";
}
const char *cusparseLtGetErrorString(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_SUCCESS ? "success" : "operation not supported";
}

#define WARPLOOM_CUSPARSELT(NAME, PARAMETERS)                                                                       \
  cusparseStatus_t NAME PARAMETERS {                                                                                \
    return WARPLOOM_REFUSE(#NAME,                                                                                   \
                           "cuSPARSELt has not been written: cublasLtMatmul computes the same of the whole matrix", \
                           CUSPARSE_STATUS_NOT_SUPPORTED);                                                          \
  }
#include "warploom/libraries/cusparselt_refused.def"
#undef WARPLOOM_CUSPARSELT

}  // extern "C"
#pragma GCC diagnostic pop
#pragma GCC visibility pop

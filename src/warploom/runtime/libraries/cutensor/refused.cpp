// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuTENSOR's functions.
#include <cutensor.h>
#include <cutensorMg.h>

#include "../common/refused.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {

extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_16F = nullptr;
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_16BF = nullptr;
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_TF32 = nullptr;
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_3XTF32 = nullptr;
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_32F = nullptr;
extern const cutensorComputeDescriptor_t CUTENSOR_COMPUTE_DESC_64F = nullptr;

const char *cutensorGetErrorString(const cutensorStatus_t status) {
  return status == CUTENSOR_STATUS_SUCCESS ? "CUTENSOR_STATUS_SUCCESS" : "CUTENSOR_STATUS_NOT_SUPPORTED";
}
size_t cutensorGetVersion(void) { return CUTENSOR_VERSION; }
size_t cutensorGetCudartVersion(void) { return CUDART_VERSION; }

#define WARPLOOM_CUTENSOR(NAME, PARAMETERS)                                                \
  cutensorStatus_t NAME PARAMETERS {                                                       \
    return WARPLOOM_REFUSE(#NAME, "cuTENSOR has not been written: use cuBLAS or a kernel", \
                           CUTENSOR_STATUS_NOT_SUPPORTED);                                 \
  }
#include "warploom/libraries/cutensor_mg_refused.def"
#include "warploom/libraries/cutensor_refused.def"
#undef WARPLOOM_CUTENSOR

}  // extern "C"
#pragma GCC diagnostic pop
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN: types and declarations.
#pragma once

#include "cudnn_adv.h"
#include "cudnn_cnn.h"
#include "cudnn_ops.h"

#ifdef __cplusplus
extern "C" {
#endif
size_t cudnnGetVersion(void);
size_t cudnnGetMaxDeviceVersion(void);
size_t cudnnGetCudartVersion(void);
const char *cudnnGetErrorString(cudnnStatus_t status);
void cudnnGetLastErrorString(char *message, size_t max_size);
#define WARPLOOM_CUDNN(NAME, PARAMETERS) cudnnStatus_t NAME PARAMETERS;
#include "warploom/libraries/cudnn.def"
#include "warploom/libraries/cudnn_refused.def"
#undef WARPLOOM_CUDNN
#ifdef __cplusplus
}
#endif

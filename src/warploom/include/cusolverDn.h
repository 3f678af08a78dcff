// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER: declarations.
#pragma once

#include "cusolver_common.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_CUSOLVER(NAME, PARAMETERS) cusolverStatus_t NAME PARAMETERS;
#include "warploom/libraries/cusolver.def"
#undef WARPLOOM_CUSOLVER
#ifdef __cplusplus
}
#endif

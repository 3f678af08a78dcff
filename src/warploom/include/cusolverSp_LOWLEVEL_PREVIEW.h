// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER: factors of sparse matrices that are kept.
#pragma once

#include "cusolverSp.h"

typedef struct csrcholInfo *csrcholInfo_t;
typedef struct csrcholInfoHost *csrcholInfoHost_t;
typedef struct csrluInfoHost *csrluInfoHost_t;
typedef struct csrqrInfo *csrqrInfo_t;
typedef struct csrqrInfoHost *csrqrInfoHost_t;

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_CUSOLVER(NAME, PARAMETERS) cusolverStatus_t NAME PARAMETERS;
#include "warploom/libraries/cusolver_sp_low.def"
#undef WARPLOOM_CUSOLVER
#ifdef __cplusplus
}
#endif

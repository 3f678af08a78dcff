// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuTENSORMg: declarations. Its functions say that they are not supported.
#pragma once

#include "cutensor.h"

typedef struct cutensorMgHandle *cutensorMgHandle_t;
typedef struct cutensorMgTensorDescriptor *cutensorMgTensorDescriptor_t;
typedef struct cutensorMgCopyDescriptor *cutensorMgCopyDescriptor_t;
typedef struct cutensorMgCopyPlan *cutensorMgCopyPlan_t;
typedef struct cutensorMgContractionDescriptor *cutensorMgContractionDescriptor_t;
typedef struct cutensorMgContractionFind *cutensorMgContractionFind_t;
typedef struct cutensorMgContractionPlan *cutensorMgContractionPlan_t;

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_CUTENSOR(NAME, PARAMETERS) cutensorStatus_t NAME PARAMETERS;
#include "warploom/libraries/cutensor_mg_refused.def"
#undef WARPLOOM_CUTENSOR
#ifdef __cplusplus
}
#endif

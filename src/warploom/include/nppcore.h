// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP: core.
#pragma once

#include "nppdefs.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_NPP(RESULT, NAME, PARAMETERS) RESULT NAME PARAMETERS;
#include "warploom/libraries/npp_core.def"
#undef WARPLOOM_NPP
#ifdef __cplusplus
}
#endif

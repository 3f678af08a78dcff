// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP: signals.
#pragma once

#include "nppcore.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_NPP(RESULT, NAME, PARAMETERS) RESULT NAME PARAMETERS;
#include "warploom/libraries/npps.def"
#undef WARPLOOM_NPP
#ifdef __cplusplus
}
#endif

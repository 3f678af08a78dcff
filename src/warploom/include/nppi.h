// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPP: images.
#pragma once

#include "nppcore.h"

#ifdef __cplusplus
extern "C" {
#endif
#define WARPLOOM_NPP(RESULT, NAME, PARAMETERS) RESULT NAME PARAMETERS;
#include "warploom/libraries/nppi.def"
#undef WARPLOOM_NPP
#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC: declarations. There is no compiler at run time yet: every call fails with NVRTC_ERROR_INTERNAL_ERROR, NVRTC's
// only code that does not blame the program.
#pragma once

#include <stddef.h>

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

#ifdef __cplusplus
extern "C" {
#endif
const char *nvrtcGetErrorString(nvrtcResult result);
#define WARPLOOM_NVRTC(NAME, PARAMETERS) nvrtcResult NAME PARAMETERS;
#include "warploom/libraries/nvrtc.def"
#undef WARPLOOM_NVRTC
#ifdef __cplusplus
}
#endif

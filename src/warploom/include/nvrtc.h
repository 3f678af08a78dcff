// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC: kernels compiled while the program runs, by the compiler that built it. What nvrtcGetCUBIN and nvrtcGetPTX
// return are modules for cuModuleLoadData, machine code for this CPU; with -dlto nvrtcGetLTOIR returns what nvJitLink
// links.
#ifndef WARPLOOM_NVRTC_H
#define WARPLOOM_NVRTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WARPLOOM_NVRTC_API __attribute__((visibility("default")))

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

WARPLOOM_NVRTC_API const char *nvrtcGetErrorString(nvrtcResult result);
WARPLOOM_NVRTC_API nvrtcResult nvrtcVersion(int *major, int *minor);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs);
WARPLOOM_NVRTC_API nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                                                  const char *const *headers, const char *const *includeNames);
WARPLOOM_NVRTC_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog);
WARPLOOM_NVRTC_API nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log);
WARPLOOM_NVRTC_API nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression);
WARPLOOM_NVRTC_API nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression,
                                                   const char **lowered_name);

#ifdef __cplusplus
}
#endif

#endif

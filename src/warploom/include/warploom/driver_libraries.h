// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of the driver API, which belong to no context, their kernels, and what modules hold. Included by cuda.h.
#ifndef WARPLOOM_DRIVER_LIBRARIES_H
#define WARPLOOM_DRIVER_LIBRARIES_H

typedef struct CUlib_st *CUlibrary;

typedef enum CUlibraryOption_enum {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
  CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;

typedef enum CUfunctionLoadingState_enum {
  CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
  CU_FUNCTION_LOADING_STATE_LOADED = 1,
  CU_FUNCTION_LOADING_STATE_MAX
} CUfunctionLoadingState;

typedef enum CUmoduleLoadingMode_enum {
  CU_MODULE_EAGER_LOADING = 0x1,
  CU_MODULE_LAZY_LOADING = 0x2
} CUmoduleLoadingMode;

#define WARPLOOM_FORWARDED(name, parameters, call) WARPLOOM_DRIVER_API CUresult name parameters;
#define WARPLOOM_FORWARDED_ANYWHERE WARPLOOM_FORWARDED
#define WARPLOOM_FORWARDED_ON_STREAM WARPLOOM_FORWARDED
#include "driver_libraries.def"
#undef WARPLOOM_FORWARDED_ANYWHERE
#undef WARPLOOM_FORWARDED_ON_STREAM
#undef WARPLOOM_FORWARDED

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions, on the host and the device.
#pragma once

// Programs ask for these to know what is declared.
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__ 1

#include <cuda_runtime.h>

#include "warploom/small_float/common.h"

#define WARPLOOM_SCALAR __nv_bfloat16
#define WARPLOOM_SCALAR_RAW __nv_bfloat16_raw
#define WARPLOOM_PAIR __nv_bfloat162
#define WARPLOOM_PAIR_RAW __nv_bfloat162_raw
#define WARPLOOM_FORMAT warploom::small_float::bfloat16
#define WARPLOOM_NAME bfloat16
#define WARPLOOM_NAME2 bfloat162
#define WARPLOOM_TO_PAIR 2bfloat162
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define WARPLOOM_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define WARPLOOM_NO_SCALAR_OPERATORS
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define WARPLOOM_NO_PAIR_OPERATORS
#endif

#include "warploom/small_float/types.def"
#include "warploom/small_float/arithmetic.def"
#include "warploom/small_float/conversions.def"
#include "warploom/small_float/operators.def"
#ifdef __CUDACC__
#include "warploom/small_float/device.def"
#endif

#undef WARPLOOM_SCALAR
#undef WARPLOOM_SCALAR_RAW
#undef WARPLOOM_PAIR
#undef WARPLOOM_PAIR_RAW
#undef WARPLOOM_FORMAT
#undef WARPLOOM_NAME
#undef WARPLOOM_NAME2
#undef WARPLOOM_TO_PAIR
#undef WARPLOOM_NO_CONVERSIONS
#undef WARPLOOM_NO_SCALAR_OPERATORS
#undef WARPLOOM_NO_PAIR_OPERATORS

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

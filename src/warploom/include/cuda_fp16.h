// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// binary16: __half, __half2 and their functions, on the host and the device.
#pragma once

// Programs ask for these to know what is declared.
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__ 1

#include <cuda_runtime.h>

#include "warploom/small_float/common.h"

#define WARPLOOM_SCALAR __half
#define WARPLOOM_SCALAR_RAW __half_raw
#define WARPLOOM_PAIR __half2
#define WARPLOOM_PAIR_RAW __half2_raw
#define WARPLOOM_FORMAT warploom::small_float::binary16
#define WARPLOOM_NAME half
#define WARPLOOM_NAME2 half2
#define WARPLOOM_TO_PAIR 2half2
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define WARPLOOM_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define WARPLOOM_NO_SCALAR_OPERATORS
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
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

using __nv_half = __half;
using __nv_half2 = __half2;
using __nv_half_raw = __half_raw;
using __nv_half2_raw = __half2_raw;
using nv_half = __half;
using nv_half2 = __half2;
#ifndef CUDA_NO_HALF
using half = __half;
using half2 = __half2;
#endif

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

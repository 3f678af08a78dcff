// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 4-bit floating point: e2m1, which holds 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives; conversions only, as in CUDA.
#pragma once

#include "warploom/small_float/classes.h"
#include "warploom/small_float/narrow.h"

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

__WARPLOOM_HOST_DEVICE unsigned __warploom_to_fp4(double value, __nv_fp4_interpretation_t, cudaRoundMode rounding) {
  return warploom::small_float::to_narrow<warploom::small_float::e2m1>(value, rounding);
}
__WARPLOOM_HOST_DEVICE __half_raw __warploom_from_fp4(unsigned bits, __nv_fp4_interpretation_t) {
  return warploom::small_float::narrow_to_half<warploom::small_float::e2m1>(bits);
}
WARPLOOM_NARROW_CONVERSIONS(fp4, 4, __warploom_to_fp4, __warploom_from_fp4)

WARPLOOM_SMALL_FLOAT(__nv_fp4_e2m1, fp4, __NV_E2M1, 0x7, __NV_E2M1, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_PAIR(__nv_fp4x2_e2m1, fp4, __NV_E2M1, __NV_E2M1, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_FOUR(__nv_fp4x4_e2m1, fp4, __NV_E2M1, __NV_E2M1, cudaRoundNearest)

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 6-bit floating point: e2m3 (up to 7.5) and e3m2 (up to 28); conversions only, as in CUDA.
#pragma once

#include "warploom/small_float/classes.h"
#include "warploom/small_float/narrow.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

__WARPLOOM_HOST_DEVICE unsigned __warploom_to_fp6(double value, __nv_fp6_interpretation_t format,
                                                  cudaRoundMode rounding) {
  return format == __NV_E2M3 ? warploom::small_float::to_narrow<warploom::small_float::e2m3>(value, rounding)
                             : warploom::small_float::to_narrow<warploom::small_float::e3m2>(value, rounding);
}
__WARPLOOM_HOST_DEVICE __half_raw __warploom_from_fp6(unsigned bits, __nv_fp6_interpretation_t format) {
  return format == __NV_E2M3 ? warploom::small_float::narrow_to_half<warploom::small_float::e2m3>(bits)
                             : warploom::small_float::narrow_to_half<warploom::small_float::e3m2>(bits);
}
WARPLOOM_NARROW_CONVERSIONS(fp6, 8, __warploom_to_fp6, __warploom_from_fp6)

WARPLOOM_SMALL_FLOAT(__nv_fp6_e2m3, fp6, __NV_E2M3, 0x1f, __NV_E2M3, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT(__nv_fp6_e3m2, fp6, __NV_E3M2, 0x1f, __NV_E3M2, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_PAIR(__nv_fp6x2_e2m3, fp6, __NV_E2M3, __NV_E2M3, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_PAIR(__nv_fp6x2_e3m2, fp6, __NV_E3M2, __NV_E3M2, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_FOUR(__nv_fp6x4_e2m3, fp6, __NV_E2M3, __NV_E2M3, cudaRoundNearest)
WARPLOOM_SMALL_FLOAT_FOUR(__nv_fp6x4_e3m2, fp6, __NV_E3M2, __NV_E3M2, cudaRoundNearest)

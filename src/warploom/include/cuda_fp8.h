// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floating point: e4m3 (4 bits of exponent, no infinity) and e5m2; conversions only, as in CUDA.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "warploom/small_float/classes.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace warploom {
namespace small_float {

template <class Format>
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t to_byte(double value, __nv_saturation_t saturation) {
  const unsigned short bits = from_double<Format, rounding::nearest>(value);
  const bool overflow = (bits & ~Format::sign_bit) >= Format::infinity && value == value;
  if (value != value) return Format::nan;
  if (overflow && saturation == __NV_SATFINITE) return (bits & Format::sign_bit) | Format::largest;
  return static_cast<__nv_fp8_storage_t>(bits);
}

__WARPLOOM_HOST_DEVICE __half_raw e4m3_to_half(__nv_fp8_storage_t byte) {
  const unsigned sign = (byte & 0x80u) << 8, magnitude = byte & 0x7fu;
  if (magnitude == 0x7f) return __half_raw{0x7fff};
  if (magnitude < 8) {  // multiples of 2^-9
    return __half_raw{
        static_cast<unsigned short>(sign | nearest<binary16>(static_cast<float>(magnitude) * 0.001953125f))};
  }
  return __half_raw{static_cast<unsigned short>(sign | ((magnitude << 7) + (8u << 10)))};
}

}  // namespace small_float
}  // namespace warploom

__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturation,
                                                                 __nv_fp8_interpretation_t format) {
  return format == __NV_E4M3 ? warploom::small_float::to_byte<warploom::small_float::e4m3>(value, saturation)
                             : warploom::small_float::to_byte<warploom::small_float::e5m2>(value, saturation);
}
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturation,
                                                                __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(value, saturation, format);
}
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t saturation,
                                                                  __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(__half2float(value), saturation, format);
}
__WARPLOOM_HOST_DEVICE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value,
                                                                      __nv_saturation_t saturation,
                                                                      __nv_fp8_interpretation_t format) {
  return __nv_cvt_double_to_fp8(__bfloat162float(value), saturation, format);
}
__WARPLOOM_HOST_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t byte, __nv_fp8_interpretation_t format) {
  if (format == __NV_E4M3) return warploom::small_float::e4m3_to_half(byte);
  if ((byte & 0x7f) > 0x7c) return __half_raw{0x7fff};
  return __half_raw{static_cast<unsigned short>(byte << 8)};
}

// Pairs: the first value in the low byte.
__WARPLOOM_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value, __nv_saturation_t saturation,
                                                                     __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_float_to_fp8(value.x, saturation, format) |
                                           __nv_cvt_float_to_fp8(value.y, saturation, format) << 8);
}
__WARPLOOM_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 value, __nv_saturation_t saturation,
                                                                      __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(value.x, saturation, format) |
                                           __nv_cvt_double_to_fp8(value.y, saturation, format) << 8);
}
__WARPLOOM_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw value, __nv_saturation_t saturation,
                                                                       __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(value), saturation, format);
}
__WARPLOOM_HOST_DEVICE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw value,
                                                                           __nv_saturation_t saturation,
                                                                           __nv_fp8_interpretation_t format) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(value), saturation, format);
}
__WARPLOOM_HOST_DEVICE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t pair,
                                                              __nv_fp8_interpretation_t format) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(pair & 0xff), format).x,
                     __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(pair >> 8), format).x};
}

// Out of range values become the largest finite one.
WARPLOOM_SMALL_FLOAT(__nv_fp8_e4m3, fp8, __NV_E4M3, 0x7f, __NV_SATFINITE, __NV_E4M3)
WARPLOOM_SMALL_FLOAT(__nv_fp8_e5m2, fp8, __NV_E5M2, 0x7f, __NV_SATFINITE, __NV_E5M2)
WARPLOOM_SMALL_FLOAT_PAIR(__nv_fp8x2_e4m3, fp8, __NV_E4M3, __NV_SATFINITE, __NV_E4M3)
WARPLOOM_SMALL_FLOAT_PAIR(__nv_fp8x2_e5m2, fp8, __NV_E5M2, __NV_SATFINITE, __NV_E5M2)
WARPLOOM_SMALL_FLOAT_FOUR(__nv_fp8x4_e4m3, fp8, __NV_E4M3, __NV_SATFINITE, __NV_E4M3)
WARPLOOM_SMALL_FLOAT_FOUR(__nv_fp8x4_e5m2, fp8, __NV_E5M2, __NV_SATFINITE, __NV_E5M2)

#include "warploom/small_float/e8m0.h"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point of 4 and 6 bits (OCP's microscaling formats): a sign, 2 or 3 bits of exponent, 1 to 3 of fraction.
// There is no infinity and no NaN: what is too large becomes the largest number of its sign, a NaN the largest one.
#pragma once

#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#include "../../device_types.h"

namespace warploom {
namespace small_float {

template <int FractionBits, int ExponentBits>
struct finite_format : format<FractionBits, ExponentBits> {
  using base = format<FractionBits, ExponentBits>;
  static constexpr unsigned short infinity = base::sign_bit;  // above every magnitude
  static constexpr unsigned short largest = base::sign_bit - 1;
  static constexpr double largest_value = static_cast<double>((2 << FractionBits) - 1) / (1 << FractionBits) *
                                          (1 << ((1 << ExponentBits) - 1 - base::bias));
};
using e2m1 = finite_format<1, 2>;
using e2m3 = finite_format<3, 2>;
using e3m2 = finite_format<2, 3>;

template <class Format>
__WARPLOOM_HOST_DEVICE unsigned char to_narrow(double value, cudaRoundMode mode) {
  if (value != value || value >= Format::largest_value) return Format::largest;
  if (value <= -Format::largest_value) return Format::sign_bit | Format::largest;
  switch (mode) {
    case cudaRoundZero:
      return static_cast<unsigned char>(from_double<Format, rounding::zero>(value));
    case cudaRoundPosInf:
      return static_cast<unsigned char>(from_double<Format, rounding::up>(value));
    case cudaRoundMinInf:
      return static_cast<unsigned char>(from_double<Format, rounding::down>(value));
    default:
      return static_cast<unsigned char>(from_double<Format, rounding::nearest>(value));
  }
}

template <class Format>
__WARPLOOM_HOST_DEVICE __half_raw narrow_to_half(unsigned bits) {
  const unsigned sign = bits & Format::sign_bit ? 0x8000u : 0u, magnitude = bits & Format::largest;
  constexpr int up = binary16::fraction_bits - Format::fraction_bits;
  constexpr unsigned smallest_normal = 1u << Format::fraction_bits;
  if (magnitude >= smallest_normal) {
    constexpr unsigned rebias = static_cast<unsigned>(binary16::bias - Format::bias) << binary16::fraction_bits;
    return __half_raw{static_cast<unsigned short>(sign | ((magnitude << up) + rebias))};
  }
  // A subnormal is a multiple of the smallest one.
  constexpr float unit = 1.0f / static_cast<float>(1 << (Format::bias - 1 + Format::fraction_bits));
  return __half_raw{static_cast<unsigned short>(sign | nearest<binary16>(static_cast<float>(magnitude) * unit))};
}

}  // namespace small_float
}  // namespace warploom

// The conversions of one width. TO and FROM convert a double and back, KIND is fp4 or fp6; SHIFT is where the second
// number of a pair is.
#define WARPLOOM_NARROW_CONVERSIONS(KIND, SHIFT, TO, FROM)                                                      \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##_storage_t __nv_cvt_double_to_##KIND(                                     \
      double value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                            \
    return TO(value, format, rounding);                                                                         \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##_storage_t __nv_cvt_float_to_##KIND(                                      \
      float value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                             \
    return TO(value, format, rounding);                                                                         \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##_storage_t __nv_cvt_halfraw_to_##KIND(                                    \
      __half_raw value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                        \
    return TO(__half2float(value), format, rounding);                                                           \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##_storage_t __nv_cvt_bfloat16raw_to_##KIND(                                \
      __nv_bfloat16_raw value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                 \
    return TO(__bfloat162float(value), format, rounding);                                                       \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##x2_storage_t __nv_cvt_double2_to_##KIND##x2(                              \
      double2 value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                           \
    return static_cast<__nv_##KIND##x2_storage_t>(TO(value.x, format, rounding) | TO(value.y, format, rounding) \
                                                                                      << SHIFT);                \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##x2_storage_t __nv_cvt_float2_to_##KIND##x2(                               \
      float2 value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                            \
    return __nv_cvt_double2_to_##KIND##x2(make_double2(value.x, value.y), format, rounding);                    \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##x2_storage_t __nv_cvt_halfraw2_to_##KIND##x2(                             \
      __half2_raw value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                       \
    return __nv_cvt_float2_to_##KIND##x2(__half22float2(value), format, rounding);                              \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __nv_##KIND##x2_storage_t __nv_cvt_bfloat16raw2_to_##KIND##x2(                         \
      __nv_bfloat162_raw value, __nv_##KIND##_interpretation_t format, cudaRoundMode rounding) {                \
    return __nv_cvt_float2_to_##KIND##x2(__bfloat1622float2(value), format, rounding);                          \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __half_raw __nv_cvt_##KIND##_to_halfraw(__nv_##KIND##_storage_t bits,                  \
                                                                 __nv_##KIND##_interpretation_t format) {       \
    return FROM(bits, format);                                                                                  \
  }                                                                                                             \
  __WARPLOOM_HOST_DEVICE __half2_raw __nv_cvt_##KIND##x2_to_halfraw2(__nv_##KIND##x2_storage_t bits,            \
                                                                     __nv_##KIND##_interpretation_t format) {   \
    return __half2_raw{FROM(bits, format).x, FROM(bits >> SHIFT, format).x};                                    \
  }

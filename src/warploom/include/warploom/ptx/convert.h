// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt: between all scalar types, in every rounding, and the packed forms.
#pragma once

#include "arithmetic.h"

namespace warploom {
namespace ptx {

template <rounding Round>
inline constexpr small_float::rounding small_rounding = Round == rz   ? small_float::rounding::zero
                                                        : Round == rm ? small_float::rounding::down
                                                        : Round == rp ? small_float::rounding::up
                                                                      : small_float::rounding::nearest;

// Integer to integer: clamped with .sat, else its lower bits.
template <bool Saturate, class D, class S>
WARPLOOM_PTX D integer_to_integer(S value) {
  if constexpr (Saturate) {
    const s128 wide = value;
    const s128 least = is_signed<D> ? -(s128(1) << (8 * sizeof(D) - 1)) : s128(0);
    const s128 most = least + (s128(1) << 8 * sizeof(D)) - 1;
    return static_cast<D>(wide < least ? least : wide > most ? most : wide);
  } else {
    return static_cast<D>(value);
  }
}

// A number between two limits, as the lower bits of a word.
template <s32 Least, s32 Most, u32 Mask>
WARPLOOM_PTX u32 clamped_bits(s32 value) {
  return u32(value < Least ? Least : value > Most ? Most : value) & Mask;
}

// To a floating-point integer, in the source's own format.
template <rounding Round, class T>
WARPLOOM_PTX T to_integral(T value) {
  if constexpr (same<T, float>) {
    if (Round == rz) return __builtin_truncf(value);
    if (Round == rm) return __builtin_floorf(value);
    return Round == rp ? __builtin_ceilf(value) : __builtin_rintf(value);
  } else {
    if (Round == rz) return __builtin_trunc(value);
    if (Round == rm) return __builtin_floor(value);
    return Round == rp ? __builtin_ceil(value) : __builtin_rint(value);
  }
}
// A NaN becomes 0; where 64 bits are on either side, only the top bit is set.
template <rounding Round, class D, class S>
WARPLOOM_PTX D float_to_integer(S value) {
  const S whole = to_integral<Round>(value);
  const S limit = (is_signed<D> ? S(1ull << (8 * sizeof(D) - 2)) * 2 : S(1ull << (8 * sizeof(D) - 1)) * 2);
  constexpr bits_of<D> top = bits_of<D>(1) << (8 * sizeof(D) - 1);
  const D most = static_cast<D>(is_signed<D> ? bits_of<D>(top - 1) : bits_of<D>(~bits_of<D>(0)));
  const D least = static_cast<D>(is_signed<D> ? top : 0);
  if (whole != whole) return sizeof(D) == 8 || same<S, double> ? static_cast<D>(top) : D(0);
  if (whole >= limit) return most;
  return whole <= static_cast<S>(least) ? least : static_cast<D>(whole);
}

template <rounding Round>
WARPLOOM_PTX float narrow(double value) {
  if (Round == rz) return __double2float_rz(value);
  if (Round == rm) return __double2float_rd(value);
  return Round == rp ? __double2float_ru(value) : __double2float_rn(value);
}
template <rounding Round, class D, class S>
WARPLOOM_PTX D integer_to_float(S value) {
  if constexpr (is_small<D>) {
    typedef typename small_float::traits<D>::format format;
    const double exact = small_float::exact_double(static_cast<typename word<8>::signed_>(0) + value);
    return small_float::from_bits<D>(small_float::from_double<format, small_rounding<Round>>(exact));
  } else if constexpr (same<D, float> && sizeof(S) < 8) {
    return narrow<Round>(static_cast<double>(value));
  } else if constexpr (sizeof(S) < 8) {
    return static_cast<double>(value);
  } else if constexpr (same<D, float>) {
    if constexpr (is_signed<S>) {
      return Round == rz   ? __ll2float_rz(value)
             : Round == rm ? __ll2float_rd(value)
             : Round == rp ? __ll2float_ru(value)
                           : __ll2float_rn(value);
    } else {
      return Round == rz   ? __ull2float_rz(value)
             : Round == rm ? __ull2float_rd(value)
             : Round == rp ? __ull2float_ru(value)
                           : __ull2float_rn(value);
    }
  } else if constexpr (is_signed<S>) {
    return Round == rz   ? __ll2double_rz(value)
           : Round == rm ? __ll2double_rd(value)
           : Round == rp ? __ll2double_ru(value)
                         : __ll2double_rn(value);
  } else {
    return Round == rz   ? __ull2double_rz(value)
           : Round == rm ? __ull2double_rd(value)
           : Round == rp ? __ull2double_ru(value)
                         : __ull2double_rn(value);
  }
}

template <class T>
WARPLOOM_PTX auto widened(T value) {
  if constexpr (is_small<T>) {
    return small_float::value_of(value);
  } else {
    return value;
  }
}
template <rounding Round, class D, class S>
WARPLOOM_PTX D float_to_float(S value) {
  if constexpr (is_small<D>) {
    typedef typename small_float::traits<D>::format format;
    if constexpr (Round == rn) return small_float::round_to<D>(value);
    return small_float::from_bits<D>(small_float::from_double<format, small_rounding<Round>>(value));
  } else if constexpr (sizeof(D) < sizeof(S)) {
    return narrow<Round>(value);
  } else {
    return static_cast<D>(value);
  }
}

template <class T>
WARPLOOM_PTX T relu(T value) {
  if constexpr (is_small<T>) return small_float::relu(value);
  if constexpr (is_float<T>) return value != value ? value : value > T(0) ? value : T(0);
}

// `Integral`: the rounding goes to an integer (.rni and its siblings).
template <rounding Round, bool Integral, bool Flush, bool Saturate, bool Relu, class D, class S>
WARPLOOM_PTX D cvt(S value) {
  if constexpr (is_integer<S> && is_integer<D>) {
    return integer_to_integer<Saturate, D>(value);
  } else if constexpr (is_integer<S>) {
    return saturate<Saturate>(integer_to_float<Round, D>(value));
  } else if constexpr (is_integer<D>) {
    return float_to_integer<Round, D>(widened(flush<Flush>(value)));
  } else {
    auto wide = widened(flush<Flush>(value));
    if constexpr (Integral) wide = to_integral<Round>(wide);
    const D result = saturate<Saturate>(flush<Flush>(float_to_float<Round, D>(wide)));
    if constexpr (Relu) return relu(result);
    return result;
  }
}
// a into the upper half of the result, b into the lower.
template <rounding Round, bool Relu, class D>
WARPLOOM_PTX D cvt_pair(float a, float b) {
  if constexpr (same<D, __half2>) {
    return D(cvt<Round, false, false, false, Relu, __half>(b), cvt<Round, false, false, false, Relu, __half>(a));
  } else {
    return D(cvt<Round, false, false, false, Relu, __nv_bfloat16>(b),
             cvt<Round, false, false, false, Relu, __nv_bfloat16>(a));
  }
}
// tf32 has float's exponent and 10 bits of fraction; the lower 13 bits of its register are zero.
template <rounding Round, bool Relu>
WARPLOOM_PTX u32 cvt_tf32(float value) {
  const u32 bits = __builtin_bit_cast(u32, value), rest = bits & 0x1fff;
  if (value != value) return 0x7fffffff;
  if (Relu && bits >> 31) return 0;
  if ((bits & 0x7f800000) == 0x7f800000) return bits;
  const u32 kept = bits & ~0x1fffu;
  if (Round == rna) return kept + (rest >= 0x1000 ? 0x2000 : 0);
  if (Round == rn) return kept + (rest > 0x1000 || (rest == 0x1000 && (bits & 0x2000)) ? 0x2000 : 0);
  return kept;
}
template <__nv_fp8_interpretation_t Format, bool Relu, class S>
WARPLOOM_PTX u16 cvt_to_fp8(S a, S b) {
  const float upper = Relu ? relu(widened(a)) : widened(a), lower = Relu ? relu(widened(b)) : widened(b);
  return static_cast<u16>(__nv_cvt_float_to_fp8(upper, __NV_SATFINITE, Format) << 8 |
                          __nv_cvt_float_to_fp8(lower, __NV_SATFINITE, Format));
}
template <__nv_fp8_interpretation_t Format, bool Relu>
WARPLOOM_PTX __half2 cvt_from_fp8(u16 both) {
  const __half lower = __nv_cvt_fp8_to_halfraw(static_cast<u8>(both), Format);
  const __half upper = __nv_cvt_fp8_to_halfraw(static_cast<u8>(both >> 8), Format);
  return Relu ? __half2(relu(lower), relu(upper)) : __half2(lower, upper);
}

}  // namespace ptx
}  // namespace warploom

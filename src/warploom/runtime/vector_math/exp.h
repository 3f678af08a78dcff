// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, exp2, exp10, expm1.
//
//   x = k ln2 + r, |r| <= ln2/2    exp(x) = 2^k exp(r)
//
// The product with the high part of ln2 is exact: it has as many bits fewer as k has.
#pragma once

#include "coefficients.h"
#include "vector.h"

namespace warploom_math {

template <class V>
constexpr Scalar<V> log2_of_e = is_float<V> ? 0x1.715476p0 : 0x1.71547652b82fep0;
template <class V>
constexpr Scalar<V> ln2_high = is_float<V> ? 0x1.62e4p-1 : 0x1.62e42fefa4p-1;
template <class V>
constexpr Scalar<V> ln2_low = is_float<V> ? 0x1.7f7d1cp-20 : -0x1.8432a1b0e2634p-43;
template <class V>
constexpr Scalar<V> log2_of_10 = is_float<V> ? 0x1.a934fp1 : 0x1.a934f0979a371p1;
template <class V>
constexpr Scalar<V> log10_of_2_high = is_float<V> ? 0x1.344p-2 : 0x1.34413509f8p-2;
template <class V>
constexpr Scalar<V> log10_of_2_low = is_float<V> ? 0x1.3509f8p-18 : -0x1.80433b83b532ap-44;

// x, but no farther from 0 than where the result has long been 0 or infinite. NaN stays.
template <class V>
WARPLOOM_INLINE V clamp(V x, Scalar<V> low, Scalar<V> high) {
  x = select(x > V(high), V(high), x);
  return select(x < V(low), V(low), x);
}

// A result as value * 2^k; number: k too; low: what rounding took from value, where that is known.
template <class V>
struct Scaled {
  V value, number, low;
  IntOf<V> k;
};
// value and k for exp(k ln2 + r).
template <class V>
WARPLOOM_INLINE Scaled<V> exp_of_rest(V r, Rounded<V> k) {
  V y = mad(r * r, WARPLOOM_POLYNOMIAL(r, exp), r);
  V value = y + Scalar<V>(1);
  return {value, k.number, y - (value - Scalar<V>(1)), k.raw - Format<V>::magic_bits};
}
// exp(x + low) and exp(x), value near [0.7, 1.42]. |x| must be below 2^20 ln2.
template <class V>
WARPLOOM_INLINE Scaled<V> exp_parts(V x, V low) {
  auto k = round_scaled(x, log2_of_e<V>);
  V r = mad(k.number, V(-ln2_high<V>), x);
  return exp_of_rest(mad(k.number, V(-ln2_low<V>), r) + low, k);
}
template <class V>
WARPLOOM_INLINE Scaled<V> exp_parts(V x) {
  auto k = round_scaled(x, log2_of_e<V>);
  V r = mad(k.number, V(-ln2_high<V>), x);
  return exp_of_rest(mad(k.number, V(-ln2_low<V>), r), k);
}

template <class V>
WARPLOOM_INLINE V exp(V x) {
  constexpr Scalar<V> low = is_float<V> ? -104.0 : -746.0, high = is_float<V> ? 89.0 : 710.0;
  auto parts = exp_parts(clamp(x, low, high));
  return scale(parts.value, parts.number, parts.k);
}

template <class V>
WARPLOOM_INLINE V exp2(V x) {
  constexpr Scalar<V> low = is_float<V> ? -151.0 : -1076.0, high = is_float<V> ? 128.0 : 1024.0;
  x = clamp(x, low, high);
  auto k = round_scaled(x, Scalar<V>(1));
  V r = x - k.number;
  V value = mad(r, WARPLOOM_POLYNOMIAL(r, exp2), V(Scalar<V>(1)));
  return scale(value, k.number, k.raw - Format<V>::magic_bits);
}

template <class V>
WARPLOOM_INLINE V exp10(V x) {
  constexpr Scalar<V> low = is_float<V> ? -46.0 : -325.0, high = is_float<V> ? 39.0 : 309.0;
  x = clamp(x, low, high);
  auto k = round_scaled(x, log2_of_10<V>);
  V r = mad(k.number, V(-log10_of_2_high<V>), x);
  r = mad(k.number, V(-log10_of_2_low<V>), r);
  V value = mad(r, WARPLOOM_POLYNOMIAL(r, exp10), V(Scalar<V>(1)));
  return scale(value, k.number, k.raw - Format<V>::magic_bits);
}

// exp(x) - 1 = 2^k (exp(r) - 1) + (2^k - 1), halved so that 2^k stays finite.
template <class V>
WARPLOOM_INLINE V expm1(V x) {
  constexpr Scalar<V> low = is_float<V> ? -18.0 : -40.0, high = is_float<V> ? 89.0 : 710.0;
  constexpr Scalar<V> half = 0.5;
  V clamped = clamp(x, low, high);
  auto k = round_scaled(clamped, log2_of_e<V>);
  V first = mad(k.number, V(-ln2_high<V>), clamped);
  V second = k.number * ln2_low<V>;
  V r = first - second;
  V tail = r * r * WARPLOOM_POLYNOMIAL(r, expm1);
  tail = tail + ((first - r) - second);  // what the subtraction rounded off
  V power = power_of_two<V>(k.raw - Format<V>::magic_bits - 1);
  V value = mad(tail, power, mad(r, power, power - half));
  // Below, 2 * value would lose what is subnormal; and -0 stays.
  return select(k.number == V(Scalar<V>(0)), copysign(r + tail, x), value + value);
}

// 2^x. With AVX-512 the fraction of x is one instruction, and 2^floor(x) part of the product: infinities need no care.
WARPLOOM_INLINE Float fast_exp2_of(Float x) {
#ifdef WARPLOOM_X86_512_DQ
  return scale_by_hardware(polynomial(fraction(x), exp2_fraction_f32), x);
#else
  x = clamp(x, -151.0f, 128.0f);
  auto k = round_scaled(x, 1.0f);
  return scale(polynomial(x - k.number, exp2_fast_f32), k.number, k.raw - Format<Float>::magic_bits);
#endif
}
WARPLOOM_INLINE Float fast_exp(Float x) { return fast_exp2_of(x * log2_of_e<Float>); }
WARPLOOM_INLINE Float fast_exp10(Float x) { return fast_exp2_of(x * log2_of_10<Float>); }

}  // namespace warploom_math

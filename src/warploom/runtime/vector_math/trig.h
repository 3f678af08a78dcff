// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sin, cos, tan, sinpi, cospi.
//
//   x = k pi/2 + r, |r| <= pi/4 (Cody and Waite, three parts of pi/2)    sin(x) = +-sin(r) or +-cos(r) by k mod 4
//
// Where |x| is so large that k times the first part is not exact, k and r come from the bits of 2/pi that matter (Payne
// and Hanek): one lane at a time, since such arguments are rare.
#pragma once

#include "coefficients.h"
#include "trig_large.h"
#include "vector.h"

namespace warploom_math {

template <class V>
constexpr Scalar<V> two_over_pi = is_float<V> ? 0x1.45f306p-1 : 0x1.45f306dc9c883p-1;
template <class V>
constexpr Scalar<V> half_pi_1 = is_float<V> ? 0x1.921fb6p0 : 0x1.921fb54442d18p0;
template <class V>
constexpr Scalar<V> half_pi_2 = is_float<V> ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
template <class V>
constexpr Scalar<V> half_pi_3 = is_float<V> ? -0x1.ee59dap-50 : -0x1.f1976b7ed8fbcp-110;

// The angle in [-pi/4, pi/4] (and a little) as the sum of two numbers, and which quarter turn it is from.
template <class V>
struct Angle {
  V high, low;
  IntOf<V> quarter;
};

template <class V>
WARPLOOM_INLINE Angle<V> reduce_angle(V x) {
  constexpr Scalar<V> largest = is_float<V> ? 0x1p16 : 0x1p30;
  auto k = round_scaled(x, two_over_pi<V>);
  Angle<V> angle;
  angle.quarter = k.raw;
  V first = fma(k.number, V(-half_pi_1<V>), x);
  if constexpr (is_float<V>) {
    V second = fma(k.number, V(-half_pi_2<V>), first);
    angle.high = fma(k.number, V(-half_pi_3<V>), second);
    angle.low = V(0.0f);
  } else {
    auto product = two_product(k.number, V(half_pi_2<V>));
    V second = first - product.high;
    // What the subtraction rounded off, whichever operand is larger.
    V taken = first - second;
    V lost = (first - (second + taken)) + (taken - product.high);
    V rest = fma(k.number, V(-half_pi_3<V>), lost - product.low);
    auto sum = fast_two_sum(second, rest);
    angle.high = sum.high;
    angle.low = sum.low;
  }
  auto large = !(absolute(x) <= V(largest));
  if (any(large)) reduce_large_angles(x, large, angle.high, angle.low, angle.quarter);
  return angle;
}

template <class V>
WARPLOOM_INLINE V sin_of(V r, V low) {
  V z = r * r;
  V tail = r * z * WARPLOOM_POLYNOMIAL(z, sin);
  if constexpr (!is_float<V>) tail = mad(mad(z, V(Scalar<V>(-0.5)), V(Scalar<V>(1))), low, tail);
  return r + tail;
}
template <class V>
WARPLOOM_INLINE V cos_of(V r, V low) {
  using T = Scalar<V>;
  V z = r * r;
  V p = WARPLOOM_POLYNOMIAL(z, cos);
  if constexpr (is_float<V>) {
    return mad(z, mad(z, p, V(-0.5f)), V(1.0f));
  } else {
    V half = z * T(0.5);
    V head = T(1) - half;
    V tail = mad(z * z, p, (T(1) - head) - half);
    return head + mad(-r, low, tail);
  }
}

template <class V>
WARPLOOM_INLINE V sin_from(V x, int quarters) {
  auto angle = reduce_angle(x);
  IntOf<V> quarter = angle.quarter + quarters;
  V sine = sin_of(angle.high, angle.low), cosine = cos_of(angle.high, angle.low);
  V value = select(-(quarter & 1), cosine, sine);
  return negate_if_odd(value, quarter >> 1);
}
template <class V>
WARPLOOM_INLINE V sin(V x) {
  V value = sin_from(x, 0);
  return select(x == V(Scalar<V>(0)), x, value);  // -0
}
template <class V>
WARPLOOM_INLINE V cos(V x) {
  return sin_from(x, 1);
}

template <class V>
WARPLOOM_INLINE V tan(V x) {
  using T = Scalar<V>;
  auto angle = reduce_angle(x);
  V r = angle.high, z = r * r;
  V tail = r * z * WARPLOOM_POLYNOMIAL(z, tan);
  V tangent;
  if constexpr (is_float<V>) {
    tangent = r + tail;
  } else {
    V first = r + tail;
    tangent = r + mad(angle.low, mad(first, first, V(T(1))), tail);  // tan' = 1 + tan^2
  }
  V value = select(-(angle.quarter & 1), T(-1) / tangent, tangent);
  return select(x == V(T(0)), x, value);
}

// x = k/2 + r exactly, |r| <= 1/4.
template <class V>
WARPLOOM_INLINE Angle<V> reduce_half_turns(V x) {
  using T = Scalar<V>;
  V turn = mad(round_to_integer(x * T(0.5)), V(T(-2)), x);  // in [-1, 1]; NaN for an infinity
  auto k = round_scaled(turn, T(2));
  return {mad(k.number, V(T(-0.5)), turn), V(T(0)), k.raw};
}
template <class V>
constexpr Scalar<V> pi_high = is_float<V> ? 0x1.921fb6p1 : 0x1.921fb54442d18p1;
template <class V>
constexpr Scalar<V> pi_low = is_float<V> ? -0x1.777a5cp-24 : 0x1.1a62633145c07p-53;

template <class V>
WARPLOOM_INLINE V sinpi_of(V r) {
  V z = r * r;
  return fma(r, V(pi_high<V>), r * mad(z, WARPLOOM_POLYNOMIAL(z, sinpi), V(pi_low<V>)));
}
template <class V>
WARPLOOM_INLINE V cospi_of(V r) {
  V z = r * r;
  return fma(z, WARPLOOM_POLYNOMIAL(z, cospi), V(Scalar<V>(1)));
}
template <class V>
WARPLOOM_INLINE V sinpi(V x) {
  auto angle = reduce_half_turns(x);
  V value = select(-(angle.quarter & 1), cospi_of(angle.high), sinpi_of(angle.high));
  value = negate_if_odd(value, angle.quarter >> 1);
  return select(value == V(Scalar<V>(0)), copysign(value, x), value);
}
template <class V>
WARPLOOM_INLINE V cospi(V x) {
  auto angle = reduce_half_turns(x);
  IntOf<V> quarter = angle.quarter + 1;
  V value = select(-(quarter & 1), cospi_of(angle.high), sinpi_of(angle.high));
  value = negate_if_odd(value, quarter >> 1);
  return select(value == V(Scalar<V>(0)), V(Scalar<V>(0)), value);
}

// CUDA's __sinf and __cosf: an absolute error near 2^-21; what is far away takes the other way.
//   x = k pi + r, |r| <= pi/2    sin(x) = +-sin(r); for cos, x + pi/2 is reduced
WARPLOOM_INLINE bool any_far(Float x) { return any(~(absolute(x) <= Float(0x1p16f))); }
WARPLOOM_SELDOM Float sin_far(Float x) { return sin(x); }
WARPLOOM_SELDOM Float cos_far(Float x) { return cos(x); }

WARPLOOM_INLINE Float fast_sin_of(Float x, Float k, Int flips) {
  Float r = mad(k, Float(-0x1.921fb6p1f), x);
  r = mad(k, Float(0x1.777a5cp-24f), r);
  Float z = r * r;
  return negate_if_odd(r * polynomial(z, sin_fast_f32), flips);
}
WARPLOOM_INLINE Float fast_sin(Float x) {
  if (any_far(x)) return sin_far(x);
  auto k = round_scaled(x, 0x1.45f306p-2f);
  return fast_sin_of(x, k.number, k.raw);
}
WARPLOOM_INLINE Float fast_cos(Float x) {
  if (any_far(x)) return cos_far(x);
  // x/pi + 1/2 = k + rest: cos(x) = sin(x + pi/2) = +-sin(x - (k - 1/2) pi)
  Float shifted = mad(x, Float(0x1.45f306p-2f), Float(0.5f));
  auto k = round_scaled(shifted, 1.0f);
  return fast_sin_of(x, k.number - 0.5f, k.raw);
}

}  // namespace warploom_math

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sinh, cosh, tanh, asinh, acosh, atanh.
#pragma once

#include "coefficients.h"
#include "exp.h"
#include "log.h"
#include "vector.h"

namespace warploom_math {

// exp(|x|)/2 in two numbers, without overflow as long as the half is finite.
template <class V>
WARPLOOM_INLINE Two<V> half_exp(V a) {
  constexpr Scalar<V> high = is_float<V> ? 91.0 : 712.0;
  auto parts = exp_parts(select(a > V(high), V(high), a));
  V number = parts.number - Scalar<V>(1);
  V half = scale(parts.value, number, parts.k - 1);
  if constexpr (is_float<V>) return {half, V(0.0f)};
  return {half, scale(parts.low, number, parts.k - 1)};
}

template <class V>
WARPLOOM_INLINE V cosh(V x) {
  auto half = half_exp(absolute(x));
  return half.high + (Scalar<V>(0.25) / half.high + half.low);
}

template <class V>
WARPLOOM_INLINE V sinh(V x) {
  using T = Scalar<V>;
  V a = absolute(x), z = a * a;
  V near = mad(a * z, WARPLOOM_POLYNOMIAL(z, sinh), a);
  auto half = half_exp(a);
  V far = half.high - (T(0.25) / half.high - half.low);
  return copysign(select(a < V(T(1)), near, far), x);
}

// tanh(x) = 1 - 2 / (exp(2x) + 1), away from 0.
template <class V>
WARPLOOM_INLINE V tanh(V x) {
  using T = Scalar<V>;
  V a = absolute(x), z = a * a;
  V near = mad(a * z, WARPLOOM_POLYNOMIAL(z, tanh), a);
  constexpr T last = is_float<V> ? 10.0 : 20.0;
  V limited = select(a > V(last), V(last), a);
  auto parts = exp_parts(limited + limited);
  V grown = parts.value * power_of_two<V>(parts.k) + T(1);
  V far = T(1) - T(2) / grown;
  return copysign(select(a < V(T(0.6)), near, far), x);
}

// log1p(a + a^2 / (1 + sqrt(a^2 + 1))); for large a, whose square may overflow, log1p(a) + log(2).
template <class V>
WARPLOOM_INLINE V asinh(V x) {
  using T = Scalar<V>;
  V a = absolute(x), z = a * a;
  V near = mad(a * z, WARPLOOM_POLYNOMIAL(z, asinh), a);
  auto huge = a > V(is_float<V> ? T(0x1p30) : T(0x1p60));
  V rest = z / (T(1) + square_root(z + T(1)));
  auto sum = fast_two_sum(a, select(huge, V(T(0)), rest));
  V far = log1p_of_sum(sum.high, sum.low);
  far = select(huge, far + T(0.693147180559945309), far);
  return copysign(select(a < V(T(0.5)), near, far), x);
}

// log1p(t + sqrt(2t + t^2)), t = x - 1.
template <class V>
WARPLOOM_INLINE V acosh(V x) {
  using T = Scalar<V>;
  V t = x - T(1);
  auto huge = x > V(is_float<V> ? T(0x1p30) : T(0x1p60));
  V root = square_root(mad(t, t, t + t));
  V argument = select(huge, t, t + root);
  V value = log1p(argument);
  value = select(huge, value + T(0.693147180559945309), value);
  return select(x < V(T(1)), V(Format<V>::nan), value);
}

// log1p(2a / (1 - a)) / 2
template <class V>
WARPLOOM_INLINE V atanh(V x) {
  using T = Scalar<V>;
  V a = absolute(x);
  V value = T(0.5) * log1p((a + a) / (T(1) - a));
  return copysign(select(a < V(is_float<V> ? T(0x1p-13) : T(0x1p-28)), a, value), x);
}

}  // namespace warploom_math

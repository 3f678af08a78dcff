// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pow(x, y) = exp(y log(x)), with the logarithm in two numbers.
//
//   x = 2^e (1 + f), s = f / (2 + f)    log(x) = e ln2 + 2 s (1 + s^2/3 + s^4/5 + ...)
//
// Relative to s the term s^2/3 is below 2^-6.6 and the rest below 2^-12.5: that many digits are gained by rounding it
// only once. For float the first kind of gain is enough.
#pragma once

#include "coefficients.h"
#include "exp.h"
#include "log.h"
#include "vector.h"

namespace warploom_math {

// log(x) as the sum of two numbers, for positive normal x; `adjust` is added to the exponent of x.
template <class V>
WARPLOOM_INLINE Two<V> log_two(V x, V adjust) {
  using T = Scalar<V>;
  auto parts = split_binary(x, root_of_half<V>);
  V e = parts.exponent + adjust;
  V f = parts.mantissa - T(1);
  V d = parts.mantissa + T(1);
  V d_low = parts.mantissa - (d - T(1));
  V inverse = T(1) / d;
  V s = f * inverse;
  V s_low = (fma(-s, d, f) - s * d_low) * inverse;
  V z = s * s;
  V high, low;
  if constexpr (is_float<V>) {
    auto sum = fast_two_sum(s, mad(s * z, WARPLOOM_POLYNOMIAL(z, log_atanh), s_low));
    high = sum.high;
    low = sum.low;
  } else {
    constexpr T third = 0x1.5555555555555p-2, third_low = 0x1.5555555555555p-56;
    V z_low = fma(s, s, -z) + T(2) * s * s_low;
    V w = z * third;
    V w_low = fma(z, V(third), -w) + mad(z, V(third_low), z_low * third);
    w_low = mad(z * z, WARPLOOM_POLYNOMIAL(z, log_atanh), w_low);
    auto product = two_product(s, w);
    V product_low = product.low + mad(s, w_low, s_low * w);
    auto sum = fast_two_sum(s, product.high);
    high = sum.high;
    low = sum.low + (product_low + s_low);
  }
  // e ln2 is the larger, unless e is 0 and everything is exact.
  V whole = e * ln2_high<V>;
  auto total = fast_two_sum(whole, high + high);
  return fast_two_sum(total.high, total.low + mad(e, V(ln2_low<V>), low + low));
}

// pow(|x|, y) for finite y and positive normal |x| 2^-adjust.
template <class V>
WARPLOOM_INLINE V pow_positive(V x, V adjust, V y) {
  constexpr Scalar<V> limit = is_float<V> ? 110.0 : 760.0;
  auto log = log_two(x, adjust);
  V product = y * log.high;
  V low = mad(y, log.low, fma(y, log.high, -product));
  auto overflown = absolute(product) > V(limit);
  low = select(overflown, V(Scalar<V>(0)), low);
  auto parts = exp_parts(clamp(product, -limit, limit), low);
  return scale(parts.value, parts.number, parts.k);
}

template <class V>
WARPLOOM_INLINE V pow_anywhere(V x, V y) {
  using T = Scalar<V>;
  constexpr T infinity = Format<V>::infinity;
  const V zero = V(T(0)), one = V(T(1));
  V a = absolute(x);
  auto small = a < V(Format<V>::smallest_normal);
  V scaled = select(small, a * (is_float<V> ? T(0x1p32) : T(0x1p64)), a);
  V adjust = select(small, V(is_float<V> ? T(-32) : T(-64)), zero);
  auto y_infinite = absolute(y) == V(infinity);
  V value = pow_positive(scaled, adjust, select(y_infinite, zero, y));
  auto extreme = (a == zero) | (a == V(infinity)) | (y_infinite & (a != one));
  V grown = select((a > one) == (y > zero), V(infinity), zero);
  value = select(extreme, grown, value);
  V half = y * T(0.5);
  auto whole = truncate(y) == y;
  auto odd = whole & (truncate(half) != half);
  auto negative = bits(x) < 0;
  value = select(negative & odd, -value, value);
  value = select(negative & ~whole & (a != zero) & (a != V(infinity)), V(Format<V>::nan), value);
  value = select((x != x) | (y != y), x + y, value);
  return select((y == zero) | (x == one), one, value);
}

template <class V>
WARPLOOM_INLINE V pow(V x, V y) {
  auto ordinary = absolute(y) < V(Format<V>::infinity);
  if (any(not_positive_normal(x) | ~ordinary)) return pow_anywhere(x, y);
  return pow_positive(x, V(Scalar<V>(0)), y);
}

// CUDA defines __powf(x, y) as exp2f(y * __log2f(x)); here x below 0, infinities and the like have pow's results.
//   log2(x) = e + log2(1 + f) to about 2^-21 of f
WARPLOOM_SELDOM Float pow_seldom(Float x, Float y) { return pow(x, y); }
WARPLOOM_INLINE Float fast_pow(Float x, Float y) {
  if (any(not_positive_normal(x) | ~(absolute(y) < Float(Format<Float>::infinity)))) return pow_seldom(x, y);
  auto parts = split_binary(x);
  Float f = parts.mantissa - 1.0f;
  return fast_exp2_of(y * mad(f, polynomial(f, log2_fast_f32), parts.exponent));
}

}  // namespace warploom_math

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fmod and remainder, exact: long division, as many quotient bits a step as a product may have exactly.
#pragma once

#include "vector.h"

namespace warploom_math {

template <class V>
WARPLOOM_INLINE IntOf<V> biased_exponent(V x) {
  return bits(x) >> Format<V>::mantissa;
}

// a mod b for finite a >= 0 and b > 0. Other lanes must hold a < b.
//
// A step takes q = floor(a / t) for t = b 2^k with a/t < 2^bits, or one more than that: a - q t is exact, since it is a
// multiple of what a and t are multiples of and no larger than t.
template <class V>
WARPLOOM_INLINE V modulo(V a, V b) {
  using T = Scalar<V>;
  using Raw = typename Format<V>::ScalarInt;
  constexpr Raw step =
      WARPLOOM_HAS_FMA || is_float<V> ? Format<V>::mantissa - 3 : 24;  // what the computed fma does exactly
  auto left = a >= b;
  if (!any(left)) return a;
  do {
    constexpr T grow = is_float<V> ? 0x1p32 : 0x1p64;
    constexpr Raw grown = is_float<V> ? 32 : 64;
    auto exponent = [](V x) __attribute__((always_inline)) {  // of subnormal numbers too
      auto small = x < V(Format<V>::smallest_normal);
      return biased_exponent(select(small, x * grow, x)) - select(small, IntOf<V>(grown), IntOf<V>(Raw(0)));
    };
    IntOf<V> k = exponent(a) - exponent(b) - step;
    k = select(k < IntOf<V>(Raw(0)), IntOf<V>(Raw(0)), k);
    // 2^k by three factors: k may be more than twice the bias.
    IntOf<V> part = (k >> 2) + (k >> 4);
    V t = b * power_of_two<V>(part) * power_of_two<V>(part) * power_of_two<V>(k - part - part);
    V quotient = truncate(a / t);
    V rest = fma(-quotient, t, a);
    rest = select(rest < V(T(0)), rest + t, rest);
    rest = select(rest >= t, rest - t, rest);
    a = select(left, rest, a);
    left = a >= b;
  } while (any(left));
  return a;
}

// Where the result is not the remainder of a long division: NaN for infinite x or zero y, x for infinite y.
template <class V>
WARPLOOM_INLINE V modulo_or_special(V x, V y, V value) {
  using T = Scalar<V>;
  V a = absolute(x), b = absolute(y);
  auto invalid = !(a < V(Format<V>::infinity)) | (b == V(T(0))) | (b != b);
  return select(invalid, V(Format<V>::nan), copysign(value, x));
}

template <class V>
WARPLOOM_INLINE V fmod(V x, V y) {
  using T = Scalar<V>;
  V a = absolute(x), b = absolute(y);
  auto ordinary = (a < V(Format<V>::infinity)) & (b > V(T(0)));
  V value = modulo(select(ordinary, a, V(T(0))), select(ordinary, b, V(T(1))));
  return modulo_or_special(x, y, value);
}

template <class V>
WARPLOOM_INLINE V remainder(V x, V y) {
  using T = Scalar<V>;
  V a = absolute(x), b = absolute(y);
  auto ordinary = (a < V(Format<V>::infinity)) & (b > V(T(0)));
  a = select(ordinary, a, V(T(0)));
  b = select(ordinary, b, V(T(1)));
  // The rest of a division by 2b tells whether the quotient by b is odd, which decides ties.
  V twice = b + b;
  V rest = modulo(a, twice);
  auto more = rest > b - rest;
  V once = select(more, rest - b, rest);
  auto again = more & (once >= b - once);
  V value = select(again, once - b, once);
  value = select(bits(x) < 0, -value, value);
  value = select(value == V(T(0)), copysign(value, x), value);
  auto invalid = !(absolute(x) < V(Format<V>::infinity)) | (y == V(T(0))) | (y != y);
  return select(invalid, V(Format<V>::nan), value);
}

}  // namespace warploom_math

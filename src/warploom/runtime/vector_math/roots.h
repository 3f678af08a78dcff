// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rsqrt, cbrt, rcbrt, hypot.
#pragma once

#include "vector.h"

namespace warploom_math {

#ifdef WARPLOOM_X86_512
// y (1 + h/2), h = 1 - x y^2: the estimate's 14 bits become 27. For 0 and infinity h is NaN, which the comparison turns
// into 1: y stays what it is.
WARPLOOM_INLINE Float rsqrt(Float x) {
  Float y = rsqrt_estimate(x);
  Float h = fma(-(x * y), y, Float(1.0f));
  h = select(h < Float(1.0f), h, Float(1.0f));
  return fma(y * 0.5f, h, y);
}
#else
// AVX2's estimate has 11 bits and takes subnormal numbers for 0: to mend that takes longer than a root and a division.
WARPLOOM_INLINE Float rsqrt(Float x) { return 1.0f / square_root(x); }
#endif
WARPLOOM_INLINE Double rsqrt(Double x) { return 1.0 / square_root(x); }

// x = m 8^j scaled to a normal number; the bits of x^(-1/3) are nearly linear in those of x.
//   y -> y + y (1 - x y^3)/3 (1 + 2 (1 - x y^3)/3)
template <class V>
struct CubeRoot {
  V x, inverse;  // inverse: x^(-1/3) to nearly the last bit
  V unscale;     // what the cube root of x has to be multiplied by
};
template <class V>
WARPLOOM_INLINE CubeRoot<V> inverse_cube_root(V magnitude) {
  using T = Scalar<V>;
  using U = typename Format<V>::U;
  constexpr auto start = is_float<V> ? 0x54a2329cull : 0x553ef0fe35795548ull;
  CubeRoot<V> root;
  constexpr T up = is_float<V> ? 0x1p24 : 0x1p54, down = is_float<V> ? 0x1p-24 : 0x1p-54;
  constexpr T root_up = is_float<V> ? 0x1p8 : 0x1p18, root_down = is_float<V> ? 0x1p-8 : 0x1p-18;
  auto small = magnitude < V(Format<V>::smallest_normal);
  auto large = magnitude > V(T(1) / Format<V>::smallest_normal);
  root.x = magnitude * select(small, V(up), select(large, V(down), V(T(1))));
  root.unscale = select(small, V(root_down), select(large, V(root_up), V(T(1))));
  IntOf<V> third;
  if constexpr (is_float<V>) {
    third = __builtin_convertvector(__builtin_bit_cast(U, root.x) / U(3), Int);
  } else {  // 64-bit division by 3 through the upper words: the estimate needs no more
    third = __builtin_bit_cast(IntOf<V>, (__builtin_bit_cast(U, root.x) >> 32) * U(0x55555556u));
  }
  V y = from_bits(IntOf<V>(typename Format<V>::ScalarInt(start)) - third);
  V x = root.x;
#pragma clang loop unroll(full)
  for (int i = 0; i < (is_float<V> ? 2 : 3); ++i) {
    V h = mad(-x * y, y * y, V(T(1)));
    y = mad(y * h, mad(h, V(T(2.0 / 9)), V(T(1.0 / 3))), y);
  }
  root.inverse = y;
  return root;
}

template <class V>
WARPLOOM_INLINE V cbrt(V x) {
  using T = Scalar<V>;
  V magnitude = absolute(x);
  auto root = inverse_cube_root(magnitude);
  V y = root.inverse;
  V value = root.x * y * y;
  // One Newton step with the residual x - value^3 in two parts.
  auto square = two_product(value, value);
  auto cube = two_product(square.high, value);
  V residual = (root.x - cube.high) - mad(square.low, value, cube.low);
  value = mad(residual, y * y * T(1.0 / 3), value);
  value = value * root.unscale;
  auto special = (magnitude == V(T(0))) | !(magnitude < V(Format<V>::infinity));
  return select(special, x, copysign(value, x));
}

template <class V>
WARPLOOM_INLINE V rcbrt(V x) {
  using T = Scalar<V>;
  V magnitude = absolute(x);
  auto root = inverse_cube_root(magnitude);
  V y = root.inverse;
  // 1 - x y^3 with x y in two parts, and so on: the last step decides the last bit.
  auto product = two_product(root.x, y);
  auto square = two_product(y, y);
  V h = fma(-product.high, square.high, V(T(1))) - mad(product.low, square.high, product.high * square.low);
  V value = mad(y * h, V(T(1.0 / 3)), y);
  value = value / root.unscale;
  value = select(magnitude == V(T(0)), V(Format<V>::infinity), value);
  value = select(magnitude == V(Format<V>::infinity), V(T(0)), value);
  return select(x == x, copysign(value, x), x);
}

// Both are scaled by the power of two that brings the larger near 1; an infinity wins against a NaN.
template <class V>
WARPLOOM_INLINE V hypot(V x, V y) {
  using T = Scalar<V>;
  V a = absolute(x), b = absolute(y);
  V larger = select(a > b, a, b), smaller = select(a > b, b, a);
  using Raw = typename Format<V>::ScalarInt;
  IntOf<V> e = (bits(larger) >> Format<V>::mantissa) - Format<V>::bias;
  e = select(e > IntOf<V>(Raw(Format<V>::bias - 1)), IntOf<V>(Raw(Format<V>::bias - 1)), e);
  V down = power_of_two<V>(-e), up = power_of_two<V>(e);
  if (any(e == IntOf<V>(Raw(-Format<V>::bias)))) {  // zero or subnormal: 2^-bias is none of power_of_two's
    auto tiny = e == IntOf<V>(Raw(-Format<V>::bias));
    down = select(tiny, V(T(1) / Format<V>::smallest_normal), down);
    up = select(tiny, V(Format<V>::smallest_normal), up);
  }
  V p = larger * down, q = smaller * down;
  V sum = mad(p, p, q * q);
  V value = square_root(sum) * up;
  auto infinite = (a == V(Format<V>::infinity)) | (b == V(Format<V>::infinity));
  value = select(a == a, value, a);
  value = select(b == b, value, b);
  return select(infinite, V(Format<V>::infinity), value);
}

}  // namespace warploom_math

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// log, log2, log10, log1p.
//
//   x = 2^e (1 + f), -1/4 <= f < 1/2    log(x) = e ln2 + log(1 + f)
//
// The interval is such that e = 1 goes with |f| <= 1/4: no digits cancel, and 1 + f is exact in log1p.
//
// One unsigned comparison finds every argument that is not positive and normal; only then are those told apart.
#pragma once

#include "coefficients.h"
#include "exp.h"
#include "vector.h"

namespace warploom_math {

template <class V>
constexpr Scalar<V> one_over_ln2_low = is_float<V> ? 0x1.4ae0cp-26 : 0x1.777d0ffda0d24p-56;
template <class V>
constexpr Scalar<V> one_over_ln10 = is_float<V> ? 0x1.bcb7b2p-2 : 0x1.bcb7b1526e50ep-2;
template <class V>
constexpr Scalar<V> one_over_ln10_low = is_float<V> ? -0x1.5b235ep-27 : 0x1.95355baaafad3p-57;

template <class V>
WARPLOOM_INLINE IntOf<V> not_positive_normal(V x) {
  using U = typename Format<V>::U;
  using T = typename Format<V>::ScalarUnsigned;
  constexpr T one = T(1) << Format<V>::mantissa;
  U from_smallest = __builtin_bit_cast(U, x) - one;
  return __builtin_bit_cast(IntOf<V>, from_smallest >= U(one * (2 * Format<V>::bias)));
}

// Where the mantissa's interval starts, as bits.
template <class V>
constexpr typename Format<V>::ScalarInt three_quarters = is_float<V> ? 0x3f400000 : 0x3fe8000000000000;
template <class V>
constexpr typename Format<V>::ScalarInt root_of_half = is_float<V> ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;

// x = 2^e m with m in [start, 2 start), for positive normal x.
template <class V>
struct Binary {
  V mantissa, exponent;
  IntOf<V> e;
};
template <class V>
WARPLOOM_INLINE Binary<V> split_binary(V x, typename Format<V>::ScalarInt start = three_quarters<V>) {
  using T = typename Format<V>::ScalarInt;
  constexpr T mantissa_mask = (T(1) << Format<V>::mantissa) - 1;
  IntOf<V> above = bits(x) - start;
  IntOf<V> e = above >> Format<V>::mantissa;
  V m = from_bits((above & mantissa_mask) + start);
  return {m, __builtin_convertvector(e, V), e};
}

template <class V>
WARPLOOM_INLINE V log_of_parts(V f, V e) {
  V p = mad(f * f, WARPLOOM_POLYNOMIAL(f, log), f);
  return mad(e, V(ln2_high<V>), mad(e, V(ln2_low<V>), p));
}
struct Natural {
  template <class V>
  static constexpr auto start = three_quarters<V>;
  template <class V>
  static WARPLOOM_INLINE V of(V f, V e) {
    return log_of_parts(f, e);
  }
};
struct Binary2 {
  template <class V>
  static constexpr auto start = root_of_half<V>;  // here e = -1 is what could cancel
  template <class V>
  static WARPLOOM_INLINE V of(V f, V e) {
    V low = mad(f, V(one_over_ln2_low<V>), f * f * WARPLOOM_POLYNOMIAL(f, log2));
    return fma(f, V(log2_of_e<V>), low) + e;
  }
};
struct Decimal {
  template <class V>
  static constexpr auto start = three_quarters<V>;
  template <class V>
  static WARPLOOM_INLINE V of(V f, V e) {
    V low = mad(f, V(one_over_ln10_low<V>), f * f * WARPLOOM_POLYNOMIAL(f, log10));
    V p = fma(f, V(one_over_ln10<V>), low);
    return mad(e, V(log10_of_2_high<V>), mad(e, V(log10_of_2_low<V>), p));
  }
};

// `Base` of any x: subnormal numbers are scaled, and the rest has its IEEE results.
template <class Base, class V>
WARPLOOM_INLINE V log_anywhere(V x) {
  using T = Scalar<V>;
  constexpr T shift = is_float<V> ? 32 : 64;
  constexpr T factor = is_float<V> ? 0x1p32 : 0x1p64;
  auto small = x < V(Format<V>::smallest_normal);
  auto parts = split_binary(select(small, x * factor, x), Base::template start<V>);
  V value = Base::of(parts.mantissa - T(1), parts.exponent - select(small, V(shift), V(T(0))));
  value = select(x == V(T(0)), V(-Format<V>::infinity), value);
  value = select(x < V(T(0)), V(Format<V>::nan), value);
  return select(x < V(Format<V>::infinity), value, x);  // NaN and infinity
}
template <class Base, class V>
WARPLOOM_INLINE V log_in(V x) {
  if (any(not_positive_normal(x))) return log_anywhere<Base>(x);
  auto parts = split_binary(x, Base::template start<V>);
  return Base::of(parts.mantissa - Scalar<V>(1), parts.exponent);
}

template <class V>
WARPLOOM_INLINE V log(V x) {
  return log_in<Natural>(x);
}
template <class V>
WARPLOOM_INLINE V log2(V x) {
  return log_in<Binary2>(x);
}
template <class V>
WARPLOOM_INLINE V log10(V x) {
  return log_in<Decimal>(x);
}

// log(1 + x + low) for a small low: f = (1 + x) 2^-e - 1 without the rounding of 1 + x, which matters while e is small.
template <class V>
WARPLOOM_INLINE V log1p_of_sum(V x, V low) {
  using T = Scalar<V>;
  V sum = x + T(1);
  auto parts = split_binary(sum);
  V inverse = power_of_two<V>(-parts.e);
  V exact = mad(x, inverse, inverse - T(1)) + low * inverse;
  V f = select(parts.exponent > V(T(2 * Format<V>::mantissa)), parts.mantissa - T(1), exact);
  V value = log_of_parts(f, parts.exponent);
  if (any(not_positive_normal(sum))) {
    value = select(sum == V(T(0)), V(-Format<V>::infinity), value);
    value = select(sum < V(T(0)), V(Format<V>::nan), value);
    value = select(sum < V(Format<V>::infinity), value, sum);
  }
  return copysign(value, x);
}
template <class V>
WARPLOOM_INLINE V log1p(V x) {
  return log1p_of_sum(x, V(Scalar<V>(0)));
}

}  // namespace warploom_math

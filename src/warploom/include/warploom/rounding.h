// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directed rounding without touching the rounding mode.
//
// Let r be a result rounded to nearest and e have the sign of (exact - r). The exact value then lies between r and its
// neighbour in the direction of e, so each directed result is r or that neighbour:
//   up (ru):          e > 0 ? next_up(r) : r
//   down (rd):        e < 0 ? next_down(r) : r
//   to zero (rz):     down for positive r, up for negative r
// The same holds for r = +-infinity from finite operands (its neighbour is the largest number) and for r = +-0 from an
// underflow. A NaN in e compares false and changes nothing.
#pragma once

#include "function_attributes.h"

__WARPLOOM_DEVICE float __warploom_next_up(float r) {
  if (r == 0.0f) return __builtin_bit_cast(float, 1);
  int bits = __builtin_bit_cast(int, r);
  return __builtin_bit_cast(float, bits + (bits < 0 ? -1 : 1));
}
__WARPLOOM_DEVICE double __warploom_next_up(double r) {
  if (r == 0.0) return __builtin_bit_cast(double, 1ll);
  long long bits = __builtin_bit_cast(long long, r);
  return __builtin_bit_cast(double, bits + (bits < 0 ? -1 : 1));
}

template <class T>
__WARPLOOM_DEVICE T __warploom_round_ru(T r, double error) {
  return error > 0.0 ? __warploom_next_up(r) : r;
}
template <class T>
__WARPLOOM_DEVICE T __warploom_round_rd(T r, double error) {
  return error < 0.0 ? -__warploom_next_up(-r) : r;
}
template <class T>
__WARPLOOM_DEVICE T __warploom_round_rz(T r, double error) {
  if (r > T(0)) return __warploom_round_rd(r, error);
  return r < T(0) ? __warploom_round_ru(r, error) : r;
}
template <class T>
__WARPLOOM_DEVICE T __warploom_round_rn(T r, double) {
  return r;
}

// a + b = sum + error exactly, for any finite operands whose sum is finite.
__WARPLOOM_DEVICE double __warploom_sum_error(double a, double b, double sum) {
#pragma clang fp reassociate(off) contract(off)
  bool swap = __builtin_fabs(a) < __builtin_fabs(b);
  double large = swap ? b : a, small = swap ? a : b;
  return small - (sum - large);
}

// The sign of (high + low) - r, where r is high rounded to float and |low| is below the last bit of high.
__WARPLOOM_DEVICE double __warploom_float_error(double high, double low, float r) {
#pragma clang fp reassociate(off) contract(off)
  double difference = high - (double)r;
  return difference != 0.0 ? difference : low;
}

// An exact zero sum of two numbers that are not both +0 is -0 when rounding down.
template <class T>
__WARPLOOM_DEVICE bool __warploom_is_negative_zero_sum(T a, T b, T r, double error) {
  return r == T(0) && error == 0.0 && (__builtin_signbit(a) || __builtin_signbit(b));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __dadd_rz and its siblings: double-precision arithmetic in each rounding mode, exact. Each needs the sign of the
// error of the result rounded to nearest (see rounding.h), which a fused multiply-add gives wherever nothing
// underflows; small operands are scaled by powers of two first.
#pragma once

#include "function_attributes.h"
#include "libc.h"
#include "rounding.h"

__WARPLOOM_DEVICE bool __warploom_is_finite(double x) { return __builtin_fabs(x) < __builtin_inf(); }
__WARPLOOM_DEVICE double __warploom_sign(double x) { return __builtin_copysign(1.0, x); }

__WARPLOOM_DEVICE double __warploom_add_error(double a, double b, double r) {
  if (!__warploom_is_finite(r)) return __warploom_is_finite(a) && __warploom_is_finite(b) ? -r : 0.0;
  return __warploom_sum_error(a, b, r);
}

__WARPLOOM_DEVICE double __warploom_mul_error(double a, double b, double r) {
  if (!__warploom_is_finite(r)) return __warploom_is_finite(a) && __warploom_is_finite(b) ? -r : 0.0;
  if (__builtin_fabs(r) >= 0x1p-900) return __builtin_fma(a, b, -r);
  if (a == 0.0 || b == 0.0) return 0.0;
  if (r == 0.0) return __warploom_sign(a) * __warploom_sign(b);
  bool a_is_small = __builtin_fabs(a) < __builtin_fabs(b);
  return __builtin_fma(a_is_small ? a * 0x1p600 : a, a_is_small ? b : b * 0x1p600, -r * 0x1p600);
}

__WARPLOOM_DEVICE_CALL double __warploom_div_error(double a, double b, double r) {
  if (!__warploom_is_finite(r)) return b != 0.0 && __warploom_is_finite(a) && __warploom_is_finite(b) ? -r : 0.0;
  if (a == 0.0 || !__warploom_is_finite(b)) return 0.0;
  int a_exponent, b_exponent;
  double a_fraction = frexp(a, &a_exponent), b_fraction = frexp(b, &b_exponent);
  double quotient = ldexp(r, b_exponent - a_exponent);
  return __builtin_fma(-quotient, b_fraction, a_fraction) * __warploom_sign(b);
}

__WARPLOOM_DEVICE double __warploom_sqrt_error(double a, double r) {
  if (a < 0x1p-900) {
    a *= 0x1p200;
    r *= 0x1p100;
  }
  return __builtin_fma(-r, r, a);
}

// The error of r = a*b + c for operands of comparable size: the exact sum of five terms, largest first (Boldo and
// Muller, "Exact and approximated error of the FMA", 2011).
__WARPLOOM_DEVICE double __warploom_fma_error_scaled(double a, double b, double c, double r) {
#pragma clang fp reassociate(off) contract(off)
  double product = a * b;
  double product_low = __builtin_fma(a, b, -product);
  double tail = c + product_low;
  double tail_low = __warploom_sum_error(c, product_low, tail);
  double sum = product + tail;
  double sum_low = __warploom_sum_error(product, tail, sum);
  return ((sum - r) + sum_low) + tail_low;
}

__WARPLOOM_DEVICE_CALL double __warploom_fma_error(double a, double b, double c, double r) {
  if (!__warploom_is_finite(r))
    return __warploom_is_finite(a) && __warploom_is_finite(b) && __warploom_is_finite(c) ? -r : 0.0;
  if (a == 0.0 || b == 0.0) return 0.0;
  if (c == 0.0) return __warploom_mul_error(a, b, r);
  int a_exponent, b_exponent, c_exponent;
  double a_fraction = frexp(a, &a_exponent), b_fraction = frexp(b, &b_exponent), c_fraction = frexp(c, &c_exponent);
  int product_exponent = a_exponent + b_exponent;
  int distance = c_exponent - product_exponent;
  // Too far apart to meet: the smaller one only breaks the tie.
  if (distance > 200) return __warploom_sign(a) * __warploom_sign(b);
  if (distance < -200) {
    double error = __warploom_mul_error(a, b, r);
    return error != 0.0 ? error : c;
  }
  return __warploom_fma_error_scaled(a_fraction, b_fraction, ldexp(c_fraction, distance), ldexp(r, -product_exponent));
}

#define __WARPLOOM_NEAREST _Pragma("clang fp reassociate(off) contract(off) reciprocal(off)")
__WARPLOOM_DEVICE double __dadd_rn(double x, double y) { __WARPLOOM_NEAREST return x + y; }
__WARPLOOM_DEVICE double __dsub_rn(double x, double y) { __WARPLOOM_NEAREST return x - y; }
__WARPLOOM_DEVICE double __dmul_rn(double x, double y) { __WARPLOOM_NEAREST return x * y; }
__WARPLOOM_DEVICE double __ddiv_rn(double x, double y) { __WARPLOOM_NEAREST return x / y; }
__WARPLOOM_DEVICE double __drcp_rn(double x) { __WARPLOOM_NEAREST return 1.0 / x; }
#undef __WARPLOOM_NEAREST
__WARPLOOM_DEVICE double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
__WARPLOOM_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

#define __WARPLOOM_DIRECTED(MODE)                                                    \
  __WARPLOOM_DEVICE double __dmul_##MODE(double x, double y) {                       \
    double r = __dmul_rn(x, y);                                                      \
    return __warploom_round_##MODE(r, __warploom_mul_error(x, y, r));                \
  }                                                                                  \
  __WARPLOOM_DEVICE double __ddiv_##MODE(double x, double y) {                       \
    double r = __ddiv_rn(x, y);                                                      \
    return __warploom_round_##MODE(r, __warploom_div_error(x, y, r));                \
  }                                                                                  \
  __WARPLOOM_DEVICE double __drcp_##MODE(double x) { return __ddiv_##MODE(1.0, x); } \
  __WARPLOOM_DEVICE double __dsqrt_##MODE(double x) {                                \
    double r = __builtin_sqrt(x);                                                    \
    return __warploom_round_##MODE(r, __warploom_sqrt_error(x, r));                  \
  }
#define __WARPLOOM_DIRECTED_SUM(MODE)                                    \
  __WARPLOOM_DEVICE double __dadd_##MODE(double x, double y) {           \
    double r = __dadd_rn(x, y);                                          \
    return __warploom_round_##MODE(r, __warploom_add_error(x, y, r));    \
  }                                                                      \
  __WARPLOOM_DEVICE double __fma_##MODE(double x, double y, double z) {  \
    double r = __builtin_fma(x, y, z);                                   \
    return __warploom_round_##MODE(r, __warploom_fma_error(x, y, z, r)); \
  }
__WARPLOOM_DIRECTED(rz)
__WARPLOOM_DIRECTED(ru)
__WARPLOOM_DIRECTED(rd)
__WARPLOOM_DIRECTED_SUM(rz)
__WARPLOOM_DIRECTED_SUM(ru)
__WARPLOOM_DEVICE double __dadd_rd(double x, double y) {
  double r = __dadd_rn(x, y), error = __warploom_add_error(x, y, r);
  return __warploom_is_negative_zero_sum(x, y, r, error) ? -0.0 : __warploom_round_rd(r, error);
}
__WARPLOOM_DEVICE double __fma_rd(double x, double y, double z) {
  double r = __builtin_fma(x, y, z), error = __warploom_fma_error(x, y, z, r);
  double product_sign = __warploom_sign(x) * __warploom_sign(y);
  return __warploom_is_negative_zero_sum(product_sign, z, r, error) ? -0.0 : __warploom_round_rd(r, error);
}
#define __WARPLOOM_SUBTRACT(MODE) \
  __WARPLOOM_DEVICE double __dsub_##MODE(double x, double y) { return __dadd_##MODE(x, -y); }
__WARPLOOM_SUBTRACT(rz)
__WARPLOOM_SUBTRACT(ru)
__WARPLOOM_SUBTRACT(rd)
#undef __WARPLOOM_SUBTRACT
#undef __WARPLOOM_DIRECTED_SUM
#undef __WARPLOOM_DIRECTED

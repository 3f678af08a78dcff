// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __fadd_rz and its siblings: single-precision arithmetic in each rounding mode, exact. Double holds every product of
// two floats, and a sum, quotient or root in double with the sign of its own error says the rest (see rounding.h).
#pragma once

#include "function_attributes.h"
#include "rounding.h"

struct __warploom_wide {
  double high, low;
};

__WARPLOOM_DEVICE __warploom_wide __warploom_wide_add(double a, double b) {
#pragma clang fp reassociate(off) contract(off)
  double sum = a + b;
  return {sum, __warploom_sum_error(a, b, sum)};
}
__WARPLOOM_DEVICE __warploom_wide __warploom_wide_mul(double a, double b) {
#pragma clang fp reassociate(off) contract(off)
  return {a * b, 0.0};
}
__WARPLOOM_DEVICE __warploom_wide __warploom_wide_div(double a, double b) {
#pragma clang fp reassociate(off) reciprocal(off)
  double quotient = a / b;
  double remainder = __builtin_fma(-quotient, b, a);
  return {quotient, __builtin_signbit(b) ? -remainder : remainder};
}
__WARPLOOM_DEVICE __warploom_wide __warploom_wide_sqrt(double a) {
  double root = __builtin_sqrt(a);
  return {root, __builtin_fma(-root, root, a)};
}

#define __WARPLOOM_ROUND_WIDE(MODE, EXPRESSION) \
  __warploom_wide __w = EXPRESSION;             \
  float __r = (float)__w.high;                  \
  return __warploom_round_##MODE(__r, __warploom_float_error(__w.high, __w.low, __r));
// Rounding down, where an exact zero sum has its own sign.
#define __WARPLOOM_ROUND_SUM_DOWN(A, B)                                          \
  __warploom_wide __w = __warploom_wide_add(A, B);                               \
  float __r = (float)__w.high;                                                   \
  double __error = __warploom_float_error(__w.high, __w.low, __r);               \
  if (__warploom_is_negative_zero_sum<double>(A, B, __r, __error)) return -0.0f; \
  return __warploom_round_rd(__r, __error);

#define __WARPLOOM_DIRECTED(MODE)                                                                                      \
  __WARPLOOM_DEVICE float __fmul_##MODE(float x, float y){                                                             \
      __WARPLOOM_ROUND_WIDE(MODE, __warploom_wide_mul(x, y))} __WARPLOOM_DEVICE float __fdiv_##MODE(float x, float y){ \
      __WARPLOOM_ROUND_WIDE(MODE, __warploom_wide_div(x, y))} __WARPLOOM_DEVICE float __frcp_##MODE(float x){          \
      __WARPLOOM_ROUND_WIDE(MODE, __warploom_wide_div(1.0, x))} __WARPLOOM_DEVICE float __fsqrt_##MODE(float x) {      \
    __WARPLOOM_ROUND_WIDE(MODE, __warploom_wide_sqrt(x))                                                               \
  }
#define __WARPLOOM_DIRECTED_SUM(MODE)                                                                      \
  __WARPLOOM_DEVICE float __fadd_##MODE(float x, float y){__WARPLOOM_ROUND_WIDE(                           \
      MODE, __warploom_wide_add(x, y))} __WARPLOOM_DEVICE float __fmaf_##MODE(float x, float y, float z) { \
    __WARPLOOM_ROUND_WIDE(MODE, __warploom_wide_add((double)x * (double)y, z))                             \
  }
__WARPLOOM_DIRECTED(rz)
__WARPLOOM_DIRECTED(ru)
__WARPLOOM_DIRECTED(rd)
__WARPLOOM_DIRECTED_SUM(rz)
__WARPLOOM_DIRECTED_SUM(ru)
__WARPLOOM_DEVICE float __fadd_rd(float x, float y){__WARPLOOM_ROUND_SUM_DOWN((double)x, (double)y)} __WARPLOOM_DEVICE
    float __fmaf_rd(float x, float y, float z){__WARPLOOM_ROUND_SUM_DOWN((double)x * (double)y, (double)z)}
#define __WARPLOOM_SUBTRACT(MODE) \
  __WARPLOOM_DEVICE float __fsub_##MODE(float x, float y) { return __fadd_##MODE(x, -y); }
__WARPLOOM_SUBTRACT(rz) __WARPLOOM_SUBTRACT(ru) __WARPLOOM_SUBTRACT(rd)
#undef __WARPLOOM_SUBTRACT
#undef __WARPLOOM_DIRECTED_SUM
#undef __WARPLOOM_DIRECTED
#undef __WARPLOOM_ROUND_SUM_DOWN
#undef __WARPLOOM_ROUND_WIDE

// To nearest: the machine's own operations, never fused with their neighbours.
#define __WARPLOOM_NEAREST _Pragma("clang fp reassociate(off) contract(off) reciprocal(off)")
    __WARPLOOM_DEVICE float __fadd_rn(float x, float y) {
  __WARPLOOM_NEAREST return x + y;
}
__WARPLOOM_DEVICE float __fsub_rn(float x, float y) { __WARPLOOM_NEAREST return x - y; }
__WARPLOOM_DEVICE float __fmul_rn(float x, float y) { __WARPLOOM_NEAREST return x * y; }
__WARPLOOM_DEVICE float __fdiv_rn(float x, float y) { __WARPLOOM_NEAREST return x / y; }
__WARPLOOM_DEVICE float __frcp_rn(float x) { __WARPLOOM_NEAREST return 1.0f / x; }
#undef __WARPLOOM_NEAREST
__WARPLOOM_DEVICE float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
__WARPLOOM_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPLOOM_DEVICE float __fmaf_ieee_rn(float x, float y, float z) { return __fmaf_rn(x, y, z); }
__WARPLOOM_DEVICE float __fmaf_ieee_rz(float x, float y, float z) { return __fmaf_rz(x, y, z); }
__WARPLOOM_DEVICE float __fmaf_ieee_ru(float x, float y, float z) { return __fmaf_ru(x, y, z); }
__WARPLOOM_DEVICE float __fmaf_ieee_rd(float x, float y, float z) { return __fmaf_rd(x, y, z); }

// 1/sqrt(x) to nearest: the double value, moved to an odd last bit where it is not exact, rounds once.
__WARPLOOM_DEVICE float __frsqrt_rn(float x) {
  double root = __builtin_sqrt((double)x);
  double y = 1.0 / root;
  if (!(root > 0.0) || root == __builtin_inf()) return (float)y;
  double square = y * y;
  double square_error = __builtin_fma(y, y, -square);
  double residual = __builtin_fma(-square, (double)x, 1.0) - square_error * (double)x;
  // y is within two units of the last place of the exact value; `residual` measures the rest.
  double corrected = __builtin_fma(y * 0.5, residual, y);
  double rest = __builtin_fma(y * 0.5, residual, y - corrected);
  long long bits = __builtin_bit_cast(long long, corrected);
  if (rest != 0.0 && (bits & 1) == 0) bits += rest > 0.0 ? 1 : -1;
  return (float)__builtin_bit_cast(double, bits);
}

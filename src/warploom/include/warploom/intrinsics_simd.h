// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIMD-in-word intrinsics: two halfwords (__v...2) or four bytes (__v...4) of a 32-bit word.
//
// Each is one expression of the lanes `a` and `b`, widened to int with the lane's signedness and truncated again.
#pragma once

#include "function_attributes.h"

#define __WARPLOOM_LANE16(T, x, i) ((int)(T)((x) >> (16 * (i))))
#define __WARPLOOM_LANE8(T, x, i) ((int)(T)((x) >> (8 * (i))))
#define __WARPLOOM_LANES2(NAME, T, a, b)                                          \
  __warploom_lane##NAME(__WARPLOOM_LANE16(T, a, 0), __WARPLOOM_LANE16(T, b, 0)) | \
      __warploom_lane##NAME(__WARPLOOM_LANE16(T, a, 1), __WARPLOOM_LANE16(T, b, 1)) << 16
#define __WARPLOOM_LANES4(NAME, T, a, b)                                                  \
  __warploom_lane##NAME(__WARPLOOM_LANE8(T, a, 0), __WARPLOOM_LANE8(T, b, 0)) |           \
      __warploom_lane##NAME(__WARPLOOM_LANE8(T, a, 1), __WARPLOOM_LANE8(T, b, 1)) << 8 |  \
      __warploom_lane##NAME(__WARPLOOM_LANE8(T, a, 2), __WARPLOOM_LANE8(T, b, 2)) << 16 | \
      __warploom_lane##NAME(__WARPLOOM_LANE8(T, a, 3), __WARPLOOM_LANE8(T, b, 3)) << 24
#define __WARPLOOM_LANE_FUNCTION(NAME, MASK, EXPRESSION) \
  __WARPLOOM_DEVICE unsigned int __warploom_lane##NAME(int a, int b) { return (unsigned int)(EXPRESSION) & MASK; }
#define __WARPLOOM_BINARY(NAME, T, LANES) \
  __WARPLOOM_DEVICE unsigned int NAME(unsigned int a, unsigned int b) { return LANES(NAME, T, a, b); }
#define __WARPLOOM_UNARY(NAME, T, LANES) \
  __WARPLOOM_DEVICE unsigned int NAME(unsigned int a) { return LANES(NAME, T, a, 0u); }
#define __WARPLOOM_EACH(ARITY, NAME, T2, T4, EXPRESSION2, EXPRESSION4) \
  __WARPLOOM_LANE_FUNCTION(NAME##2, 0xffffu, EXPRESSION2)              \
  __WARPLOOM_LANE_FUNCTION(NAME##4, 0xffu, EXPRESSION4)                \
  ARITY(NAME##2, T2, __WARPLOOM_LANES2)                                \
  ARITY(NAME##4, T4, __WARPLOOM_LANES4)
#define __WARPLOOM_SIGNED(NAME, EXPRESSION) \
  __WARPLOOM_EACH(__WARPLOOM_BINARY, NAME, short, signed char, EXPRESSION, EXPRESSION)
#define __WARPLOOM_UNSIGNED(NAME, EXPRESSION) \
  __WARPLOOM_EACH(__WARPLOOM_BINARY, NAME, unsigned short, unsigned char, EXPRESSION, EXPRESSION)
#define __WARPLOOM_SATURATE(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))
#define __WARPLOOM_SIGNED_SATURATED(ARITY, NAME, EXPRESSION)                                       \
  __WARPLOOM_EACH(ARITY, NAME, short, signed char, __WARPLOOM_SATURATE(EXPRESSION, -32768, 32767), \
                  __WARPLOOM_SATURATE(EXPRESSION, -128, 127))
#define __WARPLOOM_UNSIGNED_SATURATED(NAME, EXPRESSION)                                                              \
  __WARPLOOM_EACH(__WARPLOOM_BINARY, NAME, unsigned short, unsigned char, __WARPLOOM_SATURATE(EXPRESSION, 0, 65535), \
                  __WARPLOOM_SATURATE(EXPRESSION, 0, 255))

__WARPLOOM_UNSIGNED(__vadd, a + b)
__WARPLOOM_UNSIGNED(__vsub, a - b)
__WARPLOOM_SIGNED_SATURATED(__WARPLOOM_BINARY, __vaddss, a + b)
__WARPLOOM_SIGNED_SATURATED(__WARPLOOM_BINARY, __vsubss, a - b)
__WARPLOOM_UNSIGNED_SATURATED(__vaddus, a + b)
__WARPLOOM_UNSIGNED_SATURATED(__vsubus, a - b)
__WARPLOOM_SIGNED(__vavgs, (a + b + (a + b >= 0)) >> 1)
__WARPLOOM_UNSIGNED(__vavgu, (a + b + 1) >> 1)
__WARPLOOM_UNSIGNED(__vhaddu, (a + b) >> 1)
__WARPLOOM_SIGNED(__vmaxs, a > b ? a : b)
__WARPLOOM_UNSIGNED(__vmaxu, a > b ? a : b)
__WARPLOOM_SIGNED(__vmins, a < b ? a : b)
__WARPLOOM_UNSIGNED(__vminu, a < b ? a : b)
__WARPLOOM_SIGNED(__vabsdiffs, a > b ? a - b : b - a)
__WARPLOOM_UNSIGNED(__vabsdiffu, a > b ? a - b : b - a)
__WARPLOOM_EACH(__WARPLOOM_UNARY, __vabs, short, signed char, a < 0 ? -a : a, a < 0 ? -a : a)
__WARPLOOM_EACH(__WARPLOOM_UNARY, __vneg, short, signed char, -a, -a)
__WARPLOOM_SIGNED_SATURATED(__WARPLOOM_UNARY, __vabsss, (a < 0 ? -a : a))
__WARPLOOM_SIGNED_SATURATED(__WARPLOOM_UNARY, __vnegss, -a)

// Comparisons: all bits of the lane (cmp) or 1 (set) where it holds.
#define __WARPLOOM_COMPARE(SIGNEDNESS, NAME, OPERATOR) \
  SIGNEDNESS(__vcmp##NAME, (a OPERATOR b) ? -1 : 0)    \
  SIGNEDNESS(__vset##NAME, (a OPERATOR b) ? 1 : 0)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, eq, ==)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, ne, !=)
__WARPLOOM_COMPARE(__WARPLOOM_SIGNED, ges, >=)
__WARPLOOM_COMPARE(__WARPLOOM_SIGNED, gts, >)
__WARPLOOM_COMPARE(__WARPLOOM_SIGNED, les, <=)
__WARPLOOM_COMPARE(__WARPLOOM_SIGNED, lts, <)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, geu, >=)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, gtu, >)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, leu, <=)
__WARPLOOM_COMPARE(__WARPLOOM_UNSIGNED, ltu, <)

// Sums of absolute differences.
#define __WARPLOOM_SUM2(NAME, DIFFERENCES)                              \
  __WARPLOOM_DEVICE unsigned int NAME(unsigned int a, unsigned int b) { \
    unsigned int d = DIFFERENCES(a, b);                                 \
    return (d & 0xffff) + (d >> 16);                                    \
  }
#define __WARPLOOM_SUM4(NAME, DIFFERENCES)                              \
  __WARPLOOM_DEVICE unsigned int NAME(unsigned int a, unsigned int b) { \
    unsigned int d = DIFFERENCES(a, b);                                 \
    return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24); \
  }
__WARPLOOM_SUM2(__vsads2, __vabsdiffs2)
__WARPLOOM_SUM2(__vsadu2, __vabsdiffu2)
__WARPLOOM_SUM4(__vsads4, __vabsdiffs4)
__WARPLOOM_SUM4(__vsadu4, __vabsdiffu4)

#undef __WARPLOOM_SUM4
#undef __WARPLOOM_SUM2
#undef __WARPLOOM_COMPARE
#undef __WARPLOOM_UNSIGNED_SATURATED
#undef __WARPLOOM_SIGNED_SATURATED
#undef __WARPLOOM_SATURATE
#undef __WARPLOOM_UNSIGNED
#undef __WARPLOOM_SIGNED
#undef __WARPLOOM_EACH
#undef __WARPLOOM_UNARY
#undef __WARPLOOM_BINARY
#undef __WARPLOOM_LANE_FUNCTION
#undef __WARPLOOM_LANES4
#undef __WARPLOOM_LANES2
#undef __WARPLOOM_LANE8
#undef __WARPLOOM_LANE16

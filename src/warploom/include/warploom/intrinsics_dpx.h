// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic-programming intrinsics (DPX): fused add, min, max and clamp at zero (relu) on words and on two halfwords.
// CUDA offers them on host and device.
#pragma once

#include "function_attributes.h"

#define __WARPLOOM_DPX_MAX(a, b) ((a) > (b) ? (a) : (b))
#define __WARPLOOM_DPX_MIN(a, b) ((a) < (b) ? (a) : (b))
// NAME_s32 and NAME_u32 take T; the x2 forms take unsigned words of two halfwords H.
#define __WARPLOOM_DPX2(NAME, SUFFIX, T, H, TAIL, EXPRESSION)                                                       \
  __WARPLOOM_HOST_DEVICE T __warploom_##NAME##_##SUFFIX##TAIL(T a, T b) { return (T)(EXPRESSION); }                 \
  __WARPLOOM_HOST_DEVICE T NAME##_##SUFFIX##32##TAIL(T a, T b) { return __warploom_##NAME##_##SUFFIX##TAIL(a, b); } \
  __WARPLOOM_HOST_DEVICE unsigned int NAME##_##SUFFIX##16x2##TAIL(unsigned int a, unsigned int b) {                 \
    return (unsigned short)__warploom_##NAME##_##SUFFIX##TAIL((H)a, (H)b) |                                         \
           (unsigned int)(unsigned short)__warploom_##NAME##_##SUFFIX##TAIL((H)(a >> 16), (H)(b >> 16)) << 16;      \
  }
// The sum of the first two operands wraps to the lane.
#define __WARPLOOM_DPX3(NAME, SUFFIX, T, H, TAIL, FIRST, EXPRESSION)                                                \
  template <class L>                                                                                                \
  __WARPLOOM_HOST_DEVICE L __warploom_##NAME##_##SUFFIX##TAIL(L a, L b, L c) {                                      \
    L ab = (L)(FIRST);                                                                                              \
    return (L)(EXPRESSION);                                                                                         \
  }                                                                                                                 \
  __WARPLOOM_HOST_DEVICE T NAME##_##SUFFIX##32##TAIL(T a, T b, T c) {                                               \
    return __warploom_##NAME##_##SUFFIX##TAIL<T>(a, b, c);                                                          \
  }                                                                                                                 \
  __WARPLOOM_HOST_DEVICE unsigned int NAME##_##SUFFIX##16x2##TAIL(unsigned int a, unsigned int b, unsigned int c) { \
    return (unsigned short)__warploom_##NAME##_##SUFFIX##TAIL<H>((H)a, (H)b, (H)c) |                                \
           (unsigned int)(unsigned short)__warploom_##NAME##_##SUFFIX##TAIL<H>((H)(a >> 16), (H)(b >> 16),          \
                                                                               (H)(c >> 16))                        \
               << 16;                                                                                               \
  }
#define __WARPLOOM_DPX_SUM (unsigned int)a + (unsigned int)b
#define __WARPLOOM_DPX_BOTH(NAME, FIRST, PICK)                                 \
  __WARPLOOM_DPX3(NAME, s, int, short, , FIRST, PICK(ab, c))                   \
  __WARPLOOM_DPX3(NAME, u, unsigned int, unsigned short, , FIRST, PICK(ab, c)) \
  __WARPLOOM_DPX3(NAME, s, int, short, _relu, FIRST, __WARPLOOM_DPX_MAX(PICK(ab, c), 0))
__WARPLOOM_DPX_BOTH(__viaddmax, __WARPLOOM_DPX_SUM, __WARPLOOM_DPX_MAX)
__WARPLOOM_DPX_BOTH(__viaddmin, __WARPLOOM_DPX_SUM, __WARPLOOM_DPX_MIN)
__WARPLOOM_DPX_BOTH(__vimax3, __WARPLOOM_DPX_MAX(a, b), __WARPLOOM_DPX_MAX)
__WARPLOOM_DPX_BOTH(__vimin3, __WARPLOOM_DPX_MIN(a, b), __WARPLOOM_DPX_MIN)
__WARPLOOM_DPX2(__vimax, s, int, short, _relu, __WARPLOOM_DPX_MAX(__WARPLOOM_DPX_MAX(a, b), 0))
__WARPLOOM_DPX2(__vimin, s, int, short, _relu, __WARPLOOM_DPX_MAX(__WARPLOOM_DPX_MIN(a, b), 0))

// Which operand won is also wanted: the first does on a tie.
#define __WARPLOOM_DPX_WHICH(NAME, SUFFIX, T, H, OPERATOR)                                                       \
  __WARPLOOM_HOST_DEVICE T NAME##_##SUFFIX##32(T a, T b, bool *const pred) {                                     \
    *pred = a OPERATOR b;                                                                                        \
    return *pred ? a : b;                                                                                        \
  }                                                                                                              \
  __WARPLOOM_HOST_DEVICE unsigned int NAME##_##SUFFIX##16x2(unsigned int a, unsigned int b, bool *const pred_hi, \
                                                            bool *const pred_lo) {                               \
    *pred_hi = (H)(a >> 16) OPERATOR(H)(b >> 16);                                                                \
    *pred_lo = (H)a OPERATOR(H) b;                                                                               \
    return ((*pred_hi ? a : b) & 0xffff0000u) | ((*pred_lo ? a : b) & 0xffffu);                                  \
  }
__WARPLOOM_DPX_WHICH(__vibmax, s, int, short, >=)
__WARPLOOM_DPX_WHICH(__vibmax, u, unsigned int, unsigned short, >=)
__WARPLOOM_DPX_WHICH(__vibmin, s, int, short, <=)
__WARPLOOM_DPX_WHICH(__vibmin, u, unsigned int, unsigned short, <=)

#undef __WARPLOOM_DPX_WHICH
#undef __WARPLOOM_DPX_BOTH
#undef __WARPLOOM_DPX_SUM
#undef __WARPLOOM_DPX3
#undef __WARPLOOM_DPX2
#undef __WARPLOOM_DPX_MIN
#undef __WARPLOOM_DPX_MAX

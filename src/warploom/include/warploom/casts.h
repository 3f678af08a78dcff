// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type casts: every rounding mode, saturating. A NaN converts as PTX says: 0 if the source is float and the target has
// 32 bits, else only the target's top bit is set.
#pragma once

#include "function_attributes.h"
#include "rounding.h"

#define __WARPLOOM_TO_INTEGER(NAME, FROM, TO, ROUND, LOWEST, HIGHEST, LIMIT, NAN_RESULT) \
  __WARPLOOM_DEVICE TO NAME(FROM x) {                                                    \
    FROM __r = ROUND(x);                                                                 \
    if (__r != __r) return NAN_RESULT;                                                   \
    if (__r >= (FROM)LIMIT) return HIGHEST;                                              \
    return __r <= (FROM)LOWEST ? LOWEST : (TO)__r;                                       \
  }
#define __WARPLOOM_TO_INTEGER_MODES(NAME, FROM, SUFFIX, TO, LOWEST, HIGHEST, LIMIT, NAN_RESULT)           \
  __WARPLOOM_TO_INTEGER(NAME##_rn, FROM, TO, __builtin_rint##SUFFIX, LOWEST, HIGHEST, LIMIT, NAN_RESULT)  \
  __WARPLOOM_TO_INTEGER(NAME##_rz, FROM, TO, __builtin_trunc##SUFFIX, LOWEST, HIGHEST, LIMIT, NAN_RESULT) \
  __WARPLOOM_TO_INTEGER(NAME##_ru, FROM, TO, __builtin_ceil##SUFFIX, LOWEST, HIGHEST, LIMIT, NAN_RESULT)  \
  __WARPLOOM_TO_INTEGER(NAME##_rd, FROM, TO, __builtin_floor##SUFFIX, LOWEST, HIGHEST, LIMIT, NAN_RESULT)
#define __WARPLOOM_INT_MIN (-2147483647 - 1)
#define __WARPLOOM_LLONG_MIN (-9223372036854775807ll - 1)
#define __WARPLOOM_LLONG_TOP 0x8000000000000000ull

__WARPLOOM_TO_INTEGER_MODES(__float2int, float, f, int, __WARPLOOM_INT_MIN, 2147483647, 0x1p31, 0)
__WARPLOOM_TO_INTEGER_MODES(__float2uint, float, f, unsigned int, 0u, 4294967295u, 0x1p32, 0u)
__WARPLOOM_TO_INTEGER_MODES(__float2ll, float, f, long long, __WARPLOOM_LLONG_MIN, 9223372036854775807ll, 0x1p63,
                            __WARPLOOM_LLONG_MIN)
__WARPLOOM_TO_INTEGER_MODES(__float2ull, float, f, unsigned long long, 0ull, 18446744073709551615ull, 0x1p64,
                            __WARPLOOM_LLONG_TOP)
__WARPLOOM_TO_INTEGER_MODES(__double2int, double, , int, __WARPLOOM_INT_MIN, 2147483647, 0x1p31, __WARPLOOM_INT_MIN)
__WARPLOOM_TO_INTEGER_MODES(__double2uint, double, , unsigned int, 0u, 4294967295u, 0x1p32, 0x80000000u)
__WARPLOOM_TO_INTEGER_MODES(__double2ll, double, , long long, __WARPLOOM_LLONG_MIN, 9223372036854775807ll, 0x1p63,
                            __WARPLOOM_LLONG_MIN)
__WARPLOOM_TO_INTEGER_MODES(__double2ull, double, , unsigned long long, 0ull, 18446744073709551615ull, 0x1p64,
                            __WARPLOOM_LLONG_TOP)
#undef __WARPLOOM_LLONG_TOP
#undef __WARPLOOM_LLONG_MIN
#undef __WARPLOOM_INT_MIN
#undef __WARPLOOM_TO_INTEGER_MODES
#undef __WARPLOOM_TO_INTEGER

// An integer as two doubles whose sum it is: the upper half times 2^32, and the lower half.
__WARPLOOM_DEVICE double __warploom_upper(long long x) { return (double)(x >> 32) * 0x1p32; }
__WARPLOOM_DEVICE double __warploom_upper(unsigned long long x) { return (double)(x >> 32) * 0x1p32; }

#define __WARPLOOM_FROM_INTEGER(MODE)                                                                      \
  __WARPLOOM_DEVICE float __double2float_##MODE(double x) {                                                \
    float r = (float)x;                                                                                    \
    return __warploom_round_##MODE(r, __warploom_float_error(x, 0.0, r));                                  \
  }                                                                                                        \
  __WARPLOOM_DEVICE float __int2float_##MODE(int x) { return __double2float_##MODE((double)x); }           \
  __WARPLOOM_DEVICE float __uint2float_##MODE(unsigned int x) { return __double2float_##MODE((double)x); } \
  __WARPLOOM_FROM_LONG(MODE, ll, long long)                                                                \
  __WARPLOOM_FROM_LONG(MODE, ull, unsigned long long)
#define __WARPLOOM_FROM_LONG(MODE, NAME, T)                                                                     \
  __WARPLOOM_DEVICE double __##NAME##2double_##MODE(T x) {                                                      \
    double upper = __warploom_upper(x), lower = (double)(unsigned int)x, r = upper + lower;                     \
    return __warploom_round_##MODE(r, __warploom_sum_error(upper, lower, r));                                   \
  }                                                                                                             \
  __WARPLOOM_DEVICE float __##NAME##2float_##MODE(T x) {                                                        \
    double upper = __warploom_upper(x), lower = (double)(unsigned int)x, sum = upper + lower;                   \
    float r = (float)x;                                                                                         \
    return __warploom_round_##MODE(r, __warploom_float_error(sum, __warploom_sum_error(upper, lower, sum), r)); \
  }
__WARPLOOM_FROM_INTEGER(rn)
__WARPLOOM_FROM_INTEGER(rz)
__WARPLOOM_FROM_INTEGER(ru)
__WARPLOOM_FROM_INTEGER(rd)
#undef __WARPLOOM_FROM_LONG
#undef __WARPLOOM_FROM_INTEGER
__WARPLOOM_DEVICE double __int2double_rn(int x) { return x; }
__WARPLOOM_DEVICE double __uint2double_rn(unsigned int x) { return x; }

__WARPLOOM_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WARPLOOM_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__WARPLOOM_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WARPLOOM_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__WARPLOOM_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WARPLOOM_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WARPLOOM_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__WARPLOOM_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
__WARPLOOM_DEVICE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make_int4(x, y, z, w) and its siblings, for host and device code. Usable from C.
#pragma once

#include "host_defines.h"
#include "vector_types.h"

#if defined(__cplusplus) && __cplusplus >= 201402L
#define __WARPLOOM_MAKE static inline __host__ __device__ constexpr __attribute__((always_inline, unused))
#else
#define __WARPLOOM_MAKE static __inline__ __host__ __device__ __attribute__((always_inline, unused))
#endif

#define __WARPLOOM_MAKE_4(NAME, T)                       \
  __WARPLOOM_MAKE NAME make_##NAME(T x, T y, T z, T w) { \
    NAME v = {x, y, z, w};                               \
    return v;                                            \
  }
#define __WARPLOOM_MAKE_ALL(PREFIX, T)                        \
  __WARPLOOM_MAKE PREFIX##1 make_##PREFIX##1(T x) {           \
    PREFIX##1 v = {x};                                        \
    return v;                                                 \
  }                                                           \
  __WARPLOOM_MAKE PREFIX##2 make_##PREFIX##2(T x, T y) {      \
    PREFIX##2 v = {x, y};                                     \
    return v;                                                 \
  }                                                           \
  __WARPLOOM_MAKE PREFIX##3 make_##PREFIX##3(T x, T y, T z) { \
    PREFIX##3 v = {x, y, z};                                  \
    return v;                                                 \
  }                                                           \
  __WARPLOOM_MAKE_4(PREFIX##4, T)

__WARPLOOM_MAKE_ALL(char, signed char)
__WARPLOOM_MAKE_ALL(uchar, unsigned char)
__WARPLOOM_MAKE_ALL(short, short)
__WARPLOOM_MAKE_ALL(ushort, unsigned short)
__WARPLOOM_MAKE_ALL(int, int)
__WARPLOOM_MAKE_ALL(uint, unsigned int)
__WARPLOOM_MAKE_ALL(long, long)
__WARPLOOM_MAKE_ALL(ulong, unsigned long)
__WARPLOOM_MAKE_ALL(longlong, long long)
__WARPLOOM_MAKE_ALL(ulonglong, unsigned long long)
__WARPLOOM_MAKE_ALL(float, float)
__WARPLOOM_MAKE_ALL(double, double)
__WARPLOOM_MAKE_4(long4_16a, long)
__WARPLOOM_MAKE_4(long4_32a, long)
__WARPLOOM_MAKE_4(ulong4_16a, unsigned long)
__WARPLOOM_MAKE_4(ulong4_32a, unsigned long)
__WARPLOOM_MAKE_4(longlong4_16a, long long)
__WARPLOOM_MAKE_4(longlong4_32a, long long)
__WARPLOOM_MAKE_4(ulonglong4_16a, unsigned long long)
__WARPLOOM_MAKE_4(ulonglong4_32a, unsigned long long)
__WARPLOOM_MAKE_4(double4_16a, double)
__WARPLOOM_MAKE_4(double4_32a, double)

#undef __WARPLOOM_MAKE_ALL
#undef __WARPLOOM_MAKE_4
#undef __WARPLOOM_MAKE

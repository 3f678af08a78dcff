// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's vector types and dim3, with CUDA's layout: types of two and four components are aligned to their size, up to
// 16 bytes; those of one and three components as their component. Usable from C, C++ and CUDA.
#pragma once

#include "host_defines.h"

#define __WARPLOOM_VECTOR_1(NAME, T) \
  struct NAME {                      \
    T x;                             \
  };                                 \
  typedef struct NAME NAME;
#define __WARPLOOM_VECTOR_2(NAME, T, ALIGN)     \
  struct __attribute__((aligned(ALIGN))) NAME { \
    T x, y;                                     \
  };                                            \
  typedef struct NAME NAME;
#define __WARPLOOM_VECTOR_3(NAME, T) \
  struct NAME {                      \
    T x, y, z;                       \
  };                                 \
  typedef struct NAME NAME;
#define __WARPLOOM_VECTOR_4(NAME, T, ALIGN)     \
  struct __attribute__((aligned(ALIGN))) NAME { \
    T x, y, z, w;                               \
  };                                            \
  typedef struct NAME NAME;
#define __WARPLOOM_VECTORS(PREFIX, T, ALIGN2, ALIGN4) \
  __WARPLOOM_VECTOR_1(PREFIX##1, T)                   \
  __WARPLOOM_VECTOR_2(PREFIX##2, T, ALIGN2)           \
  __WARPLOOM_VECTOR_3(PREFIX##3, T)                   \
  __WARPLOOM_VECTOR_4(PREFIX##4, T, ALIGN4)

__WARPLOOM_VECTORS(char, signed char, 2, 4)
__WARPLOOM_VECTORS(uchar, unsigned char, 2, 4)
__WARPLOOM_VECTORS(short, short, 4, 8)
__WARPLOOM_VECTORS(ushort, unsigned short, 4, 8)
__WARPLOOM_VECTORS(int, int, 8, 16)
__WARPLOOM_VECTORS(uint, unsigned int, 8, 16)
__WARPLOOM_VECTORS(long, long, 16, 16)
__WARPLOOM_VECTORS(ulong, unsigned long, 16, 16)
__WARPLOOM_VECTORS(longlong, long long, 16, 16)
__WARPLOOM_VECTORS(ulonglong, unsigned long long, 16, 16)
__WARPLOOM_VECTORS(float, float, 8, 16)
__WARPLOOM_VECTORS(double, double, 16, 16)

// CUDA 13 names the alignment of the 32-byte types.
__WARPLOOM_VECTOR_4(long4_16a, long, 16)
__WARPLOOM_VECTOR_4(long4_32a, long, 32)
__WARPLOOM_VECTOR_4(ulong4_16a, unsigned long, 16)
__WARPLOOM_VECTOR_4(ulong4_32a, unsigned long, 32)
__WARPLOOM_VECTOR_4(longlong4_16a, long long, 16)
__WARPLOOM_VECTOR_4(longlong4_32a, long long, 32)
__WARPLOOM_VECTOR_4(ulonglong4_16a, unsigned long long, 16)
__WARPLOOM_VECTOR_4(ulonglong4_32a, unsigned long long, 32)
__WARPLOOM_VECTOR_4(double4_16a, double, 16)
__WARPLOOM_VECTOR_4(double4_32a, double, 32)

#undef __WARPLOOM_VECTORS
#undef __WARPLOOM_VECTOR_1
#undef __WARPLOOM_VECTOR_2
#undef __WARPLOOM_VECTOR_3
#undef __WARPLOOM_VECTOR_4

/// The extent of a grid or a block; components left out are 1.
struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
#define __WARPLOOM_CONSTEXPR constexpr
#else
#define __WARPLOOM_CONSTEXPR
#endif
  __host__ __device__ __WARPLOOM_CONSTEXPR dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ __WARPLOOM_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
#if __cplusplus >= 201103L
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#undef __WARPLOOM_CONSTEXPR
#endif
};
typedef struct dim3 dim3;

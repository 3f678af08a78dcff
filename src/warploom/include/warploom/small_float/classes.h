// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes of 4-, 6- and 8-bit floating point: one number, pairs and fours, with CUDA's constructors and
// conversions. KIND is fp4, fp6 or fp8, MAGNITUDE all bits but the sign; what follows are the arguments of a conversion
// to KIND.
#pragma once

#define WARPLOOM_SMALL_FROM(NAME, TYPE) \
  __host__ __device__ explicit NAME(TYPE v) : NAME(warploom::small_float::exact_double(v)) {}
#define WARPLOOM_SMALL_TO(TYPE, INVALID)                                                                               \
  __host__ __device__ explicit operator TYPE() const {                                                                 \
    return warploom::small_float::to_integer<TYPE, warploom::small_float::rounding::zero>(float(*this),                \
                                                                                          static_cast<TYPE>(INVALID)); \
  }

#define WARPLOOM_SMALL_FLOAT(NAME, KIND, FORMAT, MAGNITUDE, ...)                                                \
  struct NAME {                                                                                                 \
    __nv_##KIND##_storage_t __x;                                                                                \
    NAME() = default;                                                                                           \
    __host__ __device__ explicit NAME(float v) : __x(__nv_cvt_float_to_##KIND(v, __VA_ARGS__)) {}               \
    __host__ __device__ explicit NAME(double v) : __x(__nv_cvt_double_to_##KIND(v, __VA_ARGS__)) {}             \
    __host__ __device__ explicit NAME(__half v) : __x(__nv_cvt_halfraw_to_##KIND(v, __VA_ARGS__)) {}            \
    __host__ __device__ explicit NAME(__nv_bfloat16 v) : __x(__nv_cvt_bfloat16raw_to_##KIND(v, __VA_ARGS__)) {} \
    WARPLOOM_SMALL_FROM(NAME, short)                                                                            \
    WARPLOOM_SMALL_FROM(NAME, unsigned short)                                                                   \
    WARPLOOM_SMALL_FROM(NAME, int)                                                                              \
    WARPLOOM_SMALL_FROM(NAME, unsigned)                                                                         \
    WARPLOOM_SMALL_FROM(NAME, long)                                                                             \
    WARPLOOM_SMALL_FROM(NAME, unsigned long)                                                                    \
    WARPLOOM_SMALL_FROM(NAME, long long)                                                                        \
    WARPLOOM_SMALL_FROM(NAME, unsigned long long)                                                               \
    __host__ __device__ explicit operator __half() const { return __nv_cvt_##KIND##_to_halfraw(__x, FORMAT); }  \
    __host__ __device__ explicit operator float() const {                                                       \
      return __half2float(__nv_cvt_##KIND##_to_halfraw(__x, FORMAT));                                           \
    }                                                                                                           \
    __host__ __device__ explicit operator double() const { return float(*this); }                               \
    __host__ __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16(float(*this)); }      \
    __host__ __device__ explicit operator bool() const { return (__x & MAGNITUDE) != 0; }                       \
    WARPLOOM_SMALL_TO(char, 0)                                                                                  \
    WARPLOOM_SMALL_TO(signed char, 0)                                                                           \
    WARPLOOM_SMALL_TO(unsigned char, 0)                                                                         \
    WARPLOOM_SMALL_TO(short, 0)                                                                                 \
    WARPLOOM_SMALL_TO(unsigned short, 0)                                                                        \
    WARPLOOM_SMALL_TO(int, 0)                                                                                   \
    WARPLOOM_SMALL_TO(unsigned, 0)                                                                              \
    WARPLOOM_SMALL_TO(long, 1ull << 63)                                                                         \
    WARPLOOM_SMALL_TO(unsigned long, 1ull << 63)                                                                \
    WARPLOOM_SMALL_TO(long long, 1ull << 63)                                                                    \
    WARPLOOM_SMALL_TO(unsigned long long, 1ull << 63)                                                           \
  };

#define WARPLOOM_SMALL_FLOAT_PAIR(NAME, KIND, FORMAT, ...)                                                            \
  struct alignas(sizeof(__nv_##KIND##x2_storage_t)) NAME {                                                            \
    __nv_##KIND##x2_storage_t __x;                                                                                    \
    NAME() = default;                                                                                                 \
    __host__ __device__ explicit NAME(float2 v) : __x(__nv_cvt_float2_to_##KIND##x2(v, __VA_ARGS__)) {}               \
    __host__ __device__ explicit NAME(double2 v) : __x(__nv_cvt_double2_to_##KIND##x2(v, __VA_ARGS__)) {}             \
    __host__ __device__ explicit NAME(__half2 v) : __x(__nv_cvt_halfraw2_to_##KIND##x2(v, __VA_ARGS__)) {}            \
    __host__ __device__ explicit NAME(__nv_bfloat162 v) : __x(__nv_cvt_bfloat16raw2_to_##KIND##x2(v, __VA_ARGS__)) {} \
    __host__ __device__ explicit operator __half2() const { return __nv_cvt_##KIND##x2_to_halfraw2(__x, FORMAT); }    \
    __host__ __device__ explicit operator float2() const {                                                            \
      return __half22float2(__nv_cvt_##KIND##x2_to_halfraw2(__x, FORMAT));                                            \
    }                                                                                                                 \
  };

// Four numbers are two pairs, the first in the low bits.
#define WARPLOOM_SMALL_FLOAT_FOUR(NAME, KIND, FORMAT, ...)                                                          \
  struct alignas(sizeof(__nv_##KIND##x4_storage_t)) NAME {                                                          \
    __nv_##KIND##x4_storage_t __x;                                                                                  \
    NAME() = default;                                                                                               \
    __host__ __device__ explicit NAME(float4 v)                                                                     \
        : NAME(__nv_cvt_float2_to_##KIND##x2(make_float2(v.x, v.y), __VA_ARGS__),                                   \
               __nv_cvt_float2_to_##KIND##x2(make_float2(v.z, v.w), __VA_ARGS__)) {}                                \
    __host__ __device__ explicit NAME(double4 v)                                                                    \
        : NAME(__nv_cvt_double2_to_##KIND##x2(make_double2(v.x, v.y), __VA_ARGS__),                                 \
               __nv_cvt_double2_to_##KIND##x2(make_double2(v.z, v.w), __VA_ARGS__)) {}                              \
    __host__ __device__ explicit NAME(__half2 low, __half2 high)                                                    \
        : NAME(__nv_cvt_halfraw2_to_##KIND##x2(low, __VA_ARGS__),                                                   \
               __nv_cvt_halfraw2_to_##KIND##x2(high, __VA_ARGS__)) {}                                               \
    __host__ __device__ explicit NAME(__nv_bfloat162 low, __nv_bfloat162 high)                                      \
        : NAME(__nv_cvt_bfloat16raw2_to_##KIND##x2(low, __VA_ARGS__),                                               \
               __nv_cvt_bfloat16raw2_to_##KIND##x2(high, __VA_ARGS__)) {}                                           \
    __host__ __device__ explicit operator float4() const {                                                          \
      const float2 low = pair(__x), high = pair(__x >> sizeof(__nv_##KIND##x2_storage_t) * 8);                      \
      return make_float4(low.x, low.y, high.x, high.y);                                                             \
    }                                                                                                               \
                                                                                                                    \
   private:                                                                                                         \
    __host__ __device__ NAME(__nv_##KIND##x2_storage_t low, __nv_##KIND##x2_storage_t high)                         \
        : __x(static_cast<__nv_##KIND##x4_storage_t>(low | static_cast<__nv_##KIND##x4_storage_t>(high)             \
                                                               << sizeof(__nv_##KIND##x2_storage_t) * 8)) {}        \
    __host__ __device__ static float2 pair(unsigned bits) {                                                         \
      return __half22float2(__nv_cvt_##KIND##x2_to_halfraw2(static_cast<__nv_##KIND##x2_storage_t>(bits), FORMAT)); \
    }                                                                                                               \
  };

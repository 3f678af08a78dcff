// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point instructions, and those that exist for integers too. Every result is rounded once, as its modifier
// says; nothing is fused that was written apart.
#pragma once

#include "integer.h"

namespace warploom {
namespace ptx {

enum rounding { rn, rz, rm, rp, rna };

template <bool Flush, class T>
WARPLOOM_PTX T flush(T x) {
  if constexpr (Flush && same<T, float>) return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
  if constexpr (Flush && same<T, __half>) {
    return (__builtin_bit_cast(u16, x) & 0x7c00) != 0
               ? x
               : __builtin_bit_cast(__half, static_cast<u16>(__builtin_bit_cast(u16, x) & 0x8000));
  }
  if constexpr (Flush && same<T, __half2>) return __half2(flush<true>(x.x), flush<true>(x.y));
  return x;
}
template <bool Saturate, class T>
WARPLOOM_PTX T saturate(T x) {
  if constexpr (!Saturate) return x;
  if constexpr (is_float<T>) return x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
  if constexpr (is_small<T>) return warploom::small_float::saturate(x);
  if constexpr (is_pair<T>) return T(warploom::small_float::saturate(x.x), warploom::small_float::saturate(x.y));
}

#define WARPLOOM_ROUNDED(NAME, ...)                 \
  if constexpr (same<T, float>) {                   \
    if (Round == rz) return NAME##_rz(__VA_ARGS__); \
    if (Round == rm) return NAME##_rd(__VA_ARGS__); \
    if (Round == rp) return NAME##_ru(__VA_ARGS__); \
    return NAME##_rn(__VA_ARGS__);                  \
  }
template <rounding Round, class T>
WARPLOOM_PTX T rounded_add(T a, T b) {
  WARPLOOM_ROUNDED(__fadd, a, b)
  if constexpr (same<T, double>) {
    return Round == rz   ? __dadd_rz(a, b)
           : Round == rm ? __dadd_rd(a, b)
           : Round == rp ? __dadd_ru(a, b)
                         : __dadd_rn(a, b);
  }
  if constexpr (is_small<T>) return __hadd_rn(a, b);
  if constexpr (is_pair<T>) return __hadd2_rn(a, b);
}
template <rounding Round, class T>
WARPLOOM_PTX T rounded_mul(T a, T b) {
  WARPLOOM_ROUNDED(__fmul, a, b)
  if constexpr (same<T, double>) {
    return Round == rz   ? __dmul_rz(a, b)
           : Round == rm ? __dmul_rd(a, b)
           : Round == rp ? __dmul_ru(a, b)
                         : __dmul_rn(a, b);
  }
  if constexpr (is_small<T>) return __hmul_rn(a, b);
  if constexpr (is_pair<T>) return __hmul2_rn(a, b);
}
template <rounding Round, class T>
WARPLOOM_PTX T rounded_fma(T a, T b, T c) {
  WARPLOOM_ROUNDED(__fmaf, a, b, c)
  if constexpr (same<T, double>) {
    return Round == rz   ? __fma_rz(a, b, c)
           : Round == rm ? __fma_rd(a, b, c)
           : Round == rp ? __fma_ru(a, b, c)
                         : __fma_rn(a, b, c);
  }
  if constexpr (is_small<T>) return __hfma(a, b, c);
  if constexpr (is_pair<T>) return __hfma2(a, b, c);
}
template <rounding Round, class T>
WARPLOOM_PTX T rounded_div(T a, T b) {
  WARPLOOM_ROUNDED(__fdiv, a, b)
  if constexpr (same<T, double>) {
    return Round == rz   ? __ddiv_rz(a, b)
           : Round == rm ? __ddiv_rd(a, b)
           : Round == rp ? __ddiv_ru(a, b)
                         : __ddiv_rn(a, b);
  }
}
template <rounding Round, class T>
WARPLOOM_PTX T rounded_sqrt(T a) {
  WARPLOOM_ROUNDED(__fsqrt, a)
  if constexpr (same<T, double>) {
    return Round == rz ? __dsqrt_rz(a) : Round == rm ? __dsqrt_rd(a) : Round == rp ? __dsqrt_ru(a) : __dsqrt_rn(a);
  }
}
#undef WARPLOOM_ROUNDED

template <class T>
WARPLOOM_PTX T negated(T a) {
  if constexpr (is_float<T>) return -a;
  if constexpr (is_small<T>) return __builtin_bit_cast(T, static_cast<u16>(__builtin_bit_cast(u16, a) ^ 0x8000));
  if constexpr (is_pair<T>) return __builtin_bit_cast(T, __builtin_bit_cast(u32, a) ^ 0x80008000u);
}

template <rounding Round, bool Flush, bool Saturate, class T>
WARPLOOM_PTX T add(T a, T b) {
  if constexpr (is_integer<T>) {
    return integer_add<Saturate>(a, b);
  } else {
    return saturate<Saturate>(flush<Flush>(rounded_add<Round>(flush<Flush>(a), flush<Flush>(b))));
  }
}
template <rounding Round, bool Flush, bool Saturate, class T>
WARPLOOM_PTX T sub(T a, T b) {
  if constexpr (is_integer<T>) {
    return integer_sub<Saturate>(a, b);
  } else {
    return add<Round, Flush, Saturate>(a, negated(b));
  }
}
template <rounding Round, bool Flush, bool Saturate, class T>
WARPLOOM_PTX T mul(T a, T b) {
  return saturate<Saturate>(flush<Flush>(rounded_mul<Round>(flush<Flush>(a), flush<Flush>(b))));
}
template <rounding Round, bool Flush, bool Saturate, bool Relu, class T>
WARPLOOM_PTX T fma(T a, T b, T c) {
  const T sum = saturate<Saturate>(flush<Flush>(rounded_fma<Round>(flush<Flush>(a), flush<Flush>(b), flush<Flush>(c))));
  if constexpr (Relu && is_small<T>) return warploom::small_float::relu(sum);
  if constexpr (Relu && is_pair<T>) return T(warploom::small_float::relu(sum.x), warploom::small_float::relu(sum.y));
  return sum;
}
// Two floats of a register, each by itself.
template <rounding Round, bool Flush>
WARPLOOM_PTX float2 add_floats(float2 a, float2 b) {
  return {add<Round, Flush, false>(a.x, b.x), add<Round, Flush, false>(a.y, b.y)};
}
template <rounding Round, bool Flush>
WARPLOOM_PTX float2 sub_floats(float2 a, float2 b) {
  return {sub<Round, Flush, false>(a.x, b.x), sub<Round, Flush, false>(a.y, b.y)};
}
template <rounding Round, bool Flush>
WARPLOOM_PTX float2 mul_floats(float2 a, float2 b) {
  return {mul<Round, Flush, false>(a.x, b.x), mul<Round, Flush, false>(a.y, b.y)};
}
template <rounding Round, bool Flush>
WARPLOOM_PTX float2 fma_floats(float2 a, float2 b, float2 c) {
  return {fma<Round, Flush, false, false>(a.x, b.x, c.x), fma<Round, Flush, false, false>(a.y, b.y, c.y)};
}
template <rounding Round, bool Flush, class T>
WARPLOOM_PTX T div(T a, T b) {
  if constexpr (is_integer<T>) {
    return static_cast<T>(a / b);
  } else {
    return flush<Flush>(rounded_div<Round>(flush<Flush>(a), flush<Flush>(b)));
  }
}
template <rounding Round, bool Flush, class T>
WARPLOOM_PTX T rcp(T a) {
  return div<Round, Flush>(T(1), a);
}
template <rounding Round, bool Flush, class T>
WARPLOOM_PTX T sqrt(T a) {
  return flush<Flush>(rounded_sqrt<Round>(flush<Flush>(a)));
}

// The approximations: within the error that PTX documents, since they are the accurate functions.
#define WARPLOOM_APPROXIMATION(NAME, FLOAT)                             \
  template <bool Flush, class T>                                        \
  WARPLOOM_PTX T NAME(T x) {                                            \
    if constexpr (is_pair<T>) {                                         \
      return T(NAME<Flush>(x.x), NAME<Flush>(x.y));                     \
    } else if constexpr (is_small<T>) {                                 \
      const float a = warploom::small_float::value_of(flush<Flush>(x)); \
      return flush<Flush>(warploom::small_float::round_to<T>(FLOAT));   \
    } else {                                                            \
      const T a = flush<Flush>(x);                                      \
      return flush<Flush>(static_cast<T>(FLOAT));                       \
    }                                                                   \
  }
WARPLOOM_APPROXIMATION(rsqrt_approx, 1.0f / __builtin_sqrtf(a))
WARPLOOM_APPROXIMATION(sin_approx, ::sinf(a))
WARPLOOM_APPROXIMATION(cos_approx, ::cosf(a))
WARPLOOM_APPROXIMATION(lg2_approx, ::log2f(a))
WARPLOOM_APPROXIMATION(ex2_approx, ::exp2f(a))
WARPLOOM_APPROXIMATION(tanh_approx, ::tanhf(a))
#undef WARPLOOM_APPROXIMATION
template <bool Flush>
WARPLOOM_PTX double rsqrt_approx(double a) {
  return 1.0 / __builtin_sqrt(a);
}
// The upper half of a double's bits, in and out.
WARPLOOM_PTX double upper_half(double a) {
  return __builtin_bit_cast(double, __builtin_bit_cast(u64, a) & 0xffffffff00000000ull);
}

template <bool Flush, class T>
WARPLOOM_PTX T abs(T a) {
  if constexpr (is_integer<T>) return integer_abs(a);
  if constexpr (is_small<T>)
    return flush<Flush>(__builtin_bit_cast(T, static_cast<u16>(__builtin_bit_cast(u16, a) & 0x7fff)));
  if constexpr (is_pair<T>) return flush<Flush>(__builtin_bit_cast(T, __builtin_bit_cast(u32, a) & 0x7fff7fffu));
  if constexpr (is_float<T>) return a < T(0) || __builtin_signbit(a) ? -flush<Flush>(a) : flush<Flush>(a);
}
template <bool Flush, class T>
WARPLOOM_PTX T neg(T a) {
  if constexpr (is_integer<T>) {
    return static_cast<T>(bits_of<T>(0) - bits_of<T>(a));
  } else {
    return negated(flush<Flush>(a));
  }
}

// A NaN loses against a number, or wins with .NaN; -0 is below +0.
template <bool Larger, bool Flush, bool NaN, bool XorSign, class T>
WARPLOOM_PTX T extreme(T a, T b) {
  if constexpr (is_integer<T>) {
    return Larger ? integer_max(a, b) : integer_min(a, b);
  } else if constexpr (is_pair<T>) {
    return T(extreme<Larger, Flush, NaN, XorSign>(a.x, b.x), extreme<Larger, Flush, NaN, XorSign>(a.y, b.y));
  } else {
    a = flush<Flush>(a);
    b = flush<Flush>(b);
    T result;
    if constexpr (XorSign) {
      const bits_of<T> top = bits_of<T>(1) << (8 * sizeof(T) - 1);
      const bits_of<T> sign = (__builtin_bit_cast(bits_of<T>, a) ^ __builtin_bit_cast(bits_of<T>, b)) & top;
      result = extreme<Larger, false, NaN, false>(abs<false>(a), abs<false>(b));
      const bool nan = result != result;
      return nan ? result
                 : __builtin_bit_cast(T, static_cast<bits_of<T>>(__builtin_bit_cast(bits_of<T>, result) | sign));
    } else if constexpr (is_small<T>) {
      result =
          NaN ? warploom::small_float::extreme_nan<Larger>(a, b) : warploom::small_float::extreme_number<Larger>(a, b);
    } else {
      const T nan = same<T, float> ? T(__builtin_bit_cast(float, 0x7fffffff)) : T(__builtin_nan(""));
      if (a != a || b != b) return NaN || (a != a && b != b) ? nan : a != a ? b : a;
      if (a == b) return (__builtin_signbit(a) != 0) == Larger ? b : a;
      result = (a < b) == Larger ? b : a;
    }
    return result;
  }
}

template <class T>
WARPLOOM_PTX T copysign(T sign, T magnitude) {
  const bits_of<T> top = bits_of<T>(1) << (8 * sizeof(T) - 1);
  return __builtin_bit_cast(
      T, (__builtin_bit_cast(bits_of<T>, magnitude) & ~top) | (__builtin_bit_cast(bits_of<T>, sign) & top));
}
enum property { finite, infinite, number, notanumber, normal, subnormal };
template <property Property, class T>
WARPLOOM_PTX bool testp(T a) {
  const T magnitude = abs<false>(a), least = same<T, float> ? T(0x1p-126f) : T(0x1p-1022);
  if (Property == finite) return magnitude < T(__builtin_inf());
  if (Property == infinite) return magnitude == T(__builtin_inf());
  if (Property == number) return a == a;
  if (Property == notanumber) return a != a;
  if (Property == normal) return magnitude >= least && magnitude < T(__builtin_inf());
  return magnitude < least && magnitude > T(0);
}

}  // namespace ptx
}  // namespace warploom

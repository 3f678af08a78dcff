// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of WARPLOOM_LANES floats or doubles and what the math functions do with them.
//
// Everything is a plain expression on clang's vectors, so that one source serves every instruction set; LLVM splits
// vectors wider than a register. Masks are integer vectors with -1 for true. Nothing here calls a library: where the
// target has no instruction for it, fma and rounding to an integer are computed.
#pragma once

#ifndef WARPLOOM_LANES
#error "compile with -DWARPLOOM_LANES=N"
#endif

#pragma clang fp contract(off)

#define WARPLOOM_INLINE static inline __attribute__((always_inline))
#define WARPLOOM_SELDOM static __attribute__((noinline, cold, nothrow))  // takes no registers where it is not called

namespace warploom_math {

constexpr int lanes = WARPLOOM_LANES;
using Float = float __attribute__((ext_vector_type(lanes)));
using Double = double __attribute__((ext_vector_type(lanes)));
using Int = int __attribute__((ext_vector_type(lanes)));
using Long = long __attribute__((ext_vector_type(lanes)));
using Unsigned = unsigned __attribute__((ext_vector_type(lanes)));
using UnsignedLong = unsigned long __attribute__((ext_vector_type(lanes)));

template <class V>
struct Format;

template <>
struct Format<Float> {
  using Scalar = float;
  using I = Int;
  using U = Unsigned;
  using ScalarInt = int;
  using ScalarUnsigned = unsigned;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float infinity = __builtin_inff(), nan = __builtin_nanf("");
  static constexpr float smallest_normal = 0x1p-126f;
  static constexpr float magic = 0x1.8p23f;  // adding it rounds a small number to an integer in the low bits
  static constexpr int magic_bits = 0x4b400000;
  static constexpr float integers = 0x1p23f;  // from here on every number is an integer
};

template <>
struct Format<Double> {
  using Scalar = double;
  using I = Long;
  using U = UnsignedLong;
  using ScalarInt = long;
  using ScalarUnsigned = unsigned long;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double infinity = __builtin_inf(), nan = __builtin_nan("");
  static constexpr double smallest_normal = 0x1p-1022;
  static constexpr double magic = 0x1.8p52;
  static constexpr long magic_bits = 0x4338000000000000;
  static constexpr double integers = 0x1p52;
};

template <class V>
using Scalar = typename Format<V>::Scalar;
template <class V>
using IntOf = typename Format<V>::I;
template <class V>
constexpr bool is_float = sizeof(Scalar<V>) == 4;

template <class V>
WARPLOOM_INLINE IntOf<V> bits(V x) {
  return __builtin_bit_cast(IntOf<V>, x);
}
WARPLOOM_INLINE Float from_bits(Int x) { return __builtin_bit_cast(Float, x); }
WARPLOOM_INLINE Double from_bits(Long x) { return __builtin_bit_cast(Double, x); }

template <class M, class V>
WARPLOOM_INLINE V select(M mask, V yes, V no) {
  return mask ? yes : no;
}
template <class M>
WARPLOOM_INLINE bool any(M mask) {
  return __builtin_reduce_or(mask) != 0;
}
template <class V>
WARPLOOM_INLINE V splat(Scalar<V> x) {
  return V(x);
}

}  // namespace warploom_math

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define WARPLOOM_X86_512 1
#include "x86.h"
#endif

namespace warploom_math {

template <class V>
WARPLOOM_INLINE V absolute(V x) {
  return __builtin_elementwise_abs(x);
}
template <class V>
WARPLOOM_INLINE V copysign(V x, V sign) {
  return __builtin_elementwise_copysign(x, sign);
}
template <class V>
WARPLOOM_INLINE V square_root(V x) {
  return __builtin_elementwise_sqrt(x);
}
// x with its sign changed in the lanes whose number in `flips` has the lowest bit set.
template <class V>
WARPLOOM_INLINE V negate_if_odd(V x, IntOf<V> flips) {
  return from_bits(bits(x) ^ (flips << (sizeof(Scalar<V>) * 8 - 1)));
}

#if defined(__FMA__) || defined(__AVX512F__) || defined(__aarch64__) || defined(__riscv_f)
#define WARPLOOM_HAS_FMA 1
#else
#define WARPLOOM_HAS_FMA 0
#endif

// a*b + c with one rounding.
WARPLOOM_INLINE Float fma(Float a, Float b, Float c) {
#if WARPLOOM_HAS_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  // The product is exact in double; the second rounding only matters at ties of the first.
  Double product = __builtin_convertvector(a, Double) * __builtin_convertvector(b, Double);
  return __builtin_convertvector(product + __builtin_convertvector(c, Double), Float);
#endif
}
WARPLOOM_INLINE Double fma(Double a, Double b, Double c) {
#if WARPLOOM_HAS_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  // The product of halves (T. Dekker, "A floating-point technique for extending the available precision", 1971), then
  // Knuth's sum: right to an ulp, and exact where the result is a double and one factor has no more than 26 bits.
  Double a_high = from_bits(bits(a) & ~0x7ffffffl), b_high = from_bits(bits(b) & ~0x7ffffffl);
  Double a_low = a - a_high, b_low = b - b_high;
  Double product = a * b;
  Double error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  Double sum = product + c;
  Double part = sum - product;
  Double rest = (product - (sum - part)) + (c - part) + error;
  Double result = sum + rest;
  return select(result == result, result, sum);  // infinities
#endif
}
// a*b + c with one rounding or two, whichever is faster.
template <class V>
WARPLOOM_INLINE V mad(V a, V b, V c) {
#if WARPLOOM_HAS_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class V, class T, int count>
WARPLOOM_INLINE V polynomial(V z, const T (&c)[count]) {
  V p = V(c[count - 1]);
#pragma clang loop unroll(full)
  for (int i = count - 2; i >= 0; --i) p = mad(p, z, V(c[i]));
  return p;
}
// As polynomial, with even and odd terms apart: half as long a chain, one more multiplication.
template <class V, class T, int count>
WARPLOOM_INLINE V polynomial_two(V z, const T (&c)[count]) {
  constexpr int last_even = (count - 1) & ~1, last_odd = (count - 2) | 1;
  V square = z * z;
  V even = V(c[last_even]), odd = V(c[last_odd]);
#pragma clang loop unroll(full)
  for (int i = last_even - 2; i >= 0; i -= 2) even = mad(even, square, V(c[i]));
#pragma clang loop unroll(full)
  for (int i = last_odd - 2; i >= 1; i -= 2) odd = mad(odd, square, V(c[i]));
  return mad(odd, z, even);
}
// The polynomial `name` of coefficients.h in the type of z.
#define WARPLOOM_POLYNOMIAL(z, name)            \
  ([](auto z_) __attribute__((always_inline)) { \
    if constexpr (is_float<decltype(z_)>)       \
      return polynomial(z_, name##_f32);        \
    else                                        \
      return polynomial_two(z_, name##_f64);    \
  }(z))

// The nearest integer k of x (|x| < 2^22 or 2^51), as number and, in the low bits, as integer.
template <class V>
struct Rounded {
  V number;
  IntOf<V> raw;  // k + Format::magic_bits
};
template <class V>
WARPLOOM_INLINE Rounded<V> round_scaled(V x, Scalar<V> scale) {
  V shifted = mad(x, V(scale), V(Format<V>::magic));
  return {shifted - V(Format<V>::magic), bits(shifted)};
}

// The nearest integer of any x, ties to even.
template <class V>
WARPLOOM_INLINE V round_to_integer(V x) {
#if defined(__SSE4_1__) || defined(__aarch64__)
  return __builtin_elementwise_roundeven(x);
#else
  constexpr Scalar<V> integers = Format<V>::integers;
  V magnitude = absolute(x);
  V rounded = copysign((magnitude + integers) - integers, x);
  return select(magnitude < integers, rounded, x);
#endif
}
template <class V>
WARPLOOM_INLINE V truncate(V x) {
#if defined(__SSE4_1__) || defined(__aarch64__)
  return __builtin_elementwise_trunc(x);
#else
  V magnitude = absolute(x);
  V rounded = round_to_integer(magnitude);
  return copysign(select(rounded > magnitude, rounded - Scalar<V>(1), rounded), x);
#endif
}

// 2^k for -bias < k <= bias.
template <class V>
WARPLOOM_INLINE V power_of_two(IntOf<V> k) {
  return from_bits((k + Format<V>::bias) << Format<V>::mantissa);
}
// x * 2^k with one rounding, for |k| below twice the bias; `number` is k.
template <class V>
WARPLOOM_INLINE V scale(V x, V number, IntOf<V> k) {
#ifdef WARPLOOM_X86_512
  (void)k;
  return scale_by_hardware(x, number);
#else
  (void)number;
  IntOf<V> half = k >> 1;
  return x * power_of_two<V>(half) * power_of_two<V>(k - half);
#endif
}
// a + b = sum.high + sum.low exactly, for |a| >= |b|.
template <class V>
struct Two {
  V high, low;
};
template <class V>
WARPLOOM_INLINE Two<V> fast_two_sum(V a, V b) {
  V sum = a + b;
  return {sum, b - (sum - a)};
}
template <class V>
WARPLOOM_INLINE Two<V> two_product(V a, V b) {
  V product = a * b;
  return {product, fma(a, b, -product)};
}

// What the library exports: through memory, since C++ has no way to say how LLVM passes a vector wider than a register.
// backend/vector_math.py adds the function that takes and returns vectors.
#define WARPLOOM_EXPORT extern "C" __attribute__((nothrow, min_vector_width(512), visibility("hidden")))
#define WARPLOOM_EXPORT_ONE(type, suffix, name, function) \
  WARPLOOM_EXPORT void __warploom_math_##name##_##suffix(type *result, const type *x) { *result = function(*x); }
#define WARPLOOM_EXPORT_TWO(type, suffix, name, function)                                              \
  WARPLOOM_EXPORT void __warploom_math_##name##_##suffix(type *result, const type *x, const type *y) { \
    *result = function(*x, *y);                                                                        \
  }
#define WARPLOOM_FUNCTION(name)               \
  WARPLOOM_EXPORT_ONE(Float, f32, name, name) \
  WARPLOOM_EXPORT_ONE(Double, f64, name, name)
#define WARPLOOM_FUNCTION_TWO(name)           \
  WARPLOOM_EXPORT_TWO(Float, f32, name, name) \
  WARPLOOM_EXPORT_TWO(Double, f64, name, name)

}  // namespace warploom_math

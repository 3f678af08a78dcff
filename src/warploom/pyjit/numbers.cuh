// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as Python has them.
#pragma once
#include "arrays.cuh"

namespace warploom_jit {

// Towards minus infinity, and the remainder with the divisor's sign; dividing by zero is what the device does.
template <class T>
__device__ T floor_divide(T a, T b) {
  const T quotient = a / b;
  if constexpr (T(-1) < T(0)) return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  return quotient;
}
template <class T>
__device__ T modulo(T a, T b) {
  const T rest = a % b;
  if constexpr (T(-1) < T(0)) return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  return rest;
}
__device__ inline double modulo(double a, double b) {
  const double rest = fmod(a, b);
  return rest == 0 ? copysign(0.0, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}
__device__ inline float modulo(float a, float b) {
  const float rest = fmodf(a, b);
  return rest == 0 ? copysignf(0.0f, b) : (rest < 0) != (b < 0) ? rest + b : rest;
}
// As Python's: the floor of the exact quotient, which is a - a % b divided by b.
__device__ inline double floor_divide(double a, double b) {
  if (b == 0) return a / b;
  const double quotient = (a - fmod(a, b)) / b, rest = fmod(a, b);
  const double exact = rest != 0 && (rest < 0) != (b < 0) ? quotient - 1 : quotient;
  const double low = floor(exact);
  return exact == 0 ? copysign(0.0, a / b) : exact - low > 0.5 ? low + 1 : low;
}
__device__ inline float floor_divide(float a, float b) { return float(floor_divide(double(a), double(b))); }

// A shift by as many bits as there are, or more, gives nothing, or the sign.
template <class T>
__device__ T shift_left(T a, T b) {
  return b < 0 || b >= 64 ? 0 : T((unsigned long long)a << b);
}
template <class T>
__device__ T shift_right(T a, T b) {
  return a >> (b < 0 || b >= 64 ? 63 : b);
}

template <class T, class E>
__device__ T power(T base, E exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == T(-1) ? (exponent % 2 == 0 ? 1 : T(-1)) : 0;
  T result = 1;
  for (unsigned long long left = exponent; left != 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return result;
}
__device__ inline double float_power(double base, Int exponent) { return pow(base, double(exponent)); }
__device__ inline float float_power(float base, Int exponent) { return powf(base, float(exponent)); }

// To the nearest, of two the even one.
__device__ inline Int round_even(double x) { return Int(rint(x)); }
// To so many digits behind the point, or before it where they are below zero.
__device__ inline double round_to(double x, Int digits) {
  if (isinf(x) || isnan(x)) return x;
  if (digits < 0) {
    const double unit = pow(10.0, double(-digits));
    return isinf(unit) ? 0.0 : rint(x / unit) * unit;
  }
  const double low = pow(10.0, double(digits > 22 ? 22 : digits)), high = digits > 22 ? pow(10.0, digits - 22.0) : 1.0;
  const double scaled = x * low * high;
  return isinf(scaled) ? x : rint(scaled) / high / low;
}

// A number as a fraction between one half and one, and a power of two.
template <class T>
__device__ Tuple<T, int> fraction(T x) {
  int exponent = 0;
  const T part = frexp(x, &exponent);
  return {part, exponent};
}
// The part behind the point, and the one before it.
template <class T>
__device__ Tuple<T, T> parts(T x) {
  T whole;
  const T rest = modf(x, &whole);
  return {rest, whole};
}

// How many numbers a range has.
template <class T>
__device__ Int range_length(T start, T stop, T step) {
  if (step == 0) __trap();  // where Python raises ValueError
  if (step > 0) return start < stop ? Int((stop - start - 1) / step) + 1 : 0;
  return start > stop ? Int((start - stop - 1) / -step) + 1 : 0;
}

// NumPy's: not a number wins, or loses.
template <class T>
__device__ T maximum(T a, T b) {
  return a != a || !(b > a || b != b) ? a : b;
}
template <class T>
__device__ T minimum(T a, T b) {
  return a != a || !(b < a || b != b) ? a : b;
}
template <class T>
__device__ T numeric_maximum(T a, T b) {
  return b != b || a >= b ? a : b;
}
template <class T>
__device__ T numeric_minimum(T a, T b) {
  return b != b || a <= b ? a : b;
}
template <class T>
__device__ T squared(T a) {
  return a * a;
}
template <class T>
__device__ T sign(T a) {
  return a > T(0) ? T(1) : a < T(0) ? T(-1) : a;
}

// Less than zero, zero or more, by the exact values: of numbers of 64 bits one has a sign, the other none.
__device__ inline int compared(Int a, unsigned long long b) {
  return a < 0 || (unsigned long long)a < b ? -1 : (unsigned long long)a > b;
}
__device__ inline int compared(unsigned long long a, Int b) { return -compared(b, a); }

// Differences and sums of dates and spans of time, of which the smallest number is none.
__device__ inline Int time_sum(Int a, Int b) { return a == LLONG_MIN || b == LLONG_MIN ? LLONG_MIN : a + b; }
__device__ inline Int time_difference(Int a, Int b) { return a == LLONG_MIN || b == LLONG_MIN ? LLONG_MIN : a - b; }
__device__ inline bool are_times(Int a, Int b) { return a != LLONG_MIN && b != LLONG_MIN; }

template <class T>
__device__ T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
__device__ T larger(T a, T b) {
  return b > a ? b : a;
}

}  // namespace warploom_jit

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two 16-bit formats share: making values from bits and from results computed wider.
#pragma once
#ifndef __clang__
#pragma GCC system_header  // `if constexpr` for programs of C++11
#endif

#include "rounding.h"

namespace warploom {
namespace small_float {

// The format, raw type and pair type of a scalar type; specialised where the type is defined.
template <class Scalar>
struct traits;

template <bool>
struct only_if_true {};
template <>
struct only_if_true<true> {
  using type = int;
};
template <bool condition>
using only_if = typename only_if_true<condition>::type;

template <class Scalar>
__WARPLOOM_HOST_DEVICE unsigned short bits_of(const Scalar &value) {
  return __builtin_bit_cast(unsigned short, value);
}

template <class Scalar>
__WARPLOOM_HOST_DEVICE float value_of(const Scalar &value) {
  return to_float<typename traits<Scalar>::format>(bits_of(value));
}

template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar from_bits(unsigned short bits) {
  return Scalar(typename traits<Scalar>::raw{bits});
}

// One rounding of a result computed wider. For + - * / and sqrt of 16-bit operands in float this equals rounding the
// exact result: a float's 24 bits are at least 2p + 2 of a format's p (11 or 8).
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar round_to(float value) {
  return from_bits<Scalar>(nearest<typename traits<Scalar>::format>(value));
}
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar round_to(double value) {
  return from_bits<Scalar>(nearest<typename traits<Scalar>::format>(value));
}

// A product of two bfloat16 may fall below float's range, where float would round it first; binary16 products are
// exact.
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar multiply(const Scalar &a, const Scalar &b) {
  if constexpr (traits<Scalar>::format::exponent_bits == 8) {
    return round_to<Scalar>(static_cast<double>(value_of(a)) * static_cast<double>(value_of(b)));
  } else {
    return round_to<Scalar>(value_of(a) * value_of(b));
  }
}

// The product is exact in double. For binary16 so is the sum, unless the addend is so much larger that it alone decides
// the rounding. Two bfloat16 terms may be further apart, and a small addend decide a tie: the sum is rounded to odd.
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar multiply_add(const Scalar &a, const Scalar &b, const Scalar &c) {
  const double product = static_cast<double>(value_of(a)) * static_cast<double>(value_of(b));
  const double addend = static_cast<double>(value_of(c));
  if constexpr (traits<Scalar>::format::exponent_bits == 8) return round_to<Scalar>(add_to_odd(product, addend));
  return round_to<Scalar>(product + addend);
}

// Into [0, 1]; NaN to +0.
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar saturate(const Scalar &value) {
  const float wide = value_of(value);
  if (!(wide > 0.0f)) return from_bits<Scalar>(0);
  return wide > 1.0f ? round_to<Scalar>(1.0f) : value;
}

template <class Scalar>
__WARPLOOM_HOST_DEVICE bool is_nan(const Scalar &value) {
  return (bits_of(value) & 0x7fff) > traits<Scalar>::format::infinity;
}

// Negative values to +0; NaN stays, canonical.
template <class Scalar>
__WARPLOOM_HOST_DEVICE Scalar relu(const Scalar &value) {
  if (is_nan(value)) return from_bits<Scalar>(traits<Scalar>::format::nan);
  return bits_of(value) & 0x8000 ? from_bits<Scalar>(0) : value;
}

// The larger or the smaller value; -0 is below +0.
template <bool Larger, class Scalar>
__WARPLOOM_HOST_DEVICE Scalar extreme(const Scalar &a, const Scalar &b) {
  const float x = value_of(a), y = value_of(b);
  if (x == y) return ((bits_of(a) & 0x8000) != 0) == Larger ? b : a;
  return (x < y) == Larger ? b : a;
}
// A NaN loses against a number ...
template <bool Larger, class Scalar>
__WARPLOOM_HOST_DEVICE Scalar extreme_number(const Scalar &a, const Scalar &b) {
  if (is_nan(a) && is_nan(b)) return from_bits<Scalar>(traits<Scalar>::format::nan);
  if (is_nan(a)) return b;
  return is_nan(b) ? a : extreme<Larger>(a, b);
}
// ... or wins.
template <bool Larger, class Scalar>
__WARPLOOM_HOST_DEVICE Scalar extreme_nan(const Scalar &a, const Scalar &b) {
  if (is_nan(a) || is_nan(b)) return from_bits<Scalar>(traits<Scalar>::format::nan);
  return extreme<Larger>(a, b);
}

template <class Scalar>
__WARPLOOM_HOST_DEVICE typename traits<Scalar>::pair truth(bool x, bool y) {
  const Scalar one = round_to<Scalar>(1.0f), zero = from_bits<Scalar>(0);
  return typename traits<Scalar>::pair(x ? one : zero, y ? one : zero);
}

}  // namespace small_float
}  // namespace warploom

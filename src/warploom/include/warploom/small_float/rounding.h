// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to and from the 16- and 8-bit floating-point formats, in integers: exact for every input, on the host and
// the device. binary16 has 10 bits of fraction and 5 of exponent, bfloat16 7 and 8.
#pragma once
#ifndef __clang__
#pragma GCC system_header  // `if constexpr` for programs of C++11
#endif

#include "../function_attributes.h"

namespace warploom {
namespace small_float {

enum class rounding { nearest, zero, down, up };

template <int FractionBits, int ExponentBits>
struct format {
  static constexpr int fraction_bits = FractionBits;
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr unsigned short infinity = static_cast<unsigned short>(((1 << ExponentBits) - 1) << FractionBits);
  static constexpr unsigned short largest = infinity - 1;
  static constexpr unsigned short sign_bit = 1 << (FractionBits + ExponentBits);
  static constexpr unsigned short nan = sign_bit - 1;
};
using binary16 = format<10, 5>;
using bfloat16 = format<7, 8>;
using e5m2 = format<2, 5>;
// No infinity: its place and those after it hold numbers, and one NaN.
struct e4m3 : format<3, 4> {
  static constexpr unsigned short infinity = 0x7f;
  static constexpr unsigned short largest = 0x7e;
};

// Adds one unit to a truncated magnitude where the mode asks for it. `rest` holds the bits cut off, `half` their
// middle.
template <rounding Mode>
__WARPLOOM_HOST_DEVICE unsigned long long rounded(unsigned long long kept, unsigned long long rest,
                                                  unsigned long long half, bool negative) {
  if constexpr (Mode == rounding::nearest) {
    return kept + (rest > half || (rest == half && (kept & 1)));
  } else if constexpr (Mode == rounding::zero) {
    return kept;
  } else {
    return kept + (rest != 0 && negative == (Mode == rounding::down));
  }
}

// The nearest value of Format in the direction of Mode. A NaN becomes the canonical one, as on a device.
template <class Format, rounding Mode>
__WARPLOOM_HOST_DEVICE_CALL unsigned short from_double(double value) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const bool negative = bits >> 63;
  const unsigned short sign = negative ? Format::sign_bit : 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const unsigned long long fraction = bits & 0xfffffffffffffULL;
  if (exponent == 1024) return fraction != 0 ? Format::nan : static_cast<unsigned short>(sign | Format::infinity);
  constexpr int least = 1 - Format::bias;  // exponent of the smallest normal value, and of all subnormal ones
  const int scale = exponent < least ? least : exponent;
  // Bits to cut off the 53 of the significand; a double's own subnormals are far below and cut away whole.
  const int cut = 52 - Format::fraction_bits + (scale - exponent);
  unsigned long long significand = exponent == -1023 ? fraction : fraction | 1ULL << 52;
  unsigned long long kept;
  if (cut > 54) {
    kept = rounded<Mode>(0, significand != 0, 2, negative);
  } else {
    kept = rounded<Mode>(significand >> cut, significand & ((1ULL << cut) - 1), 1ULL << (cut - 1), negative);
  }
  // A carry out of the fraction runs into the exponent, as it should; the hidden bit adds 1 to it.
  const long long biased = scale - least;
  const unsigned long long magnitude = (static_cast<unsigned long long>(biased) << Format::fraction_bits) + kept;
  if (magnitude < Format::infinity) return static_cast<unsigned short>(sign | magnitude);
  const bool to_largest =
      Mode == rounding::zero || (Mode == rounding::down && !negative) || (Mode == rounding::up && negative);
  return static_cast<unsigned short>(sign | (to_largest ? Format::largest : Format::infinity));
}

template <class Format>
__WARPLOOM_HOST_DEVICE unsigned short nearest(float value) {
  if constexpr (Format::fraction_bits == bfloat16::fraction_bits) {
    const unsigned bits = __builtin_bit_cast(unsigned, value);
    const unsigned short result = static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    return (bits & 0x7fffffffu) > 0x7f800000u ? Format::nan : result;
  } else {
#if defined(__F16C__) && defined(__clang__)
    const unsigned short result = __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
    return (__builtin_bit_cast(unsigned, value) & 0x7fffffffu) > 0x7f800000u ? Format::nan : result;
#else
    return from_double<Format, rounding::nearest>(value);
#endif
  }
}

// Rounds a double to float so that a later rounding to 16 bits is right: an inexact result has its last bit set.
__WARPLOOM_HOST_DEVICE float round_to_odd(double value) {
  const float near = static_cast<float>(value);
  const double error = value - static_cast<double>(near);
  const unsigned bits = __builtin_bit_cast(unsigned, near);
  if (!(error != 0) || (bits & 1u) || (bits & 0x7fffffffu) == 0x7f800000u) return near;
  const bool away = (error > 0) == (value > 0);
  return __builtin_bit_cast(float, away ? bits + 1 : bits - 1);
}

// x + y, where an inexact sum has its last bit set. The error of a sum is found exactly (Knuth's TwoSum).
__WARPLOOM_HOST_DEVICE double add_to_odd(double x, double y) {
  const double sum = x + y, virtual_y = sum - x;
  const double error = (x - (sum - virtual_y)) + (y - virtual_y);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
  const bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
  if (!finite || error == 0 || (bits & 1)) return sum;
  return __builtin_bit_cast(double, (error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

template <class Format>
__WARPLOOM_HOST_DEVICE unsigned short nearest(double value) {
#if defined(__F16C__)
  return nearest<Format>(round_to_odd(value));
#else
  return from_double<Format, rounding::nearest>(value);
#endif
}

template <class Format>
__WARPLOOM_HOST_DEVICE float to_float(unsigned short bits) {
  if constexpr (Format::fraction_bits == bfloat16::fraction_bits) {
    return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
  } else {
#if defined(__F16C__) && defined(__clang__)
    return static_cast<float>(__builtin_bit_cast(_Float16, bits));
#else
    const unsigned sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u) {
      const unsigned quiet = magnitude > 0x7c00u ? 0x400000u : 0u;
      return __builtin_bit_cast(float, sign | 0x7f800000u | quiet | (magnitude & 0x3ffu) << 13);
    }
    // A subnormal's bits, read as a multiple of 2^-24, are its value.
    if (magnitude < 0x400u) {
      const float value = static_cast<float>(magnitude) * 5.960464477539063e-08f;
      return sign ? -value : value;
    }
    return __builtin_bit_cast(float, sign | ((magnitude << 13) + (112u << 23)));
#endif
  }
}

// 64-bit integers have more bits than a double: what is cut off leaves a sticky bit, far below any rounding to 16 bits.
__WARPLOOM_HOST_DEVICE double sticky_double(unsigned long long value) {
  if (value >> 53 == 0) return static_cast<double>(value);
  return static_cast<double>(value >> 11 | ((value & 0x7ffu) != 0)) * 2048.0;
}
__WARPLOOM_HOST_DEVICE double sticky_double(long long value) {
  const unsigned long long magnitude =
      value < 0 ? 0 - static_cast<unsigned long long>(value) : static_cast<unsigned long long>(value);
  return value < 0 ? -sticky_double(magnitude) : sticky_double(magnitude);
}
template <class Integer>
__WARPLOOM_HOST_DEVICE double exact_double(Integer value) {
  if constexpr (sizeof(Integer) < 8) {
    return value;
  } else if constexpr (static_cast<Integer>(-1) < 0) {
    return sticky_double(static_cast<long long>(value));
  } else {
    return sticky_double(static_cast<unsigned long long>(value));
  }
}

// To an integer, with saturation; NaN gives `invalid`.
template <class Integer, rounding Mode>
__WARPLOOM_HOST_DEVICE Integer to_integer(float value, Integer invalid) {
  constexpr int digits = sizeof(Integer) * 8 - (static_cast<Integer>(-1) < 0 ? 1 : 0);
  constexpr Integer most = static_cast<Integer>(~0ULL >> (64 - digits));
  constexpr Integer least = static_cast<Integer>(static_cast<Integer>(-1) < 0 ? -most - 1 : 0);
  if (value != value) return invalid;
  if constexpr (Mode == rounding::nearest) value = __builtin_rintf(value);
  if constexpr (Mode == rounding::down) value = __builtin_floorf(value);
  if constexpr (Mode == rounding::up) value = __builtin_ceilf(value);
  if constexpr (Mode == rounding::zero) value = __builtin_truncf(value);
  if (value <= static_cast<float>(least)) return least;
  if (value >= static_cast<float>(most)) return most;
  return static_cast<Integer>(value);
}

}  // namespace small_float
}  // namespace warploom

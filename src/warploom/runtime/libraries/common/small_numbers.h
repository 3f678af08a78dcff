// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of 8 and 16 bits to float, which is exact, and back, rounded to the nearest, ties to even. For the folders
// `kernels`: each level of the processor has its own.
#pragma once

#include <cstdint>

namespace warploom::libraries::WARPLOOM_LEVEL {

using Bits = std::uint32_t;

inline Bits bits_of(float value) { return __builtin_bit_cast(Bits, value); }
inline float float_of(Bits bits) { return __builtin_bit_cast(float, bits); }

// A half, by its bits.
[[maybe_unused]] inline float widen_half_bits(Bits small) {
  const Bits sign = small >> 15 << 31, rest = small & 0x7fffU;
  const Bits finite = bits_of(float_of(rest << 13) * 0x1p112F);  // 2 to the power of 127 - 15
  return float_of(sign | (rest >= 0x7c00U ? rest << 13 | 0x7f800000U : finite));
}

inline float widen_half(std::uint16_t small) {
#if defined(__F16C__) || defined(__aarch64__)
  return static_cast<float>(__builtin_bit_cast(_Float16, small));
#else
  return widen_half_bits(small);
#endif
}

inline float widen_e4m3(std::uint8_t small) {
  const Bits rest = small & 0x7fU;
  const float finite = float_of(rest << 20) * 0x1p120F;  // 2 to the power of 127 - 7
  return float_of((Bits{small} >> 7 << 31) | (rest == 0x7f ? 0x7fc00000U : bits_of(finite)));
}

inline std::uint16_t narrow_bfloat(float value) {
  const Bits bits = bits_of(value), rounded = bits + 0x7fffU + (bits >> 16 & 1U);
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fffU : rounded >> 16);
}

inline std::uint16_t narrow_half(float value) {
#if defined(__F16C__) || defined(__aarch64__)
  return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(value));
#else
  const Bits bits = bits_of(value), sign = bits >> 31 << 15, rest = bits & 0x7fffffffU;
  // Below the smallest normal number: the sum's last bits are the fraction.
  const Bits tiny = bits_of(float_of(rest) + 0.5F) - bits_of(0.5F);
  const Bits normal = (rest + 0xfffU + (rest >> 13 & 1U) - 0x38000000U) >> 13;
  const Bits finite = rest < 0x38800000U ? tiny : rest >= 0x477ff000U ? 0x7c00U : normal;
  return static_cast<std::uint16_t>(sign | (rest > 0x7f800000U ? 0x7fffU : finite));
#endif
}

// Numbers of 8 bits: the fraction has `kFraction` bits, the largest finite number is `kLargest`, what is larger becomes
// it.
template <int kFraction, int kBias>
inline std::uint8_t narrow_byte(float value, Bits largest, Bits not_a_number) {
  constexpr int kShift = 23 - kFraction;
  constexpr Bits kSmallest = Bits(127 + 1 - kBias) << 23;
  const Bits bits = bits_of(value), sign = bits >> 31 << 7, rest = bits & 0x7fffffffU;
  const float unit = float_of(Bits(127 + 1 - kBias - kFraction + 23) << 23);
  const Bits tiny = bits_of(float_of(rest) + unit) - bits_of(unit);
  const Bits normal =
      (rest + (Bits{1} << (kShift - 1)) - 1 + (rest >> kShift & 1U) - (Bits(127 - kBias) << 23)) >> kShift;
  const Bits finite = rest < kSmallest ? tiny : normal;
  return static_cast<std::uint8_t>(sign | (rest > 0x7f800000U ? not_a_number : finite > largest ? largest : finite));
}

}  // namespace warploom::libraries::WARPLOOM_LEVEL

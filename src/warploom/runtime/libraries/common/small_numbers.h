// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point numbers of 16 bits, by their bits, to float and back. Included by sources that are compiled once for
// each level of the processor, after WARPLOOM_LEVEL is set.
#pragma once

#include <cstdint>

namespace warploom::numbers::WARPLOOM_LEVEL {

using Bits = std::uint32_t;

inline Bits bits_of(float value) { return __builtin_bit_cast(Bits, value); }
inline float float_of(Bits bits) { return __builtin_bit_cast(float, bits); }

inline float widen_half(std::uint16_t small) {
#if defined(__F16C__) || defined(__aarch64__)
  return static_cast<float>(__builtin_bit_cast(_Float16, small));
#else
  const Bits sign = Bits{small} >> 15 << 31, rest = small & 0x7fffU;
  const Bits finite = bits_of(float_of(rest << 13) * 0x1p112F);  // 2 to the power of 127 - 15
  return float_of(sign | (rest >= 0x7c00U ? rest << 13 | 0x7f800000U : finite));
#endif
}

inline float widen_bfloat(std::uint16_t small) { return float_of(Bits{small} << 16); }

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

}  // namespace warploom::numbers::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x mod pi/2 for large x in integer arithmetic (Payne and Hanek, "Radian reduction for trigonometric functions", 1983).
//
// |x| = m 2^e with an integer m. Bits of 2/pi whose product with 2^e is a multiple of 4 do not matter: the 192 bits
// that follow those give x 2/pi mod 4 to 2^-137, and no double comes nearer to a multiple of pi/2 than 2^-62.
#pragma once

#include "vector.h"

namespace warploom_math {

// 64 zeros, then 2/pi after the binary point.
constexpr unsigned long long two_over_pi_bits[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

struct LargeAngle {
  double high, low;
  long long quarter;
};

// For finite |x| >= 2^16.
__attribute__((noinline)) static LargeAngle reduce_large_angle(double x) {
  using Word = unsigned long long;
  using Wide = unsigned __int128;
  Word raw = __builtin_bit_cast(Word, x);
  Word m = (raw & 0xfffffffffffffu) | 0x10000000000000u;
  int skipped = int(raw >> 52 & 0x7ff) - 1075 - 2 + 64;
  const Word *bits = two_over_pi_bits + (skipped >> 6);
  int shift = skipped & 63;
  auto word = [&](int i) { return shift ? bits[i] << shift | bits[i + 1] >> (64 - shift) : bits[i]; };
  Wide lowest = Wide(m) * word(2), middle = Wide(m) * word(1);
  Wide below = (lowest >> 64) + Word(middle);
  Word top = m * word(0) + Word(middle >> 64) + Word(below >> 64);
  // In units of a quarter turn: two bits of integer, then the fraction, as a signed number from -1/2 on.
  Wide fraction = (Wide(top) << 64 | Word(below)) << 2;
  bool negative = fraction >> 127;
  long long quarter = (long long)(top >> 62) + negative;
  Wide magnitude = negative ? -fraction : fraction;
  if (magnitude == 0) return {0.0, 0.0, quarter};
  Word upper = Word(magnitude >> 64);
  int zeros = upper ? __builtin_clzll(upper) : 64 + __builtin_clzll(Word(magnitude));
  magnitude <<= zeros;
  // Times pi/2 = 1.57... with 127 bits after the point.
  constexpr Word half_pi_high = 0xc90fdaa22168c234, half_pi_low = 0xc4c6628b80dc1cd1;
  Word high = Word(magnitude >> 64), low = Word(magnitude);
  Wide product = Wide(high) * half_pi_high + (Wide(high) * half_pi_low >> 64) + (Wide(low) * half_pi_high >> 64);
  Wide head = product >> 75 << 75;
  double unit = __builtin_bit_cast(double, Word(1023 - 127 - zeros) << 52);
  double sign = negative != (raw >> 63 != 0) ? -1.0 : 1.0;
  double scaled = sign * unit;
  return {double(Word(product >> 75)) * 0x1p75 * scaled, double(Word((product - head) >> 11)) * 0x1p11 * scaled,
          raw >> 63 ? -quarter : quarter};
}

template <class V>
WARPLOOM_INLINE void reduce_large_angles(V x, IntOf<V> large, V &high, V &low, IntOf<V> &quarter) {
  for (int lane = 0; lane < lanes; ++lane) {
    if (!large[lane]) continue;
    if (!(__builtin_fabs(double(x[lane])) < __builtin_inf())) {
      high[lane] = Format<V>::nan;
      continue;
    }
    LargeAngle angle = reduce_large_angle(x[lane]);
    high[lane] = Scalar<V>(angle.high);
    low[lane] = Scalar<V>(angle.low);
    quarter[lane] = angle.quarter;
  }
}

}  // namespace warploom_math

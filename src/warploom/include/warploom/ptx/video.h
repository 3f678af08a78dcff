// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The video instructions: arithmetic on bytes and halfwords of words, scalar (with a second operation) and by lanes.
#pragma once

#include "integer.h"

namespace warploom {
namespace ptx {

enum video { vadd, vsub, vabsdiff, vmin, vmax, vavrg, vshl_wrap, vshl_clamp, vshr_wrap, vshr_clamp };

// `bits` bits of `word` from `first` on.
template <bool Signed>
WARPLOOM_PTX s64 part(u32 word, u32 first, u32 bits) {
  const u64 field = static_cast<u64>(word) >> first << (64 - bits);
  return Signed ? static_cast<s64>(field) >> (64 - bits) : static_cast<s64>(field >> (64 - bits));
}
template <video How>
WARPLOOM_PTX s64 video_result(s64 a, s64 b) {
  if (How == vadd) return a + b;
  if (How == vsub) return a - b;
  if (How == vabsdiff) return a > b ? a - b : b - a;
  if (How == vmin) return a < b ? a : b;
  if (How == vmax) return a > b ? a : b;
  if (How == vavrg) return (a + b + (a + b >= 0)) >> 1;
  const u64 count = How == vshl_wrap || How == vshr_wrap ? b & 31 : static_cast<u64>(b) > 32 ? 32 : b;
  if (How == vshl_wrap || How == vshl_clamp) return static_cast<s64>(static_cast<u64>(a) << count);
  return a >> count;
}
// Into `bits` bits: clamped, or cut off.
template <bool Signed, bool Saturate>
WARPLOOM_PTX u32 video_fit(s64 value, u32 bits) {
  if (Saturate) {
    const s64 least = Signed ? -(1ll << (bits - 1)) : 0, most = least + (1ll << bits) - 1;
    value = value < least ? least : value > most ? most : value;
  }
  return static_cast<u32>(value) & static_cast<u32>((1ull << bits) - 1);
}

// Lanes of `Bits` bits: `a_lanes` and `b_lanes` name the lane of b:a that each operand takes, a hexadecimal digit a
// lane; `mask` the lanes that are written. The sum of the written ones with .add, else the others stay as they are in
// c.
template <video How, bool D, bool A, bool B, bool Saturate, bool Sum, u32 Bits>
WARPLOOM_PTX u32 video_lanes(u32 a, u32 b, u32 c, u32 a_lanes, u32 b_lanes, u32 mask) {
  constexpr u32 count = 32 / Bits;
  u32 result = c;
  for (u32 i = 0; i < count; ++i) {
    if (!(mask >> i & 1)) continue;
    const u32 from_a = a_lanes >> 4 * i & 15, from_b = b_lanes >> 4 * i & 15;
    const s64 x = part<A>(from_a < count ? a : b, from_a % count * Bits, Bits);
    const s64 y = part<B>(from_b < count ? a : b, from_b % count * Bits, Bits);
    const s64 value = video_result<How>(x, y);
    if (Sum) {
      result += static_cast<u32>(value);
    } else {
      const u32 lane = static_cast<u32>((1ull << Bits) - 1) << i * Bits;
      result = (result & ~lane) | video_fit<D, Saturate>(value, Bits) << i * Bits;
    }
  }
  return result;
}

}  // namespace ptx
}  // namespace warploom

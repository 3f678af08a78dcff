// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of products of bfloat16 and of bytes in lanes of 32 bits, each with two or four numbers that follow each
// other in k. Included by sources that are compiled for AVX-512.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "../kernels.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

using Size = std::int64_t;
using Lane = std::uint32_t __attribute__((may_alias));

constexpr Size kWide = 32;

// Two numbers of 16 bits in a lane.
struct Pairs {
  using Element = std::uint16_t __attribute__((may_alias));
  using Sum = float;
  static constexpr Size kEach = 2;
  static constexpr Lane kFlip = 0;
};
// Four bytes. The instruction takes B's bytes as unsigned: 128 is added to them, and taken from the sums later.
struct Fours {
  using Element = std::int8_t;
  using Sum = std::int32_t;
  static constexpr Size kEach = 4;
  static constexpr Lane kFlip = 0x80808080U;
};

Size groups_of(Size depth, Size each) { return (depth + each - 1) / each; }
// What is packed is made full to a multiple of 16 lanes.
template <class Form>
Size lanes_of(Size depth) {
  return groups_of(depth, 16 * Form::kEach) * 16;
}

// Rows and columns change places: lanes[row][column] is then lanes[column][row].
void turn(__m512i (&lanes)[16]) {
#pragma clang loop unroll(full)
  for (int apart = 8; apart > 0; apart /= 2) {
    alignas(64) int low[16], high[16];
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i) {
      low[i] = (i & apart) == 0 ? i : 16 + i - apart;
      high[i] = low[i] + apart;
    }
    const __m512i of_low = _mm512_load_si512(low), of_high = _mm512_load_si512(high);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i) {
      if ((i & apart) != 0) continue;
      const __m512i a = lanes[i], b = lanes[i + apart];
      lanes[i] = _mm512_permutex2var_epi32(a, of_low, b);
      lanes[i + apart] = _mm512_permutex2var_epi32(a, of_high, b);
    }
  }
}

// What is packed of an operand: lanes of `count` indices from `first` on, for one group of k after the other:
// to[group * width + index].
template <class Form>
struct Panel {
  using E = typename Form::Element;
  static constexpr Size kEach = Form::kEach, kSquare = 16;
  const E *data;
  Size ld, count, width;
  Lane flip;
  Lane *to;

  // 16 bits for each of up to 32 indices: one number, or two bytes that follow each other in k.
  __m512i load_line(const E *from, __mmask32 mask) const {
    if constexpr (kEach == 2) {
      return _mm512_maskz_loadu_epi16(mask, from);
    } else {
      const __m512i low = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, from)),
                    high = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, from + ld));
      return _mm512_or_si512(low, _mm512_slli_epi16(high, 8));
    }
  }
  // Lanes of 16 indices from `first` on.
  template <int first>
  static __m512i interleave(__m512i even, __m512i odd) {
    alignas(64) std::uint16_t from[32];
#pragma clang loop unroll(full)
    for (int i = 0; i < 32; ++i) from[i] = static_cast<std::uint16_t>(first + i / 2 + i % 2 * 32);
    return _mm512_permutex2var_epi16(even, _mm512_load_si512(from), odd);
  }
  // Neighbours in memory are indices, of which there are at most 32.
  void pack_lines(Size groups) const {
    constexpr Size kAhead = 8;
    const __m512i flips = _mm512_set1_epi32(static_cast<int>(flip));
    const auto mask = static_cast<__mmask32>((std::uint64_t{1} << count) - 1);
    const auto low_mask = static_cast<__mmask16>(mask), high_mask = static_cast<__mmask16>(mask >> 16);
    for (Size group = 0; group < groups; ++group) {
      const E *const from = data + group * kEach * ld;
      for (Size k = 0; k < kEach; ++k) __builtin_prefetch(from + (kAhead * kEach + k) * ld);
      const __m512i even = load_line(from, mask), odd = load_line(from + kEach / 2 * ld, mask);
      Lane *const at = to + group * width;
      _mm512_mask_storeu_epi32(at, low_mask, _mm512_xor_si512(interleave<0>(even, odd), flips));
      if (high_mask != 0)
        _mm512_mask_storeu_epi32(at + 16, high_mask, _mm512_xor_si512(interleave<16>(even, odd), flips));
    }
  }
  // Neighbours in memory are k.
  void pack_turned(Size groups) const {
    const __m512i flips = _mm512_set1_epi32(static_cast<int>(flip));
    Size group = 0;
    for (; group + kSquare <= groups; group += kSquare) {
      for (Size i = 0; i < count; i += kSquare) {
        const Size rows = count - i < kSquare ? count - i : kSquare;
        __m512i lanes[kSquare] = {};
        for (Size row = 0; row < rows; ++row) lanes[row] = _mm512_loadu_si512(data + (i + row) * ld + group * kEach);
        turn(lanes);
        const auto mask = static_cast<__mmask16>((1U << rows) - 1);
        for (Size k = 0; k < kSquare; ++k)
          _mm512_mask_storeu_epi32(to + (group + k) * width + i, mask, _mm512_xor_si512(lanes[k], flips));
      }
    }
    for (; group < groups; ++group) {
      for (Size i = 0; i < count; ++i) {
        Lane lane;
        __builtin_memcpy(&lane, data + i * ld + group * kEach, sizeof lane);
        to[group * width + i] = lane ^ flip;
      }
    }
  }
  // The last group, which has `here` of its numbers.
  void pack_rest(Size group, Size here, bool by_index) const {
    for (Size i = 0; i < count; ++i) {
      E parts[kEach] = {};
      for (Size k = 0; k < here; ++k) {
        const Size at = group * kEach + k;
        parts[k] = by_index ? data[i + at * ld] : data[i * ld + at];
      }
      Lane lane;
      __builtin_memcpy(&lane, parts, sizeof lane);
      to[group * width + i] = lane ^ flip;
    }
  }
};

// Lanes of `count` indices and all of k: to[group * width + i]. Where `by_index`, neighbours in memory are indices,
// else they are k.
template <class Form>
void pack(const LaneOperand &operand, Size first, Size count, Size depth, Size width, Lane flip, Lane *to) {
  const auto *const data = static_cast<const typename Form::Element *>(operand.data);
  const Panel<Form> panel = {
      data + (operand.by_index ? first : first * operand.ld), operand.ld, count, width, flip, to};
  const Size whole = depth / Form::kEach, rest = depth % Form::kEach;
  operand.by_index ? panel.pack_lines(whole) : panel.pack_turned(whole);
  if (rest > 0) panel.pack_rest(whole, rest, operand.by_index);
  if (count == width) return;
  for (Size group = 0; group < groups_of(depth, Form::kEach); ++group) {
    for (Size i = count; i < width; ++i) to[group * width + i] = 0;
  }
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL

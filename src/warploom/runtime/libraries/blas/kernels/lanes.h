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

  // Neighbours in memory are indices.
  void pack_lines(Size groups) const {
    for (Size group = 0; group < groups; ++group) {
      const E *const from = data + group * kEach * ld;
      for (Size i = 0; i < count; ++i) {
        Lane lane = 0;
        for (Size k = 0; k < kEach; ++k) {
          const auto part = static_cast<std::make_unsigned_t<std::remove_cv_t<E>>>(from[i + k * ld]);
          lane |= static_cast<Lane>(part) << (32 / kEach * k);
        }
        to[group * width + i] = lane ^ flip;
      }
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mma.sync with the fragments that the PTX manual draws.
//
// With g = lane / 4 and t = lane % 4, a register of a factor holds e elements of one row (of a) or column (of b),
// consecutive in k:
//   a[2i + h]: row g + 8h, k = 4e i + e t + (0 .. e-1)        (with 8 rows: a[i], row g)
//   b[i]:      column g,   k = 4e i + e t + (0 .. e-1)
//   d[2h + j]: row g + 8h, column 2t + j                      (16-bit results: two of one row in a register)
//
// A lane makes numbers of its own registers; all lanes take those that they need by shuffles whose sources are known
// when the program is compiled.
#pragma once

#include "../nibbles.h"
#include "convert.h"
#include "warp.h"

namespace warploom {
namespace ptx {

// The elements of a factor: how many numbers a register holds, and each of them.
template <class T>
struct small_element {
  static constexpr int parts = 2;
  WARPLOOM_PTX float at(u32 word, int i) {
    return small_float::value_of(__builtin_bit_cast(T, static_cast<u16>(word >> 16 * i)));
  }
};
// The upper bits of a half are an e5m2; those of a half 2^8 times smaller are an e4m3, but for its one NaN.
struct e5m2_element {
  static constexpr int parts = 4;
  WARPLOOM_PTX float at(u32 word, int i) {
    return small_float::value_of(__builtin_bit_cast(__half, static_cast<u16>((word >> 8 * i & 0xffu) << 8)));
  }
};
struct e4m3_element {
  static constexpr int parts = 4;
  WARPLOOM_PTX float at(u32 word, int i) {
    const u32 byte = word >> 8 * i & 0xffu, magnitude = byte & 0x7fu;
    const u16 half = static_cast<u16>((byte & 0x80u) << 8 | magnitude << 7);
    const float value = small_float::value_of(__builtin_bit_cast(__half, half)) * 0x1p8f;
    return magnitude == 0x7fu ? __builtin_nanf("") : value;
  }
};
// The upper one first, as vdpbf16ps adds them.
struct bfloat16_element {
  static constexpr int parts = 2;
  WARPLOOM_PTX float at(u32 word, int i) { return __builtin_bit_cast(float, i == 0 ? word & 0xffff0000u : word << 16); }
};
struct tf32_element {
  static constexpr int parts = 1;
  WARPLOOM_PTX float at(u32 word, int) { return __builtin_bit_cast(float, word & ~0x1fffu); }
};
struct double_element {
  static constexpr int parts = 1;
  WARPLOOM_PTX double at(u64 word, int) { return __builtin_bit_cast(double, word); }
};

// What is multiplied with what: the numbers of a register of either factor and how two of them add to a sum. Bytes of a
// are made positive and those of b signed, as the dot products take them, by adding to each: what the sum of products
// then has too much is the sum of `excess` over a row of a, or over a column of b.
template <class A, class B>
struct numbers {
  static constexpr int parts = A::parts;
  static constexpr bool row_exceeds = false, column_exceeds = false, starts_with_c = !same<A, bfloat16_element>;
  template <class Word>
  WARPLOOM_PTX auto left(Word word, int i) {
    return A::at(word, i);
  }
  template <class Word>
  WARPLOOM_PTX auto right(Word word, int i) {
    return B::at(word, i);
  }
  WARPLOOM_PTX float add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
  WARPLOOM_PTX double add(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
};
struct positive_by_signed {
  static constexpr bool starts_with_c = false;
  WARPLOOM_PTX s32 add(s32 a, s32 b, s32 sum) { return __warploom_dot4_us(a, b, sum); }
};
template <bool SignedA, bool SignedB>
struct bytes : positive_by_signed {
  static constexpr int parts = 1;
  static constexpr s32 top_bits = static_cast<s32>(0x80808080u);
  static constexpr bool row_exceeds = !SignedA && !SignedB, column_exceeds = SignedA;
  WARPLOOM_PTX s32 left(u32 word, int) { return static_cast<s32>(word) ^ (SignedA ? top_bits : 0); }
  WARPLOOM_PTX s32 right(u32 word, int) { return static_cast<s32>(word) ^ (SignedB ? 0 : top_bits); }
  WARPLOOM_PTX s32 excess_of_row(s32 a, s32 sum) { return __warploom_dot4_us(a, top_bits, sum); }
  WARPLOOM_PTX s32 excess_of_column(s32 b, s32 sum) { return __warploom_dot4_us(top_bits, b, sum); }
};
// Of signed bytes by positive ones: the dot product with its factors exchanged.
template <>
struct bytes<true, false> {
  static constexpr int parts = 1;
  static constexpr bool row_exceeds = false, column_exceeds = false, starts_with_c = false;
  WARPLOOM_PTX s32 left(u32 word, int) { return static_cast<s32>(word); }
  WARPLOOM_PTX s32 right(u32 word, int) { return static_cast<s32>(word); }
  WARPLOOM_PTX s32 add(s32 a, s32 b, s32 sum) { return __warploom_dot4_su(a, b, sum); }
};
template <bool SignedA, bool SignedB>
struct four_bits : positive_by_signed {
  static constexpr int parts = 2;
  static constexpr bool row_exceeds = false, column_exceeds = SignedA;
  WARPLOOM_PTX s32 left(u32 word, int i) {
    const u32 flipped = word ^ (SignedA ? 0x88888888u : 0u);
    return static_cast<s32>(i == 0 ? nibbles::even(flipped) : nibbles::odd(flipped));
  }
  WARPLOOM_PTX s32 right(u32 word, int i) {
    const u32 half = i == 0 ? nibbles::even(word) : nibbles::odd(word);
    return static_cast<s32>(SignedB ? nibbles::extended(half) : half);
  }
  WARPLOOM_PTX s32 excess_of_column(s32 b, s32 sum) { return __warploom_dot4_us(0x08080808, b, sum); }
};
template <bool And>
struct bits {
  static constexpr int parts = 1;
  static constexpr bool row_exceeds = false, column_exceeds = false, starts_with_c = false;
  WARPLOOM_PTX s32 left(u32 word, int) { return static_cast<s32>(word); }
  WARPLOOM_PTX s32 right(u32 word, int) { return static_cast<s32>(word); }
  WARPLOOM_PTX s32 add(s32 a, s32 b, s32 sum) {
    return sum + __builtin_popcount(static_cast<u32>(And ? a & b : a ^ b));
  }
};

#ifdef __AVX512BF16__
// Two products in one instruction, which takes denormals for 0.
struct bfloat16_pairs {
  static constexpr int parts = 1;
  static constexpr bool row_exceeds = false, column_exceeds = false, starts_with_c = false;
  WARPLOOM_PTX u32 left(u32 word, int) { return word; }
  WARPLOOM_PTX u32 right(u32 word, int) { return word; }
  WARPLOOM_PTX float add(u32 a, u32 b, float sum) {
    const s32 c = __builtin_bit_cast(s32, sum);
    return __builtin_bit_cast(float, __warploom_dot2_bf16(static_cast<s32>(a), static_cast<s32>(b), c));
  }
};
// Whether a bfloat16 is below 2^-56 but not 0. Else every sum of products is a multiple of 2^-126, so never a denormal.
WARPLOOM_PTX bool has_tiny(u32 word) {
  const u32 above = word | 0x80008000u;
  return ((above - 0x00010001u) & ~(above - (71u << 7) * 0x10001u) & 0x80008000u) != 0;
}
#endif

// The sum over the four lanes of a row or column.
WARPLOOM_PTX_WARP s32 sum_of_four(s32 value, u32 lane, const char *file, int line) {
  value += from_lane(value, lane ^ 1u, file, line);
  return value + from_lane(value, lane ^ 2u, file, line);
}
// c + sum, wrapped or clamped.
template <bool Saturate>
WARPLOOM_PTX s32 end_of_sum(s32 c, s32 sum) {
  if constexpr (Saturate) {
    constexpr s64 most = 0x7fffffff;
    const s64 exact = static_cast<s64>(c) + sum;
    return static_cast<s32>(exact > most ? most : exact < -most - 1 ? -most - 1 : exact);
  } else {
    return static_cast<s32>(static_cast<u32>(c) + static_cast<u32>(sum));
  }
}

// Calls `run` with the constants 0 to Count - 1: what indexes registers and lanes has to be known.
template <int I>
struct constant {
  static constexpr int value = I;
};
template <class T, T... I>
struct constants {
  template <class Run>
  WARPLOOM_PTX_WARP void each(Run run) {
    (run(constant<I>()), ...);
  }
};
template <int Count, class Run>
WARPLOOM_PTX_WARP void repeat(Run run) {
  __make_integer_seq<constants, int, Count>::each(run);
}

// d = a b + c. Rows: 8 or 16; Steps: registers of b. c is added last to whole numbers, of which sums of products are
// far from the ends of 32 bits, and to products of bfloat16, which then need not be looked at for the sake of c and do
// not wait for the product before.
template <class Factors, int Rows, int Steps, bool Saturate, class Value, class A, class B>
WARPLOOM_PTX_WARP void mma(Value *d, const A *a, const B *b, const Value *c, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
  constexpr int halves = Rows / 8, parts = Factors::parts;
  decltype(Factors::left(A(), 0)) left[halves * Steps * parts];
  decltype(Factors::right(B(), 0)) right[Steps * parts];
  Value sums[2 * halves];
  repeat<halves * Steps * parts>([&](auto i) { left[i.value] = Factors::left(a[i.value / parts], i.value % parts); });
  repeat<Steps * parts>([&](auto i) { right[i.value] = Factors::right(b[i.value / parts], i.value % parts); });
  repeat<2 * halves>([&](auto i) { sums[i.value] = Factors::starts_with_c ? c[i.value] : Value(0); });
  repeat<Steps * 4 * parts>([&](auto i) {
    constexpr int step = i.value / (4 * parts), t = i.value / parts % 4, part = i.value % parts;
    const auto word = right[step * parts + part];
    const auto first = from_lane(word, column + t, file, line), second = from_lane(word, column + 4 + t, file, line);
    repeat<halves>([&](auto half) {
      constexpr int at = half.value;
      const auto factor = from_lane(left[(step * halves + at) * parts + part], row + t, file, line);
      sums[2 * at] = Factors::add(factor, first, sums[2 * at]);
      sums[2 * at + 1] = Factors::add(factor, second, sums[2 * at + 1]);
    });
  });
  if constexpr (Factors::row_exceeds) {
    repeat<halves>([&](auto half) {
      s32 excess = 0;
      repeat<Steps * parts>([&](auto i) {
        constexpr int at = (i.value / parts * halves + half.value) * parts + i.value % parts;
        excess = Factors::excess_of_row(left[at], excess);
      });
      excess = sum_of_four(excess, lane, file, line);
      sums[2 * half.value] -= excess;
      sums[2 * half.value + 1] -= excess;
    });
  }
  if constexpr (Factors::column_exceeds) {
    s32 excess = 0;
    repeat<Steps * parts>([&](auto i) { excess = Factors::excess_of_column(right[i.value], excess); });
    excess = sum_of_four(excess, lane, file, line);
    const s32 first = from_lane(excess, column, file, line), second = from_lane(excess, column + 4, file, line);
    repeat<2 * halves>([&](auto i) { sums[i.value] -= i.value % 2 ? second : first; });
  }
  repeat<2 * halves>([&](auto i) {
    if constexpr (is_integer<Value>) {
      d[i.value] = end_of_sum<Saturate>(c[i.value], sums[i.value]);
    } else {
      d[i.value] = Factors::starts_with_c ? sums[i.value] : c[i.value] + sums[i.value];
    }
  });
}

// Of bfloat16.
template <int Rows, int Steps>
WARPLOOM_PTX_WARP void mma_bfloat16(float *d, const u32 *a, const u32 *b, const float *c, const char *file, int line) {
#ifdef __AVX512BF16__
  bool tiny = false;
  repeat<Rows / 8 * Steps>([&](auto i) { tiny |= has_tiny(a[i.value]); });
  repeat<Steps>([&](auto i) { tiny |= has_tiny(b[i.value]); });
  if (__warploom_any(whole_warp, tiny, file, line) == 0) {
    mma<bfloat16_pairs, Rows, Steps, false>(d, a, b, c, file, line);
    return;
  }
#endif
  mma<numbers<bfloat16_element, bfloat16_element>, Rows, Steps, false>(d, a, b, c, file, line);
}

// m8n8k4 of halves: lanes 4q to 4q + 3 and 16 + 4q to 19 + 4q have a product of their own. The upper four hold rows 4
// to 7 of a and d and columns 4 to 7 of b. A lane's four elements of a factor are those of one row (of a by rows), or
// column (of b by columns), or else of one k; of a result in halves they are a row, of one in floats
//   d[i]: row lane % 2 + i & 2, column i & 4 + lane & 2 + i & 1
template <bool RowsA, bool RowsB, bool Halves>
WARPLOOM_PTX_WARP void mma_quads(float *d, const u32 *a, const u32 *b, const float *c, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), quad = lane & 12u, upper = lane & 16u;
  float left[4], right[4];
  for (int i = 0; i < 4; ++i) {
    left[i] = small_element<__half>::at(a[i / 2], i % 2);
    right[i] = small_element<__half>::at(b[i / 2], i % 2);
  }
  // Element `which` of the four of lane `source`.
  const auto element = [&](const float *four, u32 source, u32 which) {
    float found = 0.0f;
    for (u32 i = 0; i < 4; ++i) {
      const float other = from_lane(four[i], source, file, line);
      if (i == which) found = other;
    }
    return found;
  };
  for (u32 i = 0; i < 8; ++i) {
    const u32 row = Halves ? lane & 3u : (lane & 1u) + (i & 2u);  // of the four that the lane's half of a has
    const u32 column = Halves ? i : (i & 4u) + (lane & 2u) + (i & 1u);
    float sum = c[i];
    for (u32 k = 0; k < 4; ++k) {
      const u32 of_column = quad + (column & 4u) * 4;
      const float x = element(left, quad + upper + (RowsA ? row : k), RowsA ? k : row);
      const float y = element(right, of_column + (RowsB ? k : column & 3u), RowsB ? column & 3u : k);
      sum = __builtin_fmaf(x, y, sum);
    }
    d[i] = sum;
  }
}

// ---- mma.sp: a has two elements (or pairs of 4-bit integers; halves of a tf32) of each four of a row ----------------
//
// Its registers are those of a dense factor with half the columns; four bits for each two elements say which of the
// four they are. Groups of four are numbered from the left: with elements of 16 bits group n lies in lane n % 4 of the
// row, with ones of 8 bits in lane n / 2 % 4. `places` of four lanes, with s the selector:
//   16 bits, 4 groups a row:  lane s:             row g in bits 0 to 15, row g + 8 in bits 16 to 31
//            8 groups:        lane 2s + n / 4:    the same of groups 0 to 3, and 4 to 7
//   8 bits,  8 groups:        lane 2s + h:        row g + 8h
//            16 groups:       lane 2 (n / 8) + h: row g + 8h, of groups 0 to 7, and 8 to 15

// The two elements of a group at their places, the others 0.
template <int Bits>
WARPLOOM_PTX u64 at_places(u32 elements, u32 places) {
  constexpr u32 mask = (1u << Bits) - 1;
  const u64 first = elements & mask, second = elements >> Bits & mask;
  return first << Bits * (places & 3) | second << Bits * (places >> 2 & 3);
}

// The registers of the dense factor; in the upper half of each number all bits of those elements that a has.
template <int Bits, int Steps>
WARPLOOM_PTX_WARP void spread(u64 *dense, const u32 *a, u32 places, u32 selector, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), row = lane & ~3u, t = lane & 3u;
  repeat<2 * Steps>([&](auto i) {
    constexpr u32 step = i.value / 2, half = i.value % 2;
    const u32 group = Bits == 16 ? step % 2 * 2 + t / 2 : step % 2 * 4 + t;  // among those of a lane's places
    const u32 source = Steps == 2   ? selector * (Bits == 16 ? 1 : 2)
                       : Bits == 16 ? 2 * selector + step / 2
                                    : step / 2 * 2;
    const u32 word = from_lane(a[step / 2 * 2 + half], row + step % 2 * 2 + t / 2, file, line);
    const u32 all = from_lane(places, row + source + (Bits == 8 ? half : 0), file, line);
    const u32 here = all >> ((Bits == 16 ? 16 * half : 0) + 4 * group);
    if constexpr (Bits == 16) {
      const u32 upper = t % 2 * 32;
      dense[i.value] = static_cast<u32>(at_places<16>(word, here) >> upper) | at_places<16>(~0u, here) >> upper << 32;
    } else {
      dense[i.value] = at_places<8>(word >> t % 2 * 16, here) | at_places<8>(~0u, here) << 32;
    }
  });
}

// Products of floats whose left factor may not be there: then what is on the right does not matter, even if infinite.
template <class Factors>
struct where_present : Factors {
  WARPLOOM_PTX u64 left(u64 word, int i) {
    const bool present = Factors::left(static_cast<u32>(word >> 32), i) != 0;  // of all bits: not a number
    return __builtin_bit_cast(u32, Factors::left(static_cast<u32>(word), i)) | static_cast<u64>(present) << 32;
  }
  WARPLOOM_PTX float add(u64 a, float b, float sum) {
    const float product = Factors::add(__builtin_bit_cast(float, static_cast<u32>(a)), b, sum);
    return a >> 32 != 0 ? product : sum;
  }
};

template <class Factors, int Bits, int Steps, bool Saturate, class Value>
WARPLOOM_PTX_WARP void mma_sparse(Value *d, const u32 *a, const u32 *b, const Value *c, u32 places, u32 selector,
                                  const char *file, int line) {
  u64 dense[2 * Steps];
  spread<Bits, Steps>(dense, a, places, selector, file, line);
  if constexpr (is_integer<Value>) {
    u32 words[2 * Steps];
    repeat<2 * Steps>([&](auto i) { words[i.value] = static_cast<u32>(dense[i.value]); });
    mma<Factors, 16, Steps, Saturate>(d, words, b, c, file, line);
  } else {
    mma<where_present<Factors>, 16, Steps, Saturate>(d, dense, b, c, file, line);
  }
}

WARPLOOM_PTX void unpack_halves(float *values, u32 word) {
  values[0] = small_element<__half>::at(word, 0);
  values[1] = small_element<__half>::at(word, 1);
}
WARPLOOM_PTX u32 pack_halves(const float *values) {
  return __builtin_bit_cast(u32, cvt_pair<rn, false, __half2>(values[1], values[0]));
}

}  // namespace ptx
}  // namespace warploom

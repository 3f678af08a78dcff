// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 and of bytes by instructions that add the products of two, or four, neighbours to each lane of
// 32 bits (AVX512_BF16, AVX512_VNNI): panels of 32 rows of A, along which vectors lie, by panels of columns of B.
//
//     A: a[(group * 32 + row) * kEach + k]      B: b[(group * columns + column) * kEach + k]      k: within a group
#include <type_traits>

#include "../kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

#if defined(__AVX512F__)
using Size = std::int64_t;
using Lane = std::uint32_t __attribute__((may_alias));

constexpr Size kWide = 32;
constexpr int kMost = 14;  // columns of a panel of B

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

template <class Form>
struct Sums;
template <>
struct Sums<Pairs> {
  using Vector = __m512;
  __attribute__((target("avx512bf16"), always_inline)) static inline Vector add(Vector sum, Lane b, __m512i a) {
    return _mm512_dpbf16_ps(sum, (__m512bh)_mm512_set1_epi32(static_cast<int>(b)), (__m512bh)a);
  }
};
template <>
struct Sums<Fours> {
  using Vector = __m512i;
  __attribute__((target("avx512vnni"), always_inline)) static inline Vector add(Vector sum, Lane b, __m512i a) {
    return _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(static_cast<int>(b)), a);
  }
};

// A panel of A by one of B with `columns` columns: c[column * step + row]. Sums begin with `start` of each row.
#define WARPLOOM_PANELS(FORM, NAME, TARGET)                                                                    \
  template <int columns>                                                                                       \
  __attribute__((target(TARGET))) void NAME(Size groups, const Lane *a, const Lane *b, const FORM::Sum *start, \
                                            FORM::Sum *c, Size step, bool add) {                               \
    Sums<FORM>::Vector sums[columns][2];                                                                       \
    _Pragma("clang loop unroll(full)") for (int j = 0; j < columns; ++j) {                                     \
      __builtin_memcpy(sums[j], start, sizeof sums[j]);                                                        \
    }                                                                                                          \
    for (Size g = 0; g < groups; ++g, a += kWide, b += columns) {                                              \
      const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);                            \
      _Pragma("clang loop unroll(full)") for (int j = 0; j < columns; ++j) {                                   \
        sums[j][0] = Sums<FORM>::add(sums[j][0], b[j], low);                                                   \
        sums[j][1] = Sums<FORM>::add(sums[j][1], b[j], high);                                                  \
      }                                                                                                        \
    }                                                                                                          \
    using Plain = FORM::Sum __attribute__((vector_size(64)));                                                  \
    for (int j = 0; j < columns; ++j) {                                                                        \
      for (int half = 0; half < 2; ++half) {                                                                   \
        Plain old, fresh;                                                                                      \
        __builtin_memcpy(&fresh, &sums[j][half], sizeof fresh);                                                \
        if (add) {                                                                                             \
          __builtin_memcpy(&old, c + j * step + half * 16, sizeof old);                                        \
          fresh += old;                                                                                        \
        }                                                                                                      \
        __builtin_memcpy(c + j * step + half * 16, &fresh, sizeof fresh);                                      \
      }                                                                                                        \
    }                                                                                                          \
  }
WARPLOOM_PANELS(Pairs, multiply_pairs, "avx512bf16")
WARPLOOM_PANELS(Fours, multiply_fours, "avx512vnni")
#undef WARPLOOM_PANELS

template <class Form>
using Kernel = void (*)(Size groups, const Lane *a, const Lane *b, const typename Form::Sum *start,
                        typename Form::Sum *c, Size step, bool add);
template <int most>
Kernel<Pairs> kernel_of(Pairs, int columns) {
  if constexpr (most > 1) {
    return columns == most ? multiply_pairs<most> : kernel_of<most - 1>(Pairs(), columns);
  } else {
    return multiply_pairs<1>;
  }
}
template <int most>
Kernel<Fours> kernel_of(Fours, int columns) {
  if constexpr (most > 1) {
    return columns == most ? multiply_fours<most> : kernel_of<most - 1>(Fours(), columns);
  } else {
    return multiply_fours<1>;
  }
}

// What the sums of a panel's rows begin with: 128 times the sum of the row's bytes less, which is what B's flipped
// bytes add.
void begin(Pairs, const Lane *, Size, float *start) {
  for (Size row = 0; row < kWide; ++row) start[row] = 0;
}
__attribute__((target("avx512vnni"))) void begin(Fours, const Lane *a, Size groups, std::int32_t *start) {
  __m512i sums[2] = {};
  const __m512i ones = _mm512_set1_epi8(1);
  for (Size g = 0; g < groups; ++g, a += kWide) {
    sums[0] = _mm512_dpbusd_epi32(sums[0], ones, _mm512_loadu_si512(a));
    sums[1] = _mm512_dpbusd_epi32(sums[1], ones, _mm512_loadu_si512(a + 16));
  }
  __builtin_memcpy(start, sums, sizeof sums);
  for (Size row = 0; row < kWide; ++row) start[row] *= -128;
}

template <class Form>
void multiply(const LaneProduct<typename Form::Sum> &p) {
  using Sum = typename Form::Sum;
  alignas(64) Sum corner[kMost * kWide], start[kWide];
  const Size groups = groups_of(p.k, Form::kEach);
  const Size panels = (p.n + kMost - 1) / kMost, height = (p.n + panels - 1) / panels;
  auto *const left = static_cast<Lane *>(p.area_a), *const right = static_cast<Lane *>(p.area_b);
  for (Size j = 0; j < p.n; j += height) {
    const Size count = p.n - j < height ? p.n - j : height;
    pack<Form>(p.b, j, count, p.k, count, Form::kFlip, right + j * groups);
  }
  for (Size i = 0; i < p.m; i += kWide) {
    const Size rows = p.m - i < kWide ? p.m - i : kWide;
    pack<Form>(p.a, i, rows, p.k, kWide, 0, left);
    begin(Form(), left, groups, start);
    for (Size j = 0; j < p.n; j += height) {
      const Size count = p.n - j < height ? p.n - j : height;
      const Kernel<Form> kernel = kernel_of<kMost>(Form(), static_cast<int>(count));
      Sum *const c = p.sums + i + j * p.step;
      if (rows == kWide) {
        kernel(groups, left, right + j * groups, start, c, p.step, p.add);
        continue;
      }
      kernel(groups, left, right + j * groups, start, corner, kWide, false);
      for (Size column = 0; column < count; ++column) {
        for (Size row = 0; row < rows; ++row) {
          Sum &to = c[column * p.step + row];
          to = corner[column * kWide + row] + (p.add ? to : Sum(0));
        }
      }
    }
  }
}

// Whether numbers would be taken for zero: the instruction drops what is below the normal numbers.
bool has_subnormal(const LaneOperand &operand, Size indices, Size depth) {
  const Size length = operand.by_index ? indices : depth, lines = operand.by_index ? depth : indices;
  const auto *const data = static_cast<const std::uint16_t *>(operand.data);
  for (Size line = 0; line < lines; ++line) {
    const std::uint16_t *const numbers = data + line * operand.ld;
    unsigned found = 0;
    for (Size i = 0; i < length; ++i) {
      const unsigned rest = numbers[i] & 0x7fffU;
      found |= rest - 1U < 0x7fU ? 1U : 0U;
    }
    if (found != 0) return true;
  }
  return false;
}

bool bfloat(const LaneProduct<float> &p) {
  if (!__builtin_cpu_supports("avx512bf16")) return false;
  if (has_subnormal(p.a, p.m, p.k) || has_subnormal(p.b, p.n, p.k)) return false;
  multiply<Pairs>(p);
  return true;
}
bool bytes(const LaneProduct<std::int32_t> &p) {
  if (!__builtin_cpu_supports("avx512vnni")) return false;
  multiply<Fours>(p);
  return true;
}
#else
bool bfloat(const LaneProduct<float> &) { return false; }
bool bytes(const LaneProduct<std::int32_t> &) { return false; }
#endif

}  // namespace

extern const LaneKernels kLaneProducts;
const LaneKernels kLaneProducts = {bfloat, bytes};

}  // namespace warploom::blas::WARPLOOM_LEVEL

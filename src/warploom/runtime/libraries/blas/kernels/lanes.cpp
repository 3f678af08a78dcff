// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 and of bytes by instructions that add the products of two, or four, neighbours to each lane of
// 32 bits: on tiles (AMX, matrix_tiles.h), or on vectors (AVX512_BF16, AVX512_VNNI), here: panels of 32 rows of A,
// along which vectors lie, by panels of columns of B.
//
//     A: a[(group * 32 + row) * kEach + k]      B: b[(group * columns + column) * kEach + k]      k: within a group
#include "../kernels.h"

#if defined(__AVX512F__)
#include "matrix_tiles.h"
#endif

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int kMost = 14;  // columns of a panel of B

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
void pack_left(const LaneOperand &operand, Size first, Size count, Size depth, Lane *to) {
  pack<Form>(operand, first, count, depth, kWide, 0, to);
}
template <class Form>
void pack_right(const LaneOperand &operand, Size first, Size count, Size depth, Lane *to) {
  pack<Form>(operand, first, count, depth, count, Form::kFlip, to);
}

// Up to 32 rows from row i on, whose panel is `left`, by all columns, in panels of `width`.
template <class Form>
void multiply_panel(const LaneProduct<typename Form::Sum> &p, Size i, const Lane *left, Size width) {
  using Sum = typename Form::Sum;
  alignas(64) Sum corner[kMost * kWide], start[kWide];
  const Size groups = groups_of(p.k, Form::kEach), rows = p.m - i < kWide ? p.m - i : kWide;
  begin(Form(), left, groups, start);
  for (Size j = 0; j < p.n; j += width) {
    const Size count = p.n - j < width ? p.n - j : width;
    const Kernel<Form> kernel = kernel_of<kMost>(Form(), static_cast<int>(count));
    const Lane *const right = static_cast<const Lane *>(p.area_b) + j * lanes_of<Form>(p.k);
    Sum *const c = p.sums + i + j * p.step;
    if (rows == kWide) {
      kernel(groups, left, right, start, c, p.step, p.add);
      continue;
    }
    kernel(groups, left, right, start, corner, kWide, false);
    for (Size column = 0; column < count; ++column) {
      for (Size row = 0; row < rows; ++row) {
        Sum &to = c[column * p.step + row];
        to = corner[column * kWide + row] + (p.add ? to : Sum(0));
      }
    }
  }
}

template <class Form>
void multiply_packed(const LaneProduct<typename Form::Sum> &p) {
  for (Size i = 0; i < p.m; i += kWide)
    multiply_panel<Form>(p, i, static_cast<const Lane *>(p.area_a) + i * lanes_of<Form>(p.k), kMost);
}

template <class Form>
void multiply(const LaneProduct<typename Form::Sum> &p) {
  const Size panels = (p.n + kMost - 1) / kMost, width = (p.n + panels - 1) / panels;
  auto *const left = static_cast<Lane *>(p.area_a), *const right = static_cast<Lane *>(p.area_b);
  for (Size j = 0; j < p.n; j += width)
    pack_right<Form>(p.b, j, p.n - j < width ? p.n - j : width, p.k, right + j * lanes_of<Form>(p.k));
  for (Size i = 0; i < p.m; i += kWide) {
    pack_left<Form>(p.a, i, p.m - i < kWide ? p.m - i : kWide, p.k, left);
    multiply_panel<Form>(p, i, left, width);
  }
}

// Magnitudes less one step, which makes a large number of 0.
using Magnitudes = std::uint16_t __attribute__((vector_size(64)));
Magnitudes magnitudes_of(const std::uint16_t *numbers) {
  Magnitudes values;
  __builtin_memcpy(&values, numbers, sizeof values);
  return (values & 0x7fff) - 1;
}
int smallest_exponent(const LaneOperand &operand, Size indices, Size depth) {
  constexpr Size kCount = sizeof(Magnitudes) / sizeof(std::uint16_t);
  const Size length = operand.by_index ? indices : depth, lines = operand.by_index ? depth : indices;
  Magnitudes least = Magnitudes{} - 1;
  for (Size line = 0; line < lines; ++line) {
    const auto *const numbers = static_cast<const std::uint16_t *>(operand.data) + line * operand.ld;
    for (Size i = 0; i + kCount <= length; i += kCount)
      least = __builtin_elementwise_min(least, magnitudes_of(numbers + i));
    if (length % kCount == 0) continue;
    std::uint16_t rest[kCount] = {};
    const Size first = length / kCount * kCount;
    __builtin_memcpy(rest, numbers + first, static_cast<std::size_t>(length - first) * sizeof *rest);
    least = __builtin_elementwise_min(least, magnitudes_of(rest));
  }
  return (__builtin_reduce_min(least) + 1) >> 7;
}
// On Intel's processors the instruction on vectors takes twice as long as two of floats: .7 of the speed of those.
bool has_bfloats() { return has_tiles() || (__builtin_cpu_supports("avx512bf16") && !__builtin_cpu_is("intel")); }
bool has_bytes() { return has_tiles() || __builtin_cpu_supports("avx512vnni"); }
Size panel_columns() { return has_tiles() ? kWide : kMost; }
template <class Form>
void pack_left_panel(const LaneOperand &operand, Size first, Size count, Size depth, void *to) {
  (has_tiles() ? pack_left_for_tiles<Form> : pack_left<Form>)(operand, first, count, depth, static_cast<Lane *>(to));
}
template <class Form>
void pack_right_panel(const LaneOperand &operand, Size first, Size count, Size depth, void *to) {
  (has_tiles() ? pack_right_for_tiles<Form> : pack_right<Form>)(operand, first, count, depth, static_cast<Lane *>(to));
}
template <class Form>
void multiply_by_best(const LaneProduct<typename Form::Sum> &p) {
  has_tiles() ? multiply_by_tiles<Form, ProcessorTiles>(p) : multiply<Form>(p);
}
template <class Form>
void multiply_packed_by_best(const LaneProduct<typename Form::Sum> &p) {
  has_tiles() ? multiply_packed_by_tiles<Form, ProcessorTiles>(p) : multiply_packed<Form>(p);
}
template <class Form>
constexpr LaneForm<typename Form::Sum> form_of(bool (*exists)()) {
  return {exists,
          multiply_by_best<Form>,
          panel_columns,
          lanes_of<Form>,
          pack_left_panel<Form>,
          pack_right_panel<Form>,
          multiply_packed_by_best<Form>};
}
#endif

}  // namespace

extern const LaneKernels kLaneProducts;
#if defined(__AVX512F__)
const LaneKernels kLaneProducts = {form_of<Pairs>(has_bfloats), form_of<Fours>(has_bytes), smallest_exponent};
#else
bool has_none() { return false; }
const LaneKernels kLaneProducts = {{has_none}, {has_none}, nullptr};
#endif

}  // namespace warploom::blas::WARPLOOM_LEVEL

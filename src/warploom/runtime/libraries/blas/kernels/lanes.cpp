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

// Magnitudes less one step, which makes a large number of 0.
using Magnitudes = std::uint16_t __attribute__((vector_size(64)));
Magnitudes magnitudes_of(const std::uint16_t *numbers) {
  Magnitudes values;
  __builtin_memcpy(&values, numbers, sizeof values);
  return (values & 0x7fff) - 1;
}
// The exponent, with its bias, of the smallest number but 0; 0 where that is below the normal numbers.
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
// The instructions take what is below the normal numbers for 0. Nothing is where the least product is 2 to the power of
// -112: all products, and so all sums, are then multiples of 2 to the power of -126, the least normal number.
bool stays_normal(const LaneProduct<float> &p) {
  constexpr int kBias = 127, kLeast = -112;
  const int of_a = smallest_exponent(p.a, p.m, p.k), of_b = smallest_exponent(p.b, p.n, p.k);
  return of_a > 0 && of_b > 0 && of_a + of_b - 2 * kBias >= kLeast;
}

bool bfloat(const LaneProduct<float> &p) {
  const bool by_tiles = has_tiles();
  if ((!by_tiles && !__builtin_cpu_supports("avx512bf16")) || !stays_normal(p)) return false;
  by_tiles ? multiply_by_tiles<Pairs, ProcessorTiles>(p) : multiply<Pairs>(p);
  return true;
}
bool bytes(const LaneProduct<std::int32_t> &p) {
  const bool by_tiles = has_tiles();
  if (!by_tiles && !__builtin_cpu_supports("avx512vnni")) return false;
  by_tiles ? multiply_by_tiles<Fours, ProcessorTiles>(p) : multiply<Fours>(p);
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

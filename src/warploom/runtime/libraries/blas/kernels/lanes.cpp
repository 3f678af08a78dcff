// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 and of bytes by instructions that add the products of two, or four, neighbours to each lane of
// 32 bits (AVX512_BF16, AVX512_VNNI): panels of 32 rows of A, along which vectors lie, by panels of columns of B.
//
//     A: a[(group * 32 + row) * kEach + k]      B: b[(group * columns + column) * kEach + k]      k: within a group
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

// Lanes of `count` indices and all of k: to[group * width + i]. Where `by_index`, neighbours in memory are indices,
// else they are k.
template <class Form>
void pack(const LaneOperand &operand, Size first, Size count, Size depth, Size width, Lane flip, Lane *to) {
  using E = typename Form::Element;
  constexpr Size each = Form::kEach;
  const E *const data = static_cast<const E *>(operand.data);
  for (Size g = 0; g < groups_of(depth, each); ++g, to += width) {
    const Size here = depth - g * each < each ? depth - g * each : each;
    E *const lanes = reinterpret_cast<E *>(to);
    if (operand.by_index && here == each) {
      const E *const from = data + first + g * each * operand.ld;
      for (Size i = 0; i < count; ++i) {
        for (Size k = 0; k < each; ++k) lanes[i * each + k] = from[i + k * operand.ld];
      }
    } else if (!operand.by_index && here == each) {
      const E *const from = data + first * operand.ld + g * each;
      for (Size i = 0; i < count; ++i) __builtin_memcpy(to + i, from + i * operand.ld, sizeof(Lane));
    } else {
      for (Size i = 0; i < count; ++i) {
        for (Size k = 0; k < each; ++k) {
          const Size at = g * each + k;
          const Size offset = operand.by_index ? first + i + at * operand.ld : (first + i) * operand.ld + at;
          lanes[i * each + k] = k < here ? data[offset] : E(0);
        }
      }
    }
    for (Size i = 0; i < count; ++i) to[i] ^= flip;
    for (Size i = count; i < width; ++i) to[i] = 0;
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

extern const LaneKernels kLanes;
const LaneKernels kLanes = {bfloat, bytes};

}  // namespace warploom::blas::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over vectors, compiled for each level of the processor: kernels/. Increments may be negative or zero; pointers
// are to the first element that the loop comes to.
#pragma once

#include <cstdint>

#include "../common/kernel_levels.h"

namespace warploom::blas {

// Elements are numbers, or pairs of them: `Parts` is 1 or 2.
template <class R>
struct VectorKernels {
  using Size = std::int64_t;
  // y += alpha x
  void (*axpy)(Size n, const R *alpha, const R *x, Size incx, R *y, Size incy);
  void (*axpy_complex)(Size n, const R *alpha, const R *x, Size incx, R *y, Size incy);
  // x = alpha x
  void (*scale)(Size n, const R *alpha, R *x, Size incx);
  void (*scale_complex)(Size n, const R *alpha, R *x, Size incx);
  // result = sum of x y; complex: re re, im im, re im, im re
  void (*dot)(Size n, const R *x, Size incx, const R *y, Size incy, R *result);
  void (*dot_complex)(Size n, const R *x, Size incx, const R *y, Size incy, R *result);
  // Sums over `parts` numbers of each element.
  R (*sum_of_magnitudes)(Size n, int parts, const R *x, Size incx);
  double (*sum_of_squares)(Size n, int parts, const R *x, Size incx);
};

const VectorKernels<float> &float_kernels();
const VectorKernels<double> &double_kernels();
template <class R>
const VectorKernels<R> &vector_kernels() {
  if constexpr (sizeof(R) == 4) {
    return float_kernels();
  } else {
    return double_kernels();
  }
}

// Numbers of 8 and 16 bits to float and back.
enum class Small : int { kHalf, kBfloat, kE4m3, kE5m2, kSigned };
struct ConversionKernels {
  // `n` elements that lie `step` elements apart.
  void (*widen)(Small type, std::int64_t n, const void *from, std::int64_t step, float *to);
  void (*narrow)(Small type, std::int64_t n, const float *from, void *to);
};
const ConversionKernels &conversion_kernels();

// An operand of a product of bfloat16 or of bytes. Its indices are rows of op(A), or columns of op(B); `by_index`:
// indices lie side by side, and `ld` numbers are from one k to the next; else it is the other way round.
struct LaneOperand {
  const void *data;
  std::int64_t ld;
  bool by_index;
};
// sums = op(A) op(B), added to what is there if `add`; by columns, `step` apart. The areas have room for 4 bytes for
// each number of the operands, of A for at least 32 rows and 16 k.
template <class Sum>
struct LaneProduct {
  std::int64_t m, n, k;
  LaneOperand a, b;
  Sum *sums;
  std::int64_t step;
  bool add;
  void *area_a, *area_b;
};
// By instructions that not each processor has: false where nothing was done.
struct LaneKernels {
  bool (*bfloat)(const LaneProduct<float> &product);
  bool (*bytes)(const LaneProduct<std::int32_t> &product);
};
const LaneKernels &lane_kernels();

// C = alpha A B + beta C for one tile of C, by columns, ldc apart; C is not read where beta is 0. Of the steps from one
// row and one column of A to the next one is 1, and so for B.
template <class T>
struct TileProduct {
  static constexpr std::int64_t kDepth = 384;  // terms that are added up in registers at a time
  std::int64_t m, n, k;
  T alpha;
  const T *a;
  std::int64_t a_row, a_column;
  const T *b;
  std::int64_t b_row, b_column;
  T beta;
  T *c;
  std::int64_t ldc;
  T *area;  // of area_size(m, n) numbers

  static std::int64_t area_size(std::int64_t m, std::int64_t n) { return kDepth * (m + n + 64) + 64; }
};
// Null where there are no such kernels.
struct ProductKernels {
  void (*floats)(const TileProduct<float> &product);
  void (*doubles)(const TileProduct<double> &product);

  auto of(float) const { return floats; }
  auto of(double) const { return doubles; }
};
const ProductKernels &product_kernels();

#define WARPLOOM_KERNELS_OF(LEVEL)             \
  namespace LEVEL {                            \
  extern const LaneKernels kLaneProducts;      \
  extern const VectorKernels<float> kFloat;    \
  extern const VectorKernels<double> kDouble;  \
  extern const ConversionKernels kConversions; \
  extern const ProductKernels kProducts;       \
  }
WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
#undef WARPLOOM_KERNELS_OF

}  // namespace warploom::blas

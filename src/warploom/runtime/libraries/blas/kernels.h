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
// each number of the operands, if they had a multiple of kLaneSide rows or columns and a multiple of kLaneDepth k.
inline constexpr std::int64_t kLaneSide = 32, kLaneDepth = 64;
template <class Sum>
struct LaneProduct {
  std::int64_t m, n, k;
  LaneOperand a, b;
  Sum *sums;
  std::int64_t step;
  bool add;
  void *area_a, *area_b;
};
// Products by instructions that not each processor has. No bit of a sum depends on the other rows and columns.
template <class Sum>
struct LaneForm {
  using Size = std::int64_t;
  bool (*exists)();
  void (*multiply)(const LaneProduct<Sum> &product);
  // The same where the areas hold what has been packed: panels of kLaneSide rows of op(A) and panel_columns() columns
  // of op(B), of which the last one may have fewer. What is packed of `depth` terms takes lanes(depth) times 4 bytes
  // for each row and column, those of the last panels made full.
  Size (*panel_columns)();
  Size (*lanes)(Size depth);
  void (*pack_left)(const LaneOperand &operand, Size first, Size count, Size depth, void *to);
  void (*pack_right)(const LaneOperand &operand, Size first, Size count, Size depth, void *to);
  void (*multiply_packed)(const LaneProduct<Sum> &product);
};
struct LaneKernels {
  LaneForm<float> bfloats;
  LaneForm<std::int32_t> bytes;
  // Of bfloat16: the exponent, with its bias, of the smallest number but 0; 0 where that is below the normal numbers.
  int (*smallest_exponent)(const LaneOperand &operand, std::int64_t indices, std::int64_t depth);
};
const LaneKernels &lane_kernels();

// C = alpha A B + beta C for one tile of C, by columns, ldc apart; C is not read where beta is 0. Of the steps from one
// row and one column of A to the next one is 1, and so for B. Terms are added up in registers `depth` at a time.
template <class T>
struct TileProduct {
  using Size = std::int64_t;
  Size m, n, k, depth;
  T alpha;
  const T *a;
  Size a_row, a_column;
  const T *b;
  Size b_row, b_column;
  T beta;
  T *c;
  Size ldc;
  T *area;  // of area_size() numbers

  // The pieces of a sum are about equally long.
  static Size depth_of(Size k) {
    constexpr Size most = sizeof(T) == 4 ? 512 : 384;
    const Size count = (k + most - 1) / most;
    return (k + count - 1) / count;
  }
  Size pieces() const { return (k + depth - 1) / depth; }
  Size terms(Size piece) const { return k - piece * depth < depth ? k - piece * depth : depth; }
  Size area_size() const { return depth * (m + 64); }
};

// How a level of the processor wants operands that are packed once for all tiles of C: A in panels of `rows` rows, B in
// strips of `columns` columns.
struct Packing {
  using Size = std::int64_t;
  static constexpr Size kBehind = 16;               // numbers behind a strip that are written over
  static constexpr Size kPanels = 8, kStrips = 16;  // that one call packs
  Size rows, columns;

  static Size parts(Size count, Size step) { return (count + step - 1) / step; }
  // Numbers for one piece of the terms.
  Size panels_size(Size m, Size depth) const { return parts(m, rows) * rows * depth; }
  Size strips_size(Size n, Size depth) const { return parts(n, columns) * (columns * depth + kBehind); }
};
template <class T>
struct PackedProduct {
  using Size = std::int64_t;
  TileProduct<T> product;  // without its area
  Packing packing;
  T *panels, *strips;  // piece by piece

  Size left_parts() const { return product.pieces() * Packing::parts(product.m, Packing::kPanels * packing.rows); }
  Size count() const {
    return left_parts() + product.pieces() * Packing::parts(product.n, Packing::kStrips * packing.columns);
  }
  Size panel_step(Size piece) const { return product.terms(piece) * packing.rows; }
  T *panel(Size piece, Size row) const {
    return panels + piece * packing.panels_size(product.m, product.depth) + row / packing.rows * panel_step(piece);
  }
  Size strip_step(Size piece) const { return product.terms(piece) * packing.columns + Packing::kBehind; }
  T *strip(Size piece, Size column) const {
    return strips + piece * packing.strips_size(product.n, product.depth) +
           column / packing.columns * strip_step(piece);
  }
};
// Null where a level has no such kernels.
template <class T>
struct ProductKernels {
  void (*in_place)(const TileProduct<T> &product);
  Packing packing;
  void (*pack)(const PackedProduct<T> &product, std::int64_t part);  // each of count() parts, in any order
  // The tile of C from `row` and `column` on, the first ones of a panel and of a strip.
  void (*packed)(const PackedProduct<T> &product, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns);
};
const ProductKernels<float> &float_products();
const ProductKernels<double> &double_products();
template <class T>
const ProductKernels<T> &product_kernels() {
  if constexpr (sizeof(T) == 4) {
    return float_products();
  } else {
    return double_products();
  }
}

#define WARPLOOM_KERNELS_OF(LEVEL)                     \
  namespace LEVEL {                                    \
  extern const LaneKernels kLaneProducts;              \
  extern const VectorKernels<float> kFloat;            \
  extern const VectorKernels<double> kDouble;          \
  extern const ConversionKernels kConversions;         \
  extern const ProductKernels<float> kFloatProducts;   \
  extern const ProductKernels<double> kDoubleProducts; \
  }
WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
#undef WARPLOOM_KERNELS_OF

}  // namespace warploom::blas

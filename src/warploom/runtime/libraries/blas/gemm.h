// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices, cut into tiles of C by its shape.
#pragma once

#include <algorithm>
#include <cstdint>

#include "check.h"
#include "element.h"

namespace warploom::blas {

// How C is cut: tiles of at most `rows` x `columns`. Packing the operands of 512 x 512 costs OpenBLAS 3 to 7 % of the
// time of one large product; smaller results are cut more finely, for more threads. Against tiles twice as large, those
// of 256 x 256 for 1,024 squared take 1.03 of the time on one core and .59 on 16, those of 128 x 256 for 512 squared
// 1.04 and .60. What has few operations is not cut: packing would be most of its time.
struct Tiling {
  int64_t m, n, rows, columns;

  Tiling(int64_t m_, int64_t n_, int64_t k) : m(m_), n(n_), rows(512), columns(512) {
    const double outputs = static_cast<double>(m) * static_cast<double>(n);
    const double operations = outputs * static_cast<double>(std::max<int64_t>(k, 1));
    if (outputs < 2048.0 * 2048.0) rows = columns = 256;
    if (operations > 256.0 * 256.0 * 256.0) {
      if (outputs < 1024.0 * 1024.0) rows = 128;
      if (outputs < 256.0 * 256.0) columns = 128;
    }
    // A narrow matrix is cut along its long side only.
    if (n <= columns / 2) rows = std::min<int64_t>(rows * 2, 1024);
    if (m <= rows / 2) columns = std::min<int64_t>(columns * 2, 1024);
  }
  int64_t down() const { return (m + rows - 1) / rows; }
  int64_t across() const { return (n + columns - 1) / columns; }
  int64_t count() const { return down() * across(); }

  struct Tile {
    int64_t row, column, rows, columns;
  };
  Tile tile(int64_t i) const {
    const int64_t row = i % down() * rows, column = i / down() * columns;
    return {row, column, std::min(rows, m - row), std::min(columns, n - column)};
  }
};

// The operands of one product C = alpha op(A) op(B) + beta C, in OpenBLAS's terms.
template <class T>
struct Product {
  char transa, transb;
  int64_t m, n, k;
  T alpha;
  const T *a;
  int64_t lda;
  const T *b;
  int64_t ldb;
  T beta;
  T *c;
  int64_t ldc;

  double operations() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(std::max<int64_t>(k, 1));
  }
  double nanoseconds() const { return operations() / kOperations<T>; }
  // The part of it that makes one tile of C.
  Product part(const Tiling::Tile &tile) const {
    Product result = *this;
    result.m = tile.rows;
    result.n = tile.columns;
    result.a += transa == 'N' ? tile.row : tile.row * lda;
    result.b += transb == 'N' ? tile.column * ldb : tile.column;
    result.c += tile.row + tile.column * ldc;
    return result;
  }
};

// On the calling thread, all at once.
template <class T>
void multiply_tile(const Product<T> &product);
// In tiles, side by side.
template <class T>
void multiply(const Product<T> &product);
// C = beta C, which is not read where beta is 0.
template <class T>
void scale_matrix(int64_t m, int64_t n, T beta, T *c, int64_t ldc);

extern template void multiply_tile(const Product<float> &);
extern template void multiply_tile(const Product<double> &);
extern template void multiply_tile(const Product<Complex> &);
extern template void multiply_tile(const Product<DoubleComplex> &);
extern template void multiply(const Product<float> &);
extern template void multiply(const Product<double> &);
extern template void multiply(const Product<Complex> &);
extern template void multiply(const Product<DoubleComplex> &);
extern template void scale_matrix(int64_t, int64_t, float, float *, int64_t);
extern template void scale_matrix(int64_t, int64_t, double, double *, int64_t);
extern template void scale_matrix(int64_t, int64_t, Complex, Complex *, int64_t);
extern template void scale_matrix(int64_t, int64_t, DoubleComplex, DoubleComplex *, int64_t);

}  // namespace warploom::blas

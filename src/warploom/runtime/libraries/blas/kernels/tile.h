// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile of C. B is read where it lies, one number at a time. A is, too, where rows lie side by side; else it is
// transposed in panels.
#pragma once

#include "strip.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

// The product of one piece of the terms, in panels of kWidth rows of A and strips of up to kRows columns of
// B.
template <class T>
struct Piece {
  const TileProduct<T> &p;
  Size first, depth, strips;
  T beta;
  T *panels = p.area;

  int rows_of(Size row) const { return static_cast<int>(p.m - row < kWidth<T> ? p.m - row : kWidth<T>); }
  Size column_of(Size strip) const { return p.n * strip / strips; }
  int columns_of(Size strip) const { return static_cast<int>(column_of(strip + 1) - column_of(strip)); }
  const T *left(Size row) const { return p.a + row * p.a_row + first * p.a_column; }
  const T *right(Size column) const { return p.b + column * p.b_column + first * p.b_row; }

  bool has_panel(Size row) const { return p.a_row != 1 || rows_of(row) < kWidth<T>; }

  // Vectors of the panel's last rows overlap, what lies behind them is zero.
  void pack_rest(Size row) const {
    const int rows = rows_of(row);
    const T *from = left(row);
    T *to = panels + row * depth;
    for (Size k = 0; k < depth; ++k, from += p.a_column, to += kWidth<T>) {
      for (int i = 0; i < kVectors; ++i) store(to + i * kLanes<T>, Vector<T>{});
      if (rows < kLanes<T>) {
        for (int i = 0; i < rows; ++i) to[i] = from[i];
        continue;
      }
      for (int i = 0; i + kLanes<T> < rows; i += kLanes<T>) store(to + i, load(from + i));
      store(to + rows - kLanes<T>, load(from + rows - kLanes<T>));
    }
  }
  void pack_rows() const {
    if (p.a_row != 1) {
      for (Size row = 0; row < p.m; row += kWidth<T>)
        transpose_rows(left(row), p.a_row, rows_of(row), depth, kWidth<T>, panels + row * depth);
      return;
    }
    const Size whole = p.m / kWidth<T> * kWidth<T>;
    if (whole < p.m) pack_rest(whole);
  }
  void multiply_panel(Size row, Size s, Right<T> b) const {
    const T *const a = has_panel(row) ? panels + row * depth : left(row);
    const Size a_step = has_panel(row) ? kWidth<T> : p.a_column;
    T *const c = p.c + row + column_of(s) * p.ldc;
    const auto multiply = p.b_column == 1 ? multiply_rows<T, kInPlace, true> : multiply_rows<T, kInPlace, false>;
    multiply(rows_of(row), columns_of(s), depth, a, a_step, b, p.alpha, beta, c, p.ldc, {});
  }
  void run() const {
    pack_rows();
    for (Size s = 0; s < strips; ++s) {
      const Right<T> b{right(column_of(s)), p.b_row, p.b_column};
      for (Size row = 0; row < p.m; row += kWidth<T>) multiply_panel(row, s, b);
    }
  }
};

template <class T>
void multiply_tile(const TileProduct<T> &p) {
  const Size strips = (p.n + kRows - 1) / kRows;
  for (Size piece = 0; piece < p.pieces(); ++piece)
    Piece<T>{p, piece * p.depth, p.terms(piece), strips, piece == 0 ? p.beta : T(1)}.run();
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL

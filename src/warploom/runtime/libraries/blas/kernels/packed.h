// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of A and B is packed first, part by part, and then read by all tiles of C.
//
//     A: panels of kHeight rows, a[k * kHeight + i]      B: strips of kColumns columns, b[k * kColumns + j]
//
// Both for one piece of the sums after the other. What lies behind the last row and the last column is zero.
#pragma once

#include <algorithm>

#include "strip.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

template <class T>
constexpr int kHeight = kPacked.width<T>();
constexpr int kColumns = kPacked.columns;

// Numbers of one operand that are packed together: `count` indices (rows of A, columns of B) from `from` on, for
// `depth` terms, into panels `step` numbers apart.
template <class T>
struct Part {
  const T *from;
  Size index_step, k_step, count, depth;
  T *to;
  Size step;

  template <int width>
  void pack() const {
    for (Size first = 0; index_step != 1 && first < count; first += width)
      transpose_rows(from + first * index_step, index_step, columns_of<width>(first), depth, width, at<width>(first));
    for (Size k = 0; index_step == 1 && k < depth; ++k) copy_line<width>(k);
  }

 private:
  template <int width>
  int columns_of(Size first) const {
    return static_cast<int>(count - first < width ? count - first : width);
  }
  template <int width>
  T *at(Size first) const {
    return to + first / width * step;
  }
  template <int width>
  void copy_line(Size k) const {
    constexpr Size kAhead = 8;
    const T *const line = from + k * k_step;
    Size first = 0;
    for (; first + width <= count; first += width) {
      __builtin_prefetch(line + kAhead * k_step + first);
      __builtin_memcpy(at<width>(first) + k * width, line + first, width * sizeof(T));
    }
    if (first == count) return;
    T *const last = at<width>(first) + k * width;
    for (Size i = 0; i < width; ++i) last[i] = first + i < count ? line[first + i] : T(0);
  }
};

template <class T>
constexpr Packing kPacking{kHeight<T>, kColumns};
static_assert(Packing::kBehind >= kLanes<float>);

template <class T>
void pack(const PackedProduct<T> &packed, Size part) {
  const TileProduct<T> &p = packed.product;
  const bool is_left = part < packed.left_parts();
  const Size i = is_left ? part : part - packed.left_parts();
  const Size piece = i % p.pieces(), k = piece * p.depth, depth = p.terms(piece);
  constexpr Size kPartRows = Packing::kPanels * kHeight<T>, kPartColumns = Packing::kStrips * kColumns;
  if (is_left) {
    const Size first = i / p.pieces() * kPartRows, rows = p.m - first < kPartRows ? p.m - first : kPartRows;
    const T *const from = p.a + first * p.a_row + k * p.a_column;
    Part<T>{from, p.a_row, p.a_column, rows, depth, packed.panel(piece, first), packed.panel_step(piece)}
        .template pack<kHeight<T>>();
  } else {
    const Size first = i / p.pieces() * kPartColumns, columns = p.n - first < kPartColumns ? p.n - first : kPartColumns;
    const T *const from = p.b + first * p.b_column + k * p.b_row;
    Part<T>{from, p.b_column, p.b_row, columns, depth, packed.strip(piece, first), packed.strip_step(piece)}
        .template pack<kColumns>();
  }
}

template <class T>
void multiply_packed(const PackedProduct<T> &packed, Size row, Size rows, Size column, Size columns) {
  const TileProduct<T> &p = packed.product;
  for (Size piece = 0; piece < p.pieces(); ++piece) {
    const Size depth = p.terms(piece), step = packed.panel_step(piece);
    const T beta = piece == 0 ? p.beta : T(1);
    // Of the next strip each panel of A asks for so many lines in a turn.
    constexpr Size kLine = Next<T>::kLine;
    const Size lines = Packing::parts(depth * kColumns, kLine), turns = Next<T>::steps(depth, kColumns) / 2;
    const Size each = Packing::parts(lines, std::max<Size>(Packing::parts(rows, kHeight<T>) * turns, 1));
    for (Size j = 0; j < columns; j += kColumns) {
      const Right<T> b{packed.strip(piece, column + j), kColumns, 1};
      const int count = static_cast<int>(columns - j < kColumns ? columns - j : kColumns);
      const T *panel = packed.panel(piece, row), *strip = b.data + packed.strip_step(piece);
      T *c = p.c + row + (column + j) * p.ldc;
      Size rest = j + kColumns < columns ? lines : 0;
      for (Size i = 0; i < rows; i += kHeight<T>, panel += step, c += kHeight<T>) {
        const bool is_last = i + kHeight<T> >= rows;
        const T *const next_c = is_last ? p.c + row + (column + j + kColumns) * p.ldc : c + kHeight<T>;
        const Next<T> next{strip, rest, each, is_last && j + kColumns >= columns ? nullptr : next_c};
        const int height = static_cast<int>(is_last ? rows - i : kHeight<T>);
        multiply_rows<T, kPacked, true>(height, count, depth, panel, kHeight<T>, b, p.alpha, beta, c, p.ldc, next);
        strip += turns * each * kLine, rest -= turns * each;
      }
    }
  }
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of A and B is packed first, part by part, and then read by all tiles of C.
//
//     A: panels of kRows rows, a[k * kRows + i]      B: strips of kColumns columns, b[k * kColumns + j]
//
// Both for one piece of the sums after the other. What lies behind the last row and the last column is zero.
#pragma once

#include "strip.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

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
constexpr Packing kPacking{kWidth<T>, kRows};
static_assert(Packing::kBehind >= kLanes<float>);

template <class T>
void pack(const PackedProduct<T> &packed, Size part) {
  const TileProduct<T> &p = packed.product;
  const bool is_left = part < packed.left_parts();
  const Size i = is_left ? part : part - packed.left_parts();
  const Size piece = i % p.pieces(), k = piece * p.depth, depth = p.terms(piece);
  constexpr Size kPartRows = Packing::kPanels * kWidth<T>, kPartColumns = Packing::kStrips * kRows;
  if (is_left) {
    const Size first = i / p.pieces() * kPartRows, rows = p.m - first < kPartRows ? p.m - first : kPartRows;
    const T *const from = p.a + first * p.a_row + k * p.a_column;
    Part<T>{from, p.a_row, p.a_column, rows, depth, packed.panel(piece, first), packed.panel_step(piece)}
        .template pack<kWidth<T>>();
  } else {
    const Size first = i / p.pieces() * kPartColumns, columns = p.n - first < kPartColumns ? p.n - first : kPartColumns;
    const T *const from = p.b + first * p.b_column + k * p.b_row;
    Part<T>{from, p.b_column, p.b_row, columns, depth, packed.strip(piece, first), packed.strip_step(piece)}
        .template pack<kRows>();
  }
}

// Asks for a part of the strip that comes after the one at work: as large as that of the panel from row `first` on in
// all `count` rows.
template <class T>
void prefetch_part(const T *strip, Size numbers, Size first, Size count) {
  constexpr Size kLine = 64 / sizeof(T);
  const Size lines = (numbers + kLine - 1) / kLine;
  for (Size line = lines * first / count; line < lines * (first + kWidth<T>) / count; ++line)
    __builtin_prefetch(strip + line * kLine, 0, 2);
}

template <class T>
void multiply_packed(const PackedProduct<T> &packed, Size row, Size rows, Size column, Size columns) {
  const TileProduct<T> &p = packed.product;
  for (Size piece = 0; piece < p.pieces(); ++piece) {
    const Size depth = p.terms(piece), step = packed.panel_step(piece);
    const T beta = piece == 0 ? p.beta : T(1);
    for (Size j = 0; j < columns; j += kRows) {
      const Right<T> b{packed.strip(piece, column + j), kRows, 1};
      const int count = static_cast<int>(columns - j < kRows ? columns - j : kRows);
      const T *panel = packed.panel(piece, row);
      for (Size i = 0; i < rows; i += kWidth<T>, panel += step) {
        const int height = static_cast<int>(rows - i < kWidth<T> ? rows - i : kWidth<T>);
        if (j + kRows < columns) prefetch_part(packed.strip(piece, column + j + kRows), depth * kRows, i, rows);
        multiply_rows<T, true>(height, count, depth, panel, kWidth<T>, b, p.alpha, beta,
                               p.c + row + i + (column + j) * p.ldc, p.ldc);
      }
    }
  }
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL

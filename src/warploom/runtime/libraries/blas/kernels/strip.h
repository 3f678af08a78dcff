// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner part of products by kernels of our own: vectors of rows of A by columns of B are added up in registers.
// Included by sources that are compiled once for each level of the processor.
#pragma once

#include "../../common/micro_kernel.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

using namespace product::WARPLOOM_LEVEL;

// How many vectors of rows of A and columns of B are at work together, and how many terms before they are needed
// numbers of A are asked for.
struct Shape {
  int vectors, columns;
  Size ahead;

  template <class T>
  constexpr int width() const {
    return vectors * kLanes<T>;
  }
  constexpr Shape with(int v, int c) const { return {v, c, ahead}; }
};
// Of operands that are read in place, and of those that are packed: with more rows and fewer columns B's strip leaves
// the nearest cache to A.
constexpr Shape kInPlace = {kVectors, kRows, 8};
#if defined(__AVX512F__)
constexpr Shape kPacked = {3, 8, 16};
#else
constexpr Shape kPacked = kInPlace;
#endif

// So many terms before they are needed numbers of C are asked for: columns of C may push each other out of the cache.
// Columns are asked for one after the other, so many terms apart: more at once would wait for each other.
constexpr Size kLate = 32, kApart = 2, kEvery = 8;

// Where to read the numbers of B: k * step_k + column * step_column. One of the two steps is 1.
template <class T>
struct Right {
  const T *data;
  Size step_k, step_column;
};

// What comes next is asked for, into the second cache, while a strip is at work: after each kEvery terms, in turn, a
// column of the next rows of C, or `each` of `lines` lines from `from` on. All at once they would wait for each other,
// and the numbers of A with them.
template <class T>
struct Next {
  const T *from = nullptr;
  Size lines = 0, each = 0;
  const T *c = nullptr;  // null: none
  static constexpr Size kLine = 64 / sizeof(T);

  bool is_nothing() const { return lines == 0 && c == nullptr; }
  static Size steps(Size depth, int columns) {
    const Size early = depth - kLate - columns * kApart;
    return early > 0 ? early / kEvery : 0;
  }
  template <int vectors>
  WARPLOOM_INLINE void ask(Size step, int columns, Size ldc) const {
    const Size turn = step / 2;
    if (step % 2 == 0) {
      for (int i = 0; c != nullptr && turn < columns && i < vectors; ++i)
        __builtin_prefetch(c + turn * ldc + i * kLanes<T>, 0, 2);
    } else {
      for (Size line = turn * each; line < (turn + 1) * each && line < lines; ++line)
        __builtin_prefetch(from + line * kLine, 0, 2);
    }
  }
};

// C = alpha A B + beta C for one strip. `turned`: columns of B lie side by side.
template <class T, Shape shape, bool turned>
void multiply_strip(Size depth, const T *a, Size a_step, Right<T> b, T alpha, T beta, T *c, Size ldc,
                    const Next<T> &next) {
  constexpr int vectors = shape.vectors, columns = shape.columns;
  Vector<T> sums[columns][vectors];
#pragma clang loop unroll(full)
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < vectors; ++i) sums[j][i] = Vector<T>{};
  }
  constexpr int kThird = 3, kPointers = turned ? 1 : (columns + kThird - 1) / kThird;
  const T *at[kPointers];
#pragma clang loop unroll(full)
  for (int j = 0; j < kPointers; ++j) at[j] = b.data + kThird * j * b.step_column;
  Size k = 0;
  const Size late = depth - kLate - columns * kApart, steps = next.is_nothing() ? 0 : Next<T>::steps(depth, columns);
  Size step = 0;
  for (int column = 0;;) {
    const bool is_early = step < steps;
    const Size end = is_early ? k + kEvery : column == columns ? depth : late + column * kApart;
    for (; k < end; ++k, a += a_step) {
      Vector<T> left[vectors];
#pragma clang loop unroll(full)
      for (int i = 0; i < vectors; ++i) {
        left[i] = load(a + i * kLanes<T>);
        __builtin_prefetch(a + shape.ahead * a_step + i * kLanes<T>);
      }
#pragma clang loop unroll(full)
      for (int j = 0; j < columns; ++j) {
        const T right = turned ? at[0][j] : at[j / kThird][j % kThird * b.step_column];
#pragma clang loop unroll(full)
        for (int i = 0; i < vectors; ++i) sums[j][i] += left[i] * right;
      }
#pragma clang loop unroll(full)
      for (int j = 0; j < kPointers; ++j) {
        at[j] += turned ? b.step_k : 1;
        asm("" : "+r"(at[j]));  // else there would be one pointer for each column, on the stack
      }
    }
    if (is_early) {
      next.template ask<vectors>(step++, columns, ldc);
      continue;
    }
    if (column == columns) break;
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; ++i) __builtin_prefetch(c + column * ldc + i * kLanes<T>, 1);
    ++column;
  }
#pragma clang loop unroll(full)
  for (int j = 0; alpha != T(1) && j < columns; ++j) {
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; ++i) sums[j][i] *= alpha;
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < columns; ++j) {
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; ++i) {
      T *const to = c + j * ldc + i * kLanes<T>;
      const Vector<T> sum = sums[j][i];
      store(to, beta == T(0) ? sum : __builtin_elementwise_fma(beta - Vector<T>{}, load(to), sum));
    }
  }
}

template <class T>
using StripKernel = void (*)(Size depth, const T *a, Size a_step, Right<T> b, T alpha, T beta, T *c, Size ldc,
                             const Next<T> &next);
// For at most so many rows and columns as the shape has.
template <class T, Shape shape, bool turned>
StripKernel<T> strip_kernel(int rows, int columns) {
  if constexpr (shape.vectors > 1) {
    if (rows <= shape.width<T>() - kLanes<T>)
      return strip_kernel<T, shape.with(shape.vectors - 1, shape.columns), turned>(rows, columns);
  }
  if constexpr (shape.columns > 1) {
    if (columns < shape.columns)
      return strip_kernel<T, shape.with(shape.vectors, shape.columns - 1), turned>(rows, columns);
  }
  return multiply_strip<T, shape, turned>;
}

// The same for `rows` rows, whose vectors A has in full: C is not touched behind them.
template <class T, Shape shape, bool turned>
void multiply_rows(int rows, int columns, Size depth, const T *a, Size a_step, Right<T> b, T alpha, T beta, T *c,
                   Size ldc, const Next<T> &next) {
  constexpr int width = shape.width<T>();
  const StripKernel<T> kernel = strip_kernel<T, shape, turned>(rows, columns);
  if (rows == width) return kernel(depth, a, a_step, b, alpha, beta, c, ldc, next);
  alignas(kVectorBytes) T corner[shape.columns * width];
  kernel(depth, a, a_step, b, alpha, T(0), corner, width, {next.from, next.lines, next.each});
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      T &to = c[i + j * ldc];
      const T sum = corner[j * width + i];
      to = beta == T(0) ? sum : __builtin_elementwise_fma(beta, to, sum);
    }
  }
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL

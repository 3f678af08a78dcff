// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of float and double, one tile of C at a time: `lanes` of a row panel of A by up to kRows columns
// of B are added up in registers. Operands are read where they lie as far as that is no slower:
//
//     A: rows side by side: in its place, or copied in panels where its lines would push each other out of the cache;
//        k side by side: transposed in panels
//     B: one number at a time, in its place, or in packed strips where many panels of A read them
//
// With vectors of half that width OpenBLAS is faster (.8 to 1.0 of its time on a Zen 4): there is no such kernel for
// them. Each number of C is the sum over pieces of kDepth terms, each in the order of k: the same for any cut into
// tiles.
#include "../kernels.h"

#if defined(__AVX512F__)
#include "../../common/micro_kernel.h"
#endif

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

#if defined(__AVX512F__)
using namespace product::WARPLOOM_LEVEL;

// Columns of B are packed for more panels of A than this, rows of A copied for more columns than this if the step from
// one k to the next is a multiple of so many bytes.
constexpr Size kFewPanels = 4, kFewColumns = 64, kBadStep = 1024;

// Where to read the numbers of B: k * step_k + column * step_column. One of the two steps is 1.
template <class T>
struct Right {
  const T *data;
  Size step_k, step_column;
};

// C = alpha A B + beta C for `vectors` vectors of rows of A and `columns` columns of B. `turned`: columns of B lie side
// by side.
template <class T, int vectors, int columns, bool turned>
void multiply_strip(Size depth, const T *a, Size a_step, Right<T> b, T alpha, T beta, T *c, Size ldc) {
  Vector<T> sums[columns][vectors];
#pragma clang loop unroll(full)
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < vectors; ++i) {
      __builtin_prefetch(c + j * ldc + i * kLanes<T>, 1);
      sums[j][i] = Vector<T>{};
    }
  }
  constexpr int kThird = 3, kPointers = turned ? 1 : (columns + kThird - 1) / kThird;
  const T *at[kPointers];
#pragma clang loop unroll(full)
  for (int j = 0; j < kPointers; ++j) at[j] = b.data + kThird * j * b.step_column;
  for (Size k = 0; k < depth; ++k, a += a_step) {
    Vector<T> left[vectors];
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; ++i) left[i] = load(a + i * kLanes<T>);
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
#pragma clang loop unroll(full)
  for (int j = 0; j < columns; ++j) {
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; ++i) {
      T *const to = c + j * ldc + i * kLanes<T>;
      const Vector<T> sum = alpha * sums[j][i];
      store(to, beta == T(0) ? sum : sum + beta * load(to));
    }
  }
}

template <class T>
using StripKernel = void (*)(Size depth, const T *a, Size a_step, Right<T> b, T alpha, T beta, T *c, Size ldc);
template <class T, int vectors, bool turned, int most = kRows>
StripKernel<T> strip_kernel(int columns) {
  if constexpr (most > 1) {
    return columns == most ? multiply_strip<T, vectors, most, turned>
                           : strip_kernel<T, vectors, turned, most - 1>(columns);
  } else {
    return multiply_strip<T, vectors, 1, turned>;
  }
}

// The product of one piece of at most kDepth terms, in panels of kWidth rows of A and strips of up to kRows columns of
// B.
template <class T>
struct Piece {
  const TileProduct<T> &p;
  Size first, depth, strips;
  T beta;
  T *panels = p.area, *packed = panels + depth * (p.m + kWidth<T>);

  int rows_of(Size row) const { return static_cast<int>(p.m - row < kWidth<T> ? p.m - row : kWidth<T>); }
  Size column_of(Size strip) const { return p.n * strip / strips; }
  int columns_of(Size strip) const { return static_cast<int>(column_of(strip + 1) - column_of(strip)); }
  const T *left(Size row) const { return p.a + row * p.a_row + first * p.a_column; }
  const T *right(Size column) const { return p.b + column * p.b_column + first * p.b_row; }

  bool packs_columns() const { return p.m > kFewPanels * kWidth<T>; }
  bool packs_rows() const {
    return p.a_row != 1 || (p.n > kFewColumns && p.a_column * static_cast<Size>(sizeof(T)) % kBadStep == 0);
  }
  bool has_panel(Size row) const { return packs_rows() || rows_of(row) < kWidth<T>; }

  // Lines are read as a whole, for all panels.
  void pack_lines() const {
    for (Size k = 0; k < depth; ++k) {
      const T *const from = left(0) + k * p.a_column;
      for (Size row = 0; row < p.m; row += kWidth<T>) {
        T *const to = panels + row * depth + k * kWidth<T>;
        if (p.m - row < kWidth<T>) break;
#pragma clang loop unroll(full)
        for (int i = 0; i < kVectors; ++i) store(to + i * kLanes<T>, load(from + row + i * kLanes<T>));
      }
    }
  }
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
    if (packs_rows()) pack_lines();
    const Size whole = p.m / kWidth<T> * kWidth<T>;
    if (whole < p.m) pack_rest(whole);
  }
  // Columns that lie side by side are packed for all strips at once, others strip by strip in one place.
  void pack_columns() const {
    for (Size k = 0; k < depth; ++k) {
      for (Size s = 0; s < strips; ++s) {
        const Size column = column_of(s);
        const int count = columns_of(s);
        T *const to = packed + column * depth + k * count;
        const T *const from = right(column) + k * p.b_row;
        for (int j = 0; j < count; ++j) to[j] = from[j];
      }
    }
  }
  Right<T> strip(Size s) const {
    const Size column = column_of(s);
    if (!packs_columns()) return {right(column), p.b_row, p.b_column};
    if (p.b_column == 1) return {packed + column * depth, columns_of(s), 1};
    transpose_rows(right(column), p.b_column, columns_of(s), depth, columns_of(s), packed);
    return {packed, columns_of(s), 1};
  }
  StripKernel<T> kernel(int rows, int columns) const {
    if (packs_columns() || p.b_column == 1)
      return rows > kLanes<T> ? strip_kernel<T, kVectors, true>(columns) : strip_kernel<T, 1, true>(columns);
    return rows > kLanes<T> ? strip_kernel<T, kVectors, false>(columns) : strip_kernel<T, 1, false>(columns);
  }
  void multiply_panel(Size row, Size s, Right<T> b) const {
    alignas(kVectorBytes) T corner[kRows * kWidth<T>];
    const int rows = rows_of(row), count = columns_of(s);
    const T *const a = has_panel(row) ? panels + row * depth : left(row);
    const Size a_step = has_panel(row) ? kWidth<T> : p.a_column;
    T *const c = p.c + row + column_of(s) * p.ldc;
    if (rows == kWidth<T>) return kernel(rows, count)(depth, a, a_step, b, p.alpha, beta, c, p.ldc);
    kernel(rows, count)(depth, a, a_step, b, p.alpha, T(0), corner, kWidth<T>);
    for (int j = 0; j < count; ++j) {
      for (int i = 0; i < rows; ++i) {
        T &to = c[i + j * p.ldc];
        to = beta == T(0) ? corner[j * kWidth<T> + i] : corner[j * kWidth<T> + i] + beta * to;
      }
    }
  }
  void run() const {
    pack_rows();
    if (packs_columns() && p.b_column == 1) pack_columns();
    for (Size s = 0; s < strips; ++s) {
      const Right<T> b = strip(s);
      for (Size row = 0; row < p.m; row += kWidth<T>) multiply_panel(row, s, b);
    }
  }
};

template <class T>
void multiply_tile(const TileProduct<T> &p) {
  constexpr Size most = TileProduct<T>::kDepth;
  const Size strips = (p.n + kRows - 1) / kRows;
  for (Size first = 0; first < p.k; first += most)
    Piece<T>{p, first, p.k - first < most ? p.k - first : most, strips, first == 0 ? p.beta : T(1)}.run();
}

constexpr ProductKernels kTable = {multiply_tile<float>, multiply_tile<double>};
#else
constexpr ProductKernels kTable = {nullptr, nullptr};
#endif

}  // namespace

extern const ProductKernels kProducts;
const ProductKernels kProducts = kTable;

}  // namespace warploom::blas::WARPLOOM_LEVEL

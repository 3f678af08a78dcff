// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner part of products of matrices: C(rows x columns) += A B for operands that lie in panels. Included by sources
// that are compiled once for each level of the processor (folders `kernels`), after WARPLOOM_LEVEL is set.
//
//     A: panels of at most kRows rows, a[k * rows + i];  B: panels of kWidth columns, b[k * b_step + j]
//     C: c[i * step + j], kept in registers while k runs
#pragma once

#include <cstddef>
#include <cstdint>

namespace warploom::product::WARPLOOM_LEVEL {

using Size = std::int64_t;
#define WARPLOOM_INLINE __attribute__((always_inline)) inline

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64, kRows = 14;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32, kRows = 6;
#elif defined(__aarch64__)
inline constexpr int kVectorBytes = 16, kRows = 12;
#else
inline constexpr int kVectorBytes = 16, kRows = 4;
#endif
inline constexpr int kVectors = 2;  // in a row of a panel of B

template <class T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int kWidth = kVectors * kLanes<T>;
template <class T>
using Vector = T __attribute__((vector_size(kVectorBytes)));

template <class T>
WARPLOOM_INLINE Vector<T> load(const T *from) {
  Vector<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
WARPLOOM_INLINE void store(T *to, Vector<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// One panel of A by one of B. `add`: to what C holds.
template <class T, int rows>
void multiply_panels(Size depth, const T *__restrict a, const T *__restrict b, Size b_step, T *__restrict c, Size step,
                     bool add) {
  Vector<T> sums[rows][kVectors];
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
    for (int j = 0; j < kVectors; ++j) sums[i][j] = Vector<T>{};
  }
  for (Size k = 0; k < depth; ++k, a += rows, b += b_step) {
    Vector<T> right[kVectors];
#pragma clang loop unroll(full)
    for (int j = 0; j < kVectors; ++j) right[j] = load(b + j * kLanes<T>);
#pragma clang loop unroll(full)
    for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
      for (int j = 0; j < kVectors; ++j) sums[i][j] += a[i] * right[j];
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < rows; ++i) {
#pragma clang loop unroll(full)
    for (int j = 0; j < kVectors; ++j) {
      T *const to = c + i * step + j * kLanes<T>;
      store(to, add ? load(to) + sums[i][j] : sums[i][j]);
    }
  }
}

template <class T>
using PanelKernel = void (*)(Size depth, const T *a, const T *b, Size b_step, T *c, Size step, bool add);

// The kernel for panels of A with `rows` rows, 1 to kRows.
template <class T, int most = kRows>
WARPLOOM_INLINE PanelKernel<T> panel_kernel(int rows) {
  if constexpr (most > 1) {
    return rows == most ? multiply_panels<T, most> : panel_kernel<T, most - 1>(rows);
  } else {
    return multiply_panels<T, 1>;
  }
}

template <class T, int... lane>
struct LaneNumbers {};
template <class T, int count, int... lane>
struct MakeLanes : MakeLanes<T, count - 1, count - 1, lane...> {};
template <class T, int... lane>
struct MakeLanes<T, 0, lane...> {
  using Type = LaneNumbers<T, lane...>;
};

template <int half, class T, int... lane>
WARPLOOM_INLINE void exchange(Vector<T> &a, Vector<T> &b, LaneNumbers<T, lane...>) {
  constexpr int n = kLanes<T>;
  const Vector<T> low = __builtin_shufflevector(a, b, ((lane & half) == 0 ? lane : n + lane - half)...);
  b = __builtin_shufflevector(a, b, ((lane & half) != 0 ? n + lane : lane + half)...);
  a = low;
}
// Transposes a square of numbers.
template <class T, int half = kLanes<T> / 2>
WARPLOOM_INLINE void transpose(Vector<T> (&rows)[kLanes<T>]) {
  if constexpr (half > 0) {
#pragma clang loop unroll(full)
    for (int row = 0; row < kLanes<T>; ++row) {
      if ((row & half) == 0) exchange<half>(rows[row], rows[row + half], typename MakeLanes<T, kLanes<T>>::Type());
    }
    transpose<T, half / 2>(rows);
  }
}

// The square of rows [first, first + kLanes) from column k on, transposed; rows from `count` on are zero.
template <class T>
WARPLOOM_INLINE void load_transposed(const T *rows, Size step, int first, int count, Size k,
                                     Vector<T> (&square)[kLanes<T>]) {
#pragma clang loop unroll(full)
  for (int i = 0; i < kLanes<T>; ++i) {
    square[i] = first + i < count ? load(rows + (first + i) * step + k) : Vector<T>{};
  }
  transpose<T>(square);
}

// panel[k * width + i] = rows[i * step + k] for i < count; zero for the others. Up to kLanes numbers behind the panel
// are written over.
template <class T>
void transpose_rows(const T *rows, Size step, int count, Size depth, int width, T *panel) {
  constexpr int n = kLanes<T>;
  Vector<T> square[n], second[n];
  Size k = 0;
  if (width <= n || width % n == 0) {
    for (; k + n <= depth; k += n) {
      for (int first = 0; first < width; first += n) {
        load_transposed<T>(rows, step, first, count, k, square);
#pragma clang loop unroll(full)
        for (int i = 0; i < n; ++i) store(panel + (k + i) * width + first, square[i]);
      }
    }
  } else if (width < 2 * n) {
    for (; k + n <= depth; k += n) {
      load_transposed<T>(rows, step, 0, count, k, square);
      load_transposed<T>(rows, step, n, count, k, second);
#pragma clang loop unroll(full)
      for (int i = 0; i < n; ++i) {
        store(panel + (k + i) * width, square[i]);
        store(panel + (k + i) * width + n, second[i]);
      }
    }
  }
  for (; k < depth; ++k) {
    for (int i = 0; i < width; ++i) panel[k * width + i] = i < count ? rows[i * step + k] : T(0);
  }
}

}  // namespace warploom::product::WARPLOOM_LEVEL

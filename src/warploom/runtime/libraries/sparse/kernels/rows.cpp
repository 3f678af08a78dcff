// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A piece of the matrix at a time: first all products, whatever rows they are of, then the sums of rows by eight lanes.
// How often the lanes are filled is the same for some rows together, the longest one's number: the lengths of short
// rows cannot be predicted.
#include "../kernels.h"

namespace warploom::sparse::WARPLOOM_LEVEL {
namespace {

using Size = std::int64_t;
constexpr int kLanes = 8;
constexpr Size kPiece = 2048, kTogether = 32;
constexpr Size kLong = 12;  // values in a row, from which on rows are not short

template <class T>
using Lanes = T __attribute__((vector_size(kLanes * sizeof(T))));

template <class T>
Lanes<T> load(const T *from) {
  Lanes<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
T sum_of(Lanes<T> lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}
// The first `count` of eight numbers, and zeros.
template <class T>
Lanes<T> first_of(Size count, const T *from) {
  using Number = Lanes<T>;
  Number numbers;
#pragma clang loop unroll(full)
  for (int i = 0; i < kLanes; ++i) numbers[i] = static_cast<T>(i);
  return numbers < static_cast<T>(count) ? load(from) : Number{};
}

// Whether all columns of numbers [begin, begin + count) are inside.
template <class T>
bool are_inside(const ShortRows<T> &rows, Size begin, Size count) {
  const std::int32_t *const cols = rows.cols + begin;
  std::uint32_t most = 0;
  for (Size i = 0; i < count; ++i) {
    const std::uint32_t col = static_cast<std::uint32_t>(cols[i]) - static_cast<std::uint32_t>(rows.base);
    most = col > most ? col : most;
  }
  return count == 0 || most < rows.size;
}

// products[i] = value times x of numbers [begin, begin + count).
template <class T>
void multiply_piece(const ShortRows<T> &rows, Size begin, Size count, const T *x, T *products, bool inside) {
  const std::int32_t *const cols = rows.cols + begin;
  const T *const values = rows.values + begin;
  const auto base = static_cast<std::uint32_t>(rows.base);
  if (inside) {
    for (Size i = 0; i < count; ++i) products[i] = values[i] * x[static_cast<std::uint32_t>(cols[i]) - base];
    return;
  }
  for (Size i = 0; i < count; ++i) {
    const std::uint32_t col = static_cast<std::uint32_t>(cols[i]) - base;
    products[i] = col < rows.size ? values[i] * x[col] : T(0);
  }
}

// A row whose columns are inside.
template <class T>
T multiply_row(const ShortRows<T> &rows, Size row, const T *x) {
  const std::int32_t *const cols = rows.cols;
  const auto base = static_cast<std::uint32_t>(rows.base);
  Size i = rows.begin(row);
  const Size end = rows.begin(row + 1);
  const auto term = [&](Size at) { return rows.values[at] * x[static_cast<std::uint32_t>(cols[at]) - base]; };
  T sums[4] = {};
  for (; i + 4 <= end; i += 4) {
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) sums[k] += term(i + k);
  }
  for (; i < end; ++i) sums[0] += term(i);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
T sum_of_row(const T *products, Size count, Size times) {
  Lanes<T> sums = {};
  for (Size i = 0; i < times; ++i) sums += first_of(count - i * kLanes, products + i * kLanes);
  return sum_of<T>(sums);
}

// Rows [first, last), whose products begin at that of number `begin`; some at a time.
template <class T>
void sum_rows(const ShortRows<T> &rows, Size first, Size last, Size begin, const T *products, T *sums) {
  for (Size row = first; row < last; row += kTogether) {
    const Size end = row + kTogether < last ? row + kTogether : last;
    Size most = 0;
    for (Size i = row; i < end; ++i) {
      const Size count = rows.begin(i + 1) - rows.begin(i);
      most = count > most ? count : most;
    }
    const Size times = (most + kLanes - 1) / kLanes;
    for (Size i = row; i < end; ++i) {
      const Size from = rows.begin(i);
      sums[i - first] = sum_of_row(products + (from - begin), rows.begin(i + 1) - from, times);
    }
  }
}

// A row longer than a piece.
template <class T>
bool multiply_long(const ShortRows<T> &rows, Size row, const T *x, T *products, T *sum) {
  bool outside = false;
  *sum = 0;
  for (Size at = rows.begin(row), end = rows.begin(row + 1); at < end; at += kPiece) {
    const Size count = end - at < kPiece ? end - at : kPiece;
    const bool inside = are_inside(rows, at, count);
    outside |= !inside;
    multiply_piece(rows, at, count, x, products, inside);
    *sum += sum_of_row(products, count, (count + kLanes - 1) / kLanes);
  }
  return outside;
}

template <class T>
bool multiply(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
  // Lanes of the last rows reach beyond the products, as far as the longest row of those together.
  alignas(64) T products[2 * kPiece + kLanes] = {};
  bool outside = false;
  for (Size row = first; row < last;) {
    const Size begin = rows.begin(row);
    Size end = row;
    while (end < last && rows.begin(end + 1) - begin <= kPiece) ++end;
    if (end == row) {
      outside |= multiply_long(rows, row, x, products, sums + (row - first));
      ++row;
      continue;
    }
    const Size count = rows.begin(end) - begin;
    const bool inside = are_inside(rows, begin, count);
    outside |= !inside;
    if (inside && count >= kLong * (end - row)) {
      for (; row < end; ++row) sums[row - first] = multiply_row(rows, row, x);
    } else {
      multiply_piece(rows, begin, count, x, products, inside);
      sum_rows(rows, row, end, begin, products, sums + (row - first));
    }
    row = end;
  }
  return outside;
}

}  // namespace

extern const RowKernels<float> kFloatRows = {multiply<float>};
extern const RowKernels<double> kDoubleRows = {multiply<double>};

}  // namespace warploom::sparse::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On processors that gather quickly: gathered_rows.h. On others with masks, rows that are not short: even_rows.h. Else
// a piece of the matrix at a time. Short rows: first all products, whatever rows they are of, then the sums of eight
// rows together, by eight lanes each, which are filled as often as the longest of these rows needs: the lengths of
// short rows cannot be predicted. Long rows: eight lanes of sums, filled as often as each row needs.
#include "../kernels.h"

#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace warploom::sparse::WARPLOOM_LEVEL {
namespace {

using Size = std::int64_t;
constexpr int kLanes = 8;
constexpr Size kRows = 256, kPiece = 2048;  // at a time
constexpr Size kLong = 20;                  // values in a row, from which on rows are not short

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
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}
// Sums of neighbours by two: first those of `a`, then those of `b`.
template <class T>
Lanes<T> add_pairs(Lanes<T> a, Lanes<T> b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) +
         __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
}
// Lane i: sum_of(rows[i]).
template <class T>
Lanes<T> sums_of(const Lanes<T> (&rows)[kLanes]) {
  Lanes<T> pairs[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    const Lanes<T> a = rows[2 * i], b = rows[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  return add_pairs<T>(add_pairs<T>(pairs[0], pairs[1]), add_pairs<T>(pairs[2], pairs[3]));
}
// 0 to 7.
template <class T>
Lanes<T> numbers() {
  return Lanes<T>{0, 1, 2, 3, 4, 5, 6, 7};
}
#if defined(__AVX512VL__)
// The numbers where the mask is on, and zeros; others are not read.
template <class T>
Lanes<T> load_where(__mmask8 where, const T *from) {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<Lanes<T>>(_mm512_maskz_loadu_pd(where, from));
  } else {
    return reinterpret_cast<Lanes<T>>(_mm256_maskz_loadu_ps(where, from));
  }
}
#endif
// The first `count` of eight numbers, and zeros.
template <class T>
Lanes<T> first_of(Size count, const T *from) {
  return numbers<T>() < static_cast<T>(count) ? load(from) : Lanes<T>{};
}

constexpr Size kSoon = 256;   // values, and columns, that are asked for before they are needed
constexpr Size kAtOnce = 16;  // columns that are one line of the cache

// Whether all columns of numbers [begin, begin + count) are inside. If `asks`, their values are asked for.
template <class T>
bool are_inside(const ShortRows<T> &rows, Size begin, Size count, bool asks) {
  if (rows.inside) return true;
  const std::int32_t *const cols = rows.cols + begin;
  std::uint32_t most = 0;
  const auto add = [&](Size i) {
    const std::uint32_t col = static_cast<std::uint32_t>(cols[i]) - static_cast<std::uint32_t>(rows.base);
    most = col > most ? col : most;
  };
  Size i = 0;
  for (; asks && i + kAtOnce <= count; i += kAtOnce) {
    __builtin_prefetch(rows.values + begin + i);
    __builtin_prefetch(rows.values + begin + i + kAtOnce / 2);
    for (Size j = i; j < i + kAtOnce; ++j) add(j);
  }
  for (; i < count; ++i) add(i);
  return count == 0 || most < rows.size;
}

// The same for few numbers at a time, which are used at once: those of a vector side by side.
template <class T>
bool are_few_inside(const ShortRows<T> &rows, Size begin, Size count) {
  if (rows.inside) return true;
  using Columns = Lanes<std::uint32_t>;
  const auto *const cols = reinterpret_cast<const std::uint32_t *>(rows.cols + begin);
  const auto base = static_cast<std::uint32_t>(rows.base);
  if (count < kLanes) {
    for (Size i = 0; i < count; ++i) {
      if (cols[i] - base >= rows.size) return false;
    }
    return true;
  }
  Columns most = load(cols + count - kLanes) - base, other = {};
  Size i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    most = __builtin_elementwise_max(most, load(cols + i) - base);
    other = __builtin_elementwise_max(other, load(cols + i + kLanes) - base);
  }
  if (i + kLanes <= count) most = __builtin_elementwise_max(most, load(cols + i) - base);
  return __builtin_reduce_max(__builtin_elementwise_max(most, other)) < rows.size;
}

// Values of x in four columns that are inside. `x` is where column 0 would be, with columns as they are stored. In
// pairs, whose columns are one load: of single loads LLVM makes a gather, which is slower.
template <class T>
using Half = T __attribute__((vector_size(kLanes / 2 * sizeof(T))));
template <class T>
Half<T> pick_half(const std::int32_t *cols, const T *x) {
  using Pair = T __attribute__((vector_size(2 * sizeof(T))));
  const auto pair = [&](int i) {
    std::uint64_t both;
    __builtin_memcpy(&both, cols + i, sizeof both);
    return Pair{x[static_cast<std::uint32_t>(both)], x[both >> 32]};
  };
  return __builtin_shufflevector(pair(0), pair(2), 0, 1, 2, 3);
}
template <class T>
Half<T> load_half(const T *from) {
  Half<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
Lanes<T> join(Half<T> low, Half<T> high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
// Eight values times x.
template <class T>
Lanes<T> multiply_lanes(const std::int32_t *cols, const T *values, const T *x) {
  return load(values) * join<T>(pick_half(cols, x), pick_half(cols + 4, x));
}

// products[i] = value times x of numbers [begin, begin + count).
template <class T>
void multiply_piece(const ShortRows<T> &rows, Size begin, Size count, const T *x, T *products, bool inside) {
  const std::int32_t *const cols = rows.cols + begin;
  const T *const values = rows.values + begin;
  const auto base = static_cast<std::uint32_t>(rows.base);
  Size i = 0;
  for (; inside && i + kLanes <= count; i += kLanes) {
    __builtin_prefetch(values + i + kSoon);
    __builtin_prefetch(cols + i + kSoon);
    const Lanes<T> lanes = multiply_lanes(cols + i, values + i, x - rows.base);
    __builtin_memcpy(products + i, &lanes, sizeof lanes);
  }
  for (; i < count; ++i) {
    const std::uint32_t col = static_cast<std::uint32_t>(cols[i]) - base;
    products[i] = col < rows.size ? values[i] * x[col] : T(0);
  }
}

// The lanes of a row whose columns are inside. The last eight values come once more, for those that are left.
template <class T>
Lanes<T> multiply_row(const ShortRows<T> &rows, Size row, const T *x) {
  const Size begin = rows.begin(row), count = rows.begin(row + 1) - begin;
  const std::int32_t *const cols = rows.cols + begin;
  const T *const values = rows.values + begin;
  if (count < kLanes) {
    Lanes<T> sums = {};
    for (Size i = 0; i < count; ++i) sums[0] += values[i] * x[static_cast<std::uint32_t>(cols[i])];
    return sums;
  }
  const Size whole = count / kLanes * kLanes, back = kLanes - (count - whole);
  Half<T> low = {}, high = {};
  for (Size i = 0; i < whole; i += kLanes) {
    low += load_half(values + i) * pick_half(cols + i, x);
    high += load_half(values + i + 4) * pick_half(cols + i + 4, x);
  }
  const Lanes<T> last = multiply_lanes(cols + whole - back, values + whole - back, x);
  return join<T>(low, high) + (numbers<T>() < static_cast<T>(back) ? Lanes<T>{} : last);
}

// The same of a row with columns outside, whose values count as zeros.
template <class T>
Lanes<T> multiply_row_inside(const ShortRows<T> &rows, Size row, const T *x) {
  Lanes<T> sums = {};
  for (Size i = rows.begin(row), end = rows.begin(row + 1), lane = 0; i < end; ++i, lane = (lane + 1) % kLanes) {
    const std::uint32_t col = static_cast<std::uint32_t>(rows.cols[i]) - static_cast<std::uint32_t>(rows.base);
    if (col < rows.size) sums[lane] += rows.values[i] * x[col];
  }
  return sums;
}

// sums[i] = the sum of each(i).
template <class T, class Each>
void sum_rows(Size count, T *sums, const Each &each) {
  Size row = 0;
  for (; row + kLanes <= count; row += kLanes) {
    Lanes<T> lanes[kLanes];
#pragma clang loop unroll(full)
    for (int i = 0; i < kLanes; ++i) lanes[i] = each(row + i);
    const Lanes<T> made = sums_of<T>(lanes);
    __builtin_memcpy(sums + row, &made, sizeof made);
  }
  for (; row < count; ++row) sums[row] = sum_of<T>(each(row));
}

// sums[i] = row first + i, which begins `starts[i]` after the first one, times x; true if a column lies outside. The
// columns of eight rows are looked at just before they are used.
template <class T>
bool multiply_long_rows(const ShortRows<T> &rows, Size first, Size count, const std::int32_t *starts, const T *x,
                        T *sums) {
  const Size begin = rows.begin(first);
  bool outside = false;
  for (Size row = 0; row < count; row += kLanes) {
    const Size here = count - row < kLanes ? count - row : kLanes;
    if (are_few_inside(rows, begin + starts[row], starts[row + here] - starts[row])) {
      sum_rows(here, sums + row, [&](Size i) { return multiply_row(rows, first + row + i, x - rows.base); });
    } else {
      outside = true;
      for (Size i = row; i < row + here; ++i) sums[i] = sum_of<T>(multiply_row_inside(rows, first + i, x));
    }
  }
  return outside;
}

template <class T>
Lanes<T> add_products(const T *products, Size count, Size times) {
  Lanes<T> sums = {};
  for (Size i = 0; i < times; ++i) sums += first_of(count - i * kLanes, products + i * kLanes);
  return sums;
}

// The same of at most eight vectors, a number that is known.
template <int times, class T>
Lanes<T> add_few_products(const T *products, Size count) {
#if defined(__AVX512VL__)
  const unsigned long long mask = _bzhi_u64(~0ULL, static_cast<unsigned long long>(count));
  Lanes<T> sums = load_where(static_cast<__mmask8>(mask), products);
#pragma clang loop unroll(full)
  for (int i = kLanes; i < times * kLanes; i += kLanes)
    sums += load_where(static_cast<__mmask8>(mask >> i), products + i);
  return sums;
#else
  return add_products(products, count, times);
#endif
}

// Rows whose products begin at from[i], by as many vectors for each: `known`, or if that is 0, `any`.
template <int known, class T>
void sum_group(const std::int32_t *from, Size count, Size any, const T *products, T *sums) {
  sum_rows(count, sums, [&](Size i) {
    const T *const row = products + from[i];
    const Size values = from[i + 1] - from[i];
    if constexpr (known > 0) {
      return add_few_products<known>(row, values);
    } else {
      return add_products(row, values, any);
    }
  });
}

// Rows whose products begin at starts[i]; eight at a time.
template <class T>
void sum_short_rows(const std::int32_t *starts, Size count, const T *products, T *sums) {
  for (Size row = 0; row < count; row += kLanes) {
    const Size here = count - row < kLanes ? count - row : kLanes;
    const std::int32_t *const from = starts + row;
    std::int32_t most = 0;
    for (Size i = 0; i < here; ++i) {
      const std::int32_t each = from[i + 1] - from[i];
      most = each > most ? each : most;
    }
    const Size times = (most + kLanes - 1) / kLanes;
    switch (times) {
      case 1:
        sum_group<1>(from, here, times, products, sums + row);
        break;
      case 2:
        sum_group<2>(from, here, times, products, sums + row);
        break;
      case 3:
        sum_group<3>(from, here, times, products, sums + row);
        break;
      case 4:
        sum_group<4>(from, here, times, products, sums + row);
        break;
      case 5:
        sum_group<5>(from, here, times, products, sums + row);
        break;
      default:
        sum_group<0>(from, here, times, products, sums + row);
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
    const bool inside = are_inside(rows, at, count, false);
    outside |= !inside;
    multiply_piece(rows, at, count, x, products, inside);
    *sum += sum_of<T>(add_products(products, count, (count + kLanes - 1) / kLanes));
  }
  return outside;
}

// starts[i] = where row first + i begins, from where the first begins: of as many rows as a piece holds, at most
// `count`, and the end of the last. Returns how many.
template <class Offset>
Size copy_starts(const Offset *offsets, Size count, std::int32_t *starts) {
  Size rows = 0;
  for (Size i = 0; i <= count; ++i) {
    const Offset start = offsets[i] - offsets[0];
    starts[i] = static_cast<std::int32_t>(start < kPiece + 1 ? start : kPiece + 1);
  }
  while (rows < count && starts[rows + 1] <= kPiece) ++rows;
  return rows;
}

template <class T, class Offset>
bool multiply_by(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
  // Lanes of the last rows reach beyond the products, as far as the longest row of those together; what is there is
  // left out.
  alignas(64) T products[2 * kPiece + kLanes];
  std::int32_t starts[kRows + 1];
  bool outside = false;
  for (Size row = first; row < last;) {
    const Size most = last - row < kRows ? last - row : kRows;
    const Size here = copy_starts(static_cast<const Offset *>(rows.offsets) + row, most, starts);
    if (here == 0) {
      outside |= multiply_long(rows, row, x, products, sums + (row - first));
      ++row;
      continue;
    }
    const Size begin = rows.begin(row), count = starts[here];
    if (count >= kLong * here) {
      outside |= multiply_long_rows(rows, row, here, starts, x, sums + (row - first));
    } else {
      const bool inside = are_inside(rows, begin, count, true);
      outside |= !inside;
      multiply_piece(rows, begin, count, x, products, inside);
      sum_short_rows(starts, here, products, sums + (row - first));
    }
    row += here;
  }
  return outside;
}

}  // namespace
}  // namespace warploom::sparse::WARPLOOM_LEVEL

#if defined(__AVX512VL__)
#include "even_rows.h"
#include "gathered_rows.h"
#endif

namespace warploom::sparse::WARPLOOM_LEVEL {
namespace {

template <class T, class Offset>
bool multiply_any(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
#if defined(__AVX512VL__)
  static const bool gathers_quickly = __builtin_cpu_is("intel");  // a gather of AMD's is slower than single loads
  if (gathers_quickly) return multiply_gathered<T, Offset>(rows, first, last, x, sums);
  const Offset *const offsets = static_cast<const Offset *>(rows.offsets);
  bool outside = false;
  for (Size row = first; row < last; row += kRows) {
    const Size end = last - row < kRows ? last : row + kRows;
    const bool is_even = offsets[end] - offsets[row] >= kEven * (end - row);
    T *const to = sums + (row - first);
    outside |=
        is_even ? multiply_evenly<T, Offset>(rows, row, end, x, to) : multiply_by<T, Offset>(rows, row, end, x, to);
  }
  return outside;
#else
  return multiply_by<T, Offset>(rows, first, last, x, sums);
#endif
}

template <class T>
bool multiply(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
  const auto any = rows.wide ? multiply_any<T, std::int64_t> : multiply_any<T, std::int32_t>;
  return any(rows, first, last, x, sums);
}

}  // namespace

extern const RowKernels<float> kFloatRows = {multiply<float>};
extern const RowKernels<double> kDoubleRows = {multiply<double>};

}  // namespace warploom::sparse::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows times a vector by single loads, for rows that are not short: eight rows at a time, all by as many steps of four
// values as the longest of them needs, because the lengths of rows cannot be predicted. Steps that some of these rows
// do not need are under masks; they read columns and values of the rows behind. Included by rows.cpp.
#pragma once

#include <immintrin.h>

namespace warploom::sparse::WARPLOOM_LEVEL {
namespace {

constexpr int kStep = 4, kMostMasked = 4;
constexpr Size kEven = 9;  // values in a row, from which on this is faster than what rows.cpp does with short rows

// sums + a b, where the mask is on.
template <class T>
Half<T> add_half_where(__mmask8 where, Half<T> a, Half<T> b, Half<T> sums) {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<Half<T>>(_mm256_mask3_fmadd_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b),
                                                           reinterpret_cast<__m256d>(sums), where));
  } else {
    return reinterpret_cast<Half<T>>(_mm_mask3_fmadd_ps(reinterpret_cast<__m128>(a), reinterpret_cast<__m128>(b),
                                                        reinterpret_cast<__m128>(sums), where));
  }
}

// A row's sums by two sets of four lanes, which take turns.
template <class T>
struct Quads {
  const std::int32_t *cols;  // of what comes next
  const T *values, *x;       // `x` is where column 0 would be
  Half<T> sums[2] = {};

  // The first `steps` steps, an even number.
  void add_whole(Size steps) {
    for (const T *const end = values + steps * kStep; values != end; values += 2 * kStep, cols += 2 * kStep) {
      for (int i = 0; i < 2; ++i)
        sums[i] = __builtin_elementwise_fma(load_half(values + i * kStep), pick_half(cols + i * kStep, x), sums[i]);
    }
  }
  // `steps` more, of whose values the first `count` are added.
  template <int steps>
  void add_masked(Size count) {
    const unsigned mask = _bzhi_u32(~0U, static_cast<unsigned>(count));
#pragma clang loop unroll(full)
    for (int i = 0; i < steps; ++i) {
      sums[i % 2] = add_half_where<T>(static_cast<__mmask8>(mask >> i * kStep), load_half(values + i * kStep),
                                      pick_half(cols + i * kStep, x), sums[i % 2]);
    }
  }
  // `count` values more, behind which nothing may be read.
  void add_last(Size count) {
    for (Size i = 0; i < count; ++i) {
      T &to = reinterpret_cast<T *>(&sums[i / kStep % 2])[i % kStep];
      to = __builtin_elementwise_fma(values[i], x[static_cast<std::uint32_t>(cols[i])], to);
    }
  }
  Half<T> both() const { return sums[0] + sums[1]; }
};

template <class T>
T sum_of(Half<T> lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}
// Lane i: sum_of(rows[i]).
template <class T>
Lanes<T> sums_of(const Half<T> (&rows)[kLanes]) {
  Half<T> pairs[4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; ++i) {
    const Half<T> a = rows[2 * i], b = rows[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  }
  const auto add = [](Half<T> a, Half<T> b) {
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
  };
  return join<T>(add(pairs[0], pairs[1]), add(pairs[2], pairs[3]));
}

// A row that begins at offsets[0].
template <class T, class Offset>
Quads<T> quads_of(const ShortRows<T> &rows, const Offset *offsets, const T *x) {
  const Size begin = offsets[0] - rows.base;
  return {rows.cols + begin, rows.values + begin, x};
}

// Eight rows: `whole` steps that all of them need, then `masked`; or as many as each needs, and up to two more.
constexpr int kAsManyAsEachNeeds = -1;
template <int masked, class T, class Offset>
void multiply_eight(const ShortRows<T> &rows, const Offset *offsets, Size whole, const T *x, T *sums) {
  Half<T> halves[kLanes];
#pragma clang loop unroll(disable)
  for (int i = 0; i < kLanes; ++i) {
    Quads<T> row = quads_of(rows, offsets + i, x);
    const Size count = offsets[i + 1] - offsets[i];
    const Size own = masked == kAsManyAsEachNeeds ? count / kLanes * 2 : whole;
    row.add_whole(own);
    row.template add_masked<masked == kAsManyAsEachNeeds ? 2 : masked>(count - own * kStep);
    halves[i] = row.both();
  }
  const Lanes<T> made = sums_of<T>(halves);
  __builtin_memcpy(sums, &made, sizeof made);
}

// Eight rows: `whole` steps that all of them need, then `masked`, if these are few; else as many as each needs.
template <class T, class Offset>
void multiply_eight(const ShortRows<T> &rows, const Offset *offsets, Size whole, Size masked, const T *x, T *sums) {
  switch (masked) {
    case 0:
      return multiply_eight<0>(rows, offsets, whole, x, sums);
    case 1:
      return multiply_eight<1>(rows, offsets, whole, x, sums);
    case 2:
      return multiply_eight<2>(rows, offsets, whole, x, sums);
    case 3:
      return multiply_eight<3>(rows, offsets, whole, x, sums);
    case kMostMasked:
      return multiply_eight<kMostMasked>(rows, offsets, whole, x, sums);
    default:
      return multiply_eight<kAsManyAsEachNeeds>(rows, offsets, whole, x, sums);
  }
}

// The eight rows from `row` on, or as many as there are before `last`; true if a column lies outside. Columns are
// looked at just before they are used.
template <class T, class Offset>
bool multiply_few(const ShortRows<T> &rows, Size row, Size last, const T *x, T *sums) {
  const Offset *const offsets = static_cast<const Offset *>(rows.offsets) + row;
  const Size here = last - row < kLanes ? last - row : kLanes;
  Offset most = 0, fewest = offsets[1] - offsets[0];
  for (Size i = 0; i < here; ++i) {
    const Offset each = offsets[i + 1] - offsets[i];
    most = each > most ? each : most;
    fewest = each < fewest ? each : fewest;
  }
  const Size begin = rows.begin(row), end = rows.begin(row + here), last_begin = rows.begin(row + here - 1);
  const Size whole = static_cast<Size>(fewest) / kLanes * 2, steps = (static_cast<Size>(most) + kStep - 1) / kStep;
  const bool alike = steps - whole <= kMostMasked;
  Size reach = alike ? last_begin + steps * kStep : end + kLanes;  // nothing is read behind that
  const bool reads_on = here == kLanes && reach <= rows.count;
  if (!reads_on || reach < end) reach = end;
  if (!are_few_inside(rows, begin, reach - begin)) {
    for (Size i = 0; i < here; ++i) {
      const Lanes<T> lanes = multiply_row_inside(rows, row + i, x);
      sums[i] = sum_of<T>(__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3) +
                          __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7));
    }
    return !are_few_inside(rows, begin, end - begin);
  }
  const T *const origin = x - rows.base;
  if (reads_on) {
    multiply_eight(rows, offsets, whole, steps - whole, origin, sums);
  } else {
    for (Size i = 0; i < here; ++i) {
      Quads<T> alone = quads_of(rows, offsets + i, origin);
      const Size count = offsets[i + 1] - offsets[i], own = count / kLanes * 2;
      alone.add_whole(own);
      alone.add_last(count - own * kStep);
      sums[i] = sum_of<T>(alone.both());
    }
  }
  return false;
}

// sums[i] = row first + i times x; true if a column lies outside.
template <class T, class Offset>
bool multiply_evenly(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
  bool outside = false;
  for (Size row = first; row < last; row += kLanes)
    outside |= multiply_few<T, Offset>(rows, row, last, x, sums + (row - first));
  return outside;
}

}  // namespace
}  // namespace warploom::sparse::WARPLOOM_LEVEL

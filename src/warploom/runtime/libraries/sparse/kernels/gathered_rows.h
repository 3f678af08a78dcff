// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows times a vector by gathers under masks, for processors that gather quickly: eight rows at a time, each in eight
// lanes of sums. All eight take as many steps as the longest of them needs, because the lengths of rows cannot be
// predicted; lanes beyond a row's end are off. Included by rows.cpp.
#pragma once

#include <immintrin.h>

namespace warploom::sparse::WARPLOOM_LEVEL {
namespace {

constexpr Size kAhead = 128;  // values that are asked for before they are needed

template <class T>
Lanes<T> gather(__mmask8 where, __m256i cols, const T *x) {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<Lanes<T>>(_mm512_mask_i32gather_pd(__m512d{}, where, cols, x, sizeof(T)));
  } else {
    return reinterpret_cast<Lanes<T>>(_mm256_mmask_i32gather_ps(__m256{}, where, cols, x, sizeof(T)));
  }
}
// sums + a b, where the mask is on.
template <class T>
Lanes<T> add_product_where(__mmask8 where, Lanes<T> a, Lanes<T> b, Lanes<T> sums) {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<Lanes<T>>(_mm512_mask3_fmadd_pd(reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b),
                                                            reinterpret_cast<__m512d>(sums), where));
  } else {
    return reinterpret_cast<Lanes<T>>(_mm256_mask3_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b),
                                                            reinterpret_cast<__m256>(sums), where));
  }
}

// Adds the values where the mask is on, times x, whose columns are inside. `x` is where column 0 would be.
template <class T>
Lanes<T> add_step(unsigned long long mask, const std::int32_t *cols, const T *values, const T *x, Lanes<T> sums) {
  const auto where = static_cast<__mmask8>(mask);
  __builtin_prefetch(cols + kAhead);
  __builtin_prefetch(values + kAhead);
  const Lanes<T> gathered = gather<T>(where, _mm256_maskz_loadu_epi32(where, cols), x);
  return add_product_where<T>(where, load_where(where, values), gathered, sums);
}

// The same of at most four values, which is half the work.
template <class T>
Lanes<T> gather_half(__mmask8 where, __m128i cols, const T *x) {
  if constexpr (sizeof(T) == 8) {
    return reinterpret_cast<Lanes<T>>(
        _mm512_zextpd256_pd512(_mm256_mmask_i32gather_pd(__m256d{}, where, cols, x, sizeof(T))));
  } else {
    return reinterpret_cast<Lanes<T>>(
        _mm256_zextps128_ps256(_mm_mmask_i32gather_ps(__m128{}, where, cols, x, sizeof(T))));
  }
}
template <class T>
Lanes<T> add_half_step(unsigned long long mask, const std::int32_t *cols, const T *values, const T *x, Lanes<T> sums) {
  const auto where = static_cast<__mmask8>(mask & 0xF);
  __builtin_prefetch(cols + kAhead);
  __builtin_prefetch(values + kAhead);
  const Lanes<T> gathered = gather_half<T>(where, _mm_maskz_loadu_epi32(where, cols), x);
  return add_product_where<T>(where, load_where(where, values), gathered, sums);
}

// The lanes of a row of at most 4 `halves` values: as many half steps, whatever its length.
template <int halves, class T>
Lanes<T> gather_row(const std::int32_t *cols, const T *values, Size count, const T *x) {
  const unsigned long long mask = _bzhi_u64(~0ULL, static_cast<unsigned long long>(count));
  constexpr int whole = halves / 2 * kLanes;
  Lanes<T> sums = {};
#pragma clang loop unroll(full)
  for (int i = 0; i < whole; i += kLanes) sums = add_step(mask >> i, cols + i, values + i, x, sums);
  return halves % 2 == 0 ? sums : add_half_step(mask >> whole, cols + whole, values + whole, x, sums);
}
// Of any row.
template <class T>
Lanes<T> gather_row(const std::int32_t *cols, const T *values, Size count, const T *x) {
  Lanes<T> sums = {};
  Size i = 0;
  for (; i + kLanes <= count; i += kLanes) sums = add_step(0xFF, cols + i, values + i, x, sums);
  if (i < count) sums = add_step(0xFFU >> (kLanes - (count - i)), cols + i, values + i, x, sums);
  return sums;
}

// Eight rows, by `halves` half steps for each or, if that is 0, as many steps as each needs.
template <int halves, class T, class Offset>
void gather_eight_by(const ShortRows<T> &rows, const Offset *offsets, const T *x, T *sums) {
  Lanes<T> lanes[kLanes];
#pragma clang loop unroll(disable)  // gathers of many rows at once would not find room in registers
  for (int i = 0; i < kLanes; ++i) {
    const Size begin = offsets[i] - rows.base, count = offsets[i + 1] - offsets[i];
    if constexpr (halves == 0) {
      lanes[i] = gather_row(rows.cols + begin, rows.values + begin, count, x);
    } else {
      lanes[i] = gather_row<halves>(rows.cols + begin, rows.values + begin, count, x);
    }
  }
  const Lanes<T> made = sums_of<T>(lanes);
  __builtin_memcpy(sums, &made, sizeof made);
}

template <class T, class Offset>
void gather_eight(const ShortRows<T> &rows, const Offset *offsets, const T *x, T *sums) {
  constexpr int kHalf = kLanes / 2;
  Offset most = kLanes;  // rows of up to four values take longer by half a step than by one
  for (int i = 0; i < kLanes; ++i) {
    const Offset count = offsets[i + 1] - offsets[i];
    most = count > most ? count : most;
  }
  const Size halves = (static_cast<Size>(most) + kHalf - 1) / kHalf, all = offsets[kLanes] - offsets[0];
  const bool alike = halves == 2 || halves * kHalf * kLanes <= 3 * all;  // else most lanes would be off
  switch (alike ? halves : 0) {
    case 2:
      return gather_eight_by<2>(rows, offsets, x, sums);
    case 3:
      return gather_eight_by<3>(rows, offsets, x, sums);
    case 4:
      return gather_eight_by<4>(rows, offsets, x, sums);
    case 5:
      return gather_eight_by<5>(rows, offsets, x, sums);
    case 6:
      return gather_eight_by<6>(rows, offsets, x, sums);
    case 7:
      return gather_eight_by<7>(rows, offsets, x, sums);
    case 8:
      return gather_eight_by<8>(rows, offsets, x, sums);
    case 9:
      return gather_eight_by<9>(rows, offsets, x, sums);
    case 10:
      return gather_eight_by<10>(rows, offsets, x, sums);
    default:
      return gather_eight_by<0>(rows, offsets, x, sums);
  }
}

// sums[i] = row first + i times x; true if a column lies outside. Those of eight rows are looked at just before they
// are used.
template <class T, class Offset>
bool multiply_gathered(const ShortRows<T> &rows, Size first, Size last, const T *x, T *sums) {
  const Offset *const offsets = static_cast<const Offset *>(rows.offsets) + first;
  const Size count = last - first;
  bool outside = false;
  for (Size row = 0; row < count; row += kLanes) {
    const Size here = count - row < kLanes ? count - row : kLanes, begin = offsets[row] - rows.base;
    if (!are_few_inside(rows, begin, offsets[row + here] - offsets[row])) {
      outside = true;
      for (Size i = row; i < row + here; ++i) sums[i] = sum_of<T>(multiply_row_inside(rows, first + i, x));
    } else if (here == kLanes) {
      gather_eight(rows, offsets + row, x - rows.base, sums + row);
    } else {
      for (Size i = row; i < count; ++i) {
        const Size at = offsets[i] - rows.base, values = offsets[i + 1] - offsets[i];
        sums[i] = sum_of<T>(gather_row(rows.cols + at, rows.values + at, values, x - rows.base));
      }
    }
  }
  return outside;
}

}  // namespace
}  // namespace warploom::sparse::WARPLOOM_LEVEL

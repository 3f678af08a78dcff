// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8x8 products of 4-bit integers and of bits. Factors are loaded by rows of a and by columns of b, whose four words lie
// in four neighbouring lanes: lane 4 i + s has word s of row or column i.
#pragma once

#include "../nibbles.h"
#include "operations.h"

namespace nvcuda {
namespace wmma {
namespace details {

template <class T, class Storage>
__device__ __forceinline__ Storage load_packed(const void *address, unsigned stride, const char *file, int line) {
  join_warp(file, line);
  const auto *const source = of_warp(static_cast<const aliasing_word *>(address), file, line);
  // Of a line. Seen to be the same in all lanes, and as wide as an address: neighbours in a line are then known to be
  // so.
  const unsigned long words = from_lane<unsigned long>(stride / (is_bit<T> ? 32 : 8), 0, file, line);
  return static_cast<Storage>(
      in_run<4>([=](auto row, int lane) { return source[static_cast<unsigned long>(row) * words + lane]; }));
}

// 4-bit integers as bytes: the even ones and the odd ones of a word.
struct byte_pairs {
  int even, odd;
};
__device__ __forceinline__ byte_pairs widened(unsigned word) {
  return {static_cast<int>(warploom::nibbles::even(word)), static_cast<int>(warploom::nibbles::odd(word))};
}
__device__ __forceinline__ int extended(int bytes) {
  return static_cast<int>(warploom::nibbles::extended(static_cast<unsigned>(bytes)));
}

// Calls `add` for each word of the lane's column, and of its rows: with the number of the row, the lane that has the
// row's word and the one that has the column's.
template <class Add>
__device__ __forceinline__ void each_word(Add add) {
  const int lane = static_cast<int>(__warploom_lane_id()), column = lane & 7, group = lane - column;
  repeat<4>([&](auto step) { repeat<2>([&](auto row) { add(row, group + row * 4 + step, column * 4 + step); }); });
}

}  // namespace details

template <class T, class Layout, int K>
__device__ __forceinline__ std::enable_if_t<details::is_packed<T>> load_matrix_sync(
    fragment<matrix_a, 8, 8, K, T, Layout> &target, const void *source, unsigned stride,
    const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  target.x[0] = details::load_packed<T, typename details::storage<T>::type>(source, stride, file, line);
}

template <class T, class Layout, int K>
__device__ __forceinline__ std::enable_if_t<details::is_packed<T>> load_matrix_sync(
    fragment<matrix_b, 8, 8, K, T, Layout> &target, const void *source, unsigned stride,
    const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  target.x[0] = details::load_packed<T, typename details::storage<T>::type>(source, stride, file, line);
}

// d = a * b + c. Signed elements of a go as unsigned ones, 8 larger, and 8 times b's sum is taken away.
template <class T>
__device__ __forceinline__ std::enable_if_t<details::is_nibble<T>> mma_sync(
    fragment<accumulator, 8, 8, 32, int> &d, const fragment<matrix_a, 8, 8, 32, T, row_major> &a,
    const fragment<matrix_b, 8, 8, 32, T, col_major> &b, const fragment<accumulator, 8, 8, 32, int> &c,
    bool saturate = false, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  constexpr bool is_signed = std::is_same<T, experimental::precision::s4>::value;
  const unsigned flip = is_signed ? 0x88888888u : 0u;
  const details::byte_pairs left = details::widened(static_cast<unsigned>(a.x[0]) ^ flip);
  details::byte_pairs right = details::widened(static_cast<unsigned>(b.x[0]));
  if constexpr (is_signed) right = {details::extended(right.even), details::extended(right.odd)};
  int sums[2] = {}, excess = 0;
  details::each_word([&](auto row, int of_a, int of_b) {
    const int even = details::from_lane(right.even, of_b, file, line);
    const int odd = details::from_lane(right.odd, of_b, file, line);
    if constexpr (is_signed && row == 0) {
      excess = __warploom_dot4_us(0x08080808, even, __warploom_dot4_us(0x08080808, odd, excess));
    }
    sums[row] = __warploom_dot4_us(details::from_lane(left.even, of_a, file, line), even, sums[row]);
    sums[row] = __warploom_dot4_us(details::from_lane(left.odd, of_a, file, line), odd, sums[row]);
  });
  details::repeat<2>([&](auto row) {
    const long long sum = static_cast<long long>(c.x[row]) + (sums[row] - excess);
    d.x[row] = saturate ? details::clamp_to_int(sum) : static_cast<int>(sum);
  });
}

// d = c + the number of bits set in a row of a and, or exclusively or, a column of b.
__device__ __forceinline__ void bmma_sync(
    fragment<accumulator, 8, 8, 128, int> &d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
    const fragment<accumulator, 8, 8, 128, int> &c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC, const char *file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  const unsigned left = a.x[0], right = b.x[0];
  int sums[2] = {c.x[0], c.x[1]};
  details::each_word([&](auto row, int of_a, int of_b) {
    const unsigned x = details::from_lane(left, of_a, file, line), y = details::from_lane(right, of_b, file, line);
    sums[row] += __builtin_popcount(op == experimental::bmmaBitOpAND ? x & y : x ^ y);
  });
  d.x[0] = sums[0];
  d.x[1] = sums[1];
}

}  // namespace wmma
}  // namespace nvcuda

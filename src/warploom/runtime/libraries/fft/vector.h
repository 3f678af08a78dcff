// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of complex numbers, real and imaginary parts apart or side by side. Included by a file that says how long
// vectors are (WARPLOOM_FFT_BYTES) and in which namespace this code is (WARPLOOM_FFT_LEVEL), since each kind of
// processor has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#define WARPLOOM_FFT_INLINE __attribute__((always_inline)) inline

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

template <class T>
constexpr int kLanes = WARPLOOM_FFT_BYTES / static_cast<int>(sizeof(T));
#ifdef __aarch64__
constexpr int kRegisters = 32;  // that hold vectors
#else
constexpr int kRegisters = WARPLOOM_FFT_BYTES == 64 ? 32 : 16;
#endif
template <class T>
constexpr std::int64_t kLine = 64 / sizeof(T);  // of a cache
template <class T>
using Vector = T __attribute__((vector_size(WARPLOOM_FFT_BYTES)));

// So that vectors in an std::vector lie in as few lines of a cache as they can.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U> &) {}
  T *allocate(std::size_t n) { return static_cast<T *>(operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T *p, std::size_t) { operator delete(p, kAlignment); }
  bool operator==(const LineAllocator &) const { return true; }
};
template <class T>
using Table = std::vector<T, LineAllocator<T>>;

template <class T>
struct Complex {  // `kLanes` of them
  using Real = T;
  Vector<T> r, i;
};
// Half as many, as they lie in memory; `swapped`: imaginary part first.
template <class T, bool swapped>
struct Packed {
  using Real = T;
  Vector<T> v;
};

template <class T>
WARPLOOM_FFT_INLINE Vector<T> load(const T *from) {
  Vector<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
WARPLOOM_FFT_INLINE void store(T *to, Vector<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Shuffles are cheap within pieces of 16 bytes: what is made of numbers that lie side by side has them in an order of
// its own. Lane l holds number value_of_lane(l), number v is in lane lane_of_value(v).
template <class T>
constexpr int value_of_lane(int lane) {
  constexpr int piece = 16 / sizeof(T), few = piece / 2;
  return lane % piece / few * kLanes<T> / 2 + lane / piece * few + lane % few;
}
template <class T>
constexpr int lane_of_value(int value) {
  constexpr int piece = 16 / sizeof(T), few = piece / 2, half = kLanes<T> / 2;
  return value % half / few * piece + value / half * few + value % few;
}
template <class T, int part, int... lane>
WARPLOOM_FFT_INLINE Vector<T> parts_of(Vector<T> low, Vector<T> high, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(low, high, (2 * value_of_lane<T>(lane) + part)...);
}
template <class T, int first, int... lane>
WARPLOOM_FFT_INLINE Vector<T> join_parts(Vector<T> r, Vector<T> i, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(r, i, (lane_of_value<T>(first + lane / 2) + lane % 2 * kLanes<T>)...);
}

// Complex numbers that lie side by side, as C has them; `swapped`: imaginary part first.
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Complex<T> load_pairs(const T *from) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  const Vector<T> low = load(from), high = load(from + kLanes<T>);
  return {parts_of<T, swapped>(low, high, lanes), parts_of<T, !swapped>(low, high, lanes)};
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE void store_pairs(T *to, Complex<T> z) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  if (swapped) std::swap(z.r, z.i);
  store(to, join_parts<T, 0>(z.r, z.i, lanes));
  store(to + kLanes<T>, join_parts<T, kLanes<T> / 2>(z.r, z.i, lanes));
}

template <class Half, int... lane>
WARPLOOM_FFT_INLINE auto join(Half low, Half high, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(low, high, lane...);
}
// Pieces of `piece` reals, `step` reals apart, side by side in a vector: what comes from memory that way needs no
// shuffle.
template <class T, int piece, int lanes = kLanes<T>>
WARPLOOM_FFT_INLINE auto load_pieces(const T *from, std::int64_t step) {
  if constexpr (lanes == piece) {
    T __attribute__((vector_size(piece * sizeof(T)))) value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  } else {
    constexpr int half = lanes / 2;
    return join(load_pieces<T, piece, half>(from, step), load_pieces<T, piece, half>(from + half / piece * step, step),
                std::make_integer_sequence<int, lanes>());
  }
}
template <class T, int piece>
WARPLOOM_FFT_INLINE void store_pieces(T *to, std::int64_t step, Vector<T> value) {
#pragma clang loop unroll(full)
  for (int i = 0; i < kLanes<T> / piece; ++i) {
    __builtin_memcpy(to + i * step, reinterpret_cast<const T *>(&value) + piece * i, piece * sizeof(T));
  }
}

// Transposes the squares of piece x piece reals that lie in the same piece of `rows`.
template <class T, int half, int... lane>
WARPLOOM_FFT_INLINE void exchange_halves(Vector<T> &a, Vector<T> &b, std::integer_sequence<int, lane...>) {
  constexpr int n = kLanes<T>;
  const Vector<T> low = __builtin_shufflevector(a, b, ((lane & half) == 0 ? lane : n + lane - half)...);
  b = __builtin_shufflevector(a, b, ((lane & half) != 0 ? n + lane : lane + half)...);
  a = low;
}
// The same of four rows of 16 bytes by interleaving, which takes one instruction for each vector.
template <class T, int high, int... lane>
WARPLOOM_FFT_INLINE Vector<T> interleave(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, b, (lane / 4 * 4 + 2 * high + lane % 4 / 2 + lane % 2 * kLanes<T>)...);
}
template <class T, int high, int... lane>
WARPLOOM_FFT_INLINE Vector<T> interleave_pairs(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, b, (lane / 4 * 4 + 2 * high + lane % 2 + lane % 4 / 2 * kLanes<T>)...);
}
template <class T>
WARPLOOM_FFT_INLINE void transpose_four(Vector<T> *rows) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  const Vector<T> a = interleave<T, 0>(rows[0], rows[1], lanes), b = interleave<T, 1>(rows[0], rows[1], lanes);
  const Vector<T> c = interleave<T, 0>(rows[2], rows[3], lanes), d = interleave<T, 1>(rows[2], rows[3], lanes);
  rows[0] = interleave_pairs<T, 0>(a, c, lanes), rows[1] = interleave_pairs<T, 1>(a, c, lanes);
  rows[2] = interleave_pairs<T, 0>(b, d, lanes), rows[3] = interleave_pairs<T, 1>(b, d, lanes);
}
template <class T, int piece, int half = piece / 2>
WARPLOOM_FFT_INLINE void transpose_pieces(Vector<T> (&rows)[piece]) {
  if constexpr (half == 2 && sizeof(T) == 4) {
#pragma clang loop unroll(full)
    for (int row = 0; row < piece; row += 4) transpose_four<T>(rows + row);
  } else if constexpr (half > 0) {
#pragma clang loop unroll(full)
    for (int row = 0; row < piece; ++row) {
      if ((row & half) == 0) {
        exchange_halves<T, half>(rows[row], rows[row + half], std::make_integer_sequence<int, kLanes<T>>());
      }
    }
    transpose_pieces<T, piece, half / 2>(rows);
  }
}
// `piece` reals of each of kLanes rows that lie `step` apart: lane l of columns[k] is real k of row l.
template <class T, int piece>
WARPLOOM_FFT_INLINE void load_rows(const T *from, std::int64_t step, Vector<T> (&columns)[piece]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < piece; ++k) columns[k] = load_pieces<T, piece>(from + k * step, piece * step);
  transpose_pieces<T, piece>(columns);
}
// The same with row value_of_lane(l) in lane l.
template <class T, int piece, int lanes = kLanes<T>>
WARPLOOM_FFT_INLINE auto load_placed_pieces(const T *from, std::int64_t step, int first) {
  if constexpr (lanes == piece) {
    T __attribute__((vector_size(piece * sizeof(T)))) value;
    __builtin_memcpy(&value, from + value_of_lane<T>(first) * step, sizeof value);
    return value;
  } else {
    constexpr int half = lanes / 2;
    return join(load_placed_pieces<T, piece, half>(from, step, first),
                load_placed_pieces<T, piece, half>(from, step, first + half), std::make_integer_sequence<int, lanes>());
  }
}
template <class T, int piece>
WARPLOOM_FFT_INLINE void load_placed_rows(const T *from, std::int64_t step, Vector<T> (&columns)[piece]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < piece; ++k) columns[k] = load_placed_pieces<T, piece>(from, step, k);
  transpose_pieces<T, piece>(columns);
}
template <class T, int piece>
WARPLOOM_FFT_INLINE void store_rows(T *to, std::int64_t step, Vector<T> (&columns)[piece]) {
  transpose_pieces<T, piece>(columns);
#pragma clang loop unroll(full)
  for (int k = 0; k < piece; ++k) store_pieces<T, piece>(to + k * step, piece * step, columns[k]);
}

template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.r + b.r, a.i + b.i};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.r - b.r, a.i - b.i};
}
template <class T, class Root>
WARPLOOM_FFT_INLINE Complex<T> times(Complex<T> a, Root r, Root i) {
  return {a.r * r - a.i * i, a.r * i + a.i * r};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> scaled(Complex<T> a, T factor) {
  return {a.r * factor, a.i * factor};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> turned_by(Complex<T> a, T cosine, T sine) {  // times cosine - i sine
  return times<T>(a, cosine, -sine);
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> plus_i_times(Complex<T> a, Complex<T> b) {  // a + i b
  return {a.r - b.i, a.i + b.r};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> minus_i_times(Complex<T> a, Complex<T> b) {
  return {a.r + b.i, a.i - b.r};
}

template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> operator+(Packed<T, swapped> a, Packed<T, swapped> b) {
  return {a.v + b.v};
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> operator-(Packed<T, swapped> a, Packed<T, swapped> b) {
  return {a.v - b.v};
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> scaled(Packed<T, swapped> a, T factor) {
  return {a.v * factor};
}
template <class T, int... lane>
WARPLOOM_FFT_INLINE Vector<T> neighbours(Vector<T> a, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, a, (lane ^ 1)...);
}
template <class T, int... lane>
WARPLOOM_FFT_INLINE Vector<T> alternating(T value, std::integer_sequence<int, lane...>) {  // value, -value, ...
  return Vector<T>{(lane % 2 == 0 ? value : -value)...};
}
// a - i factor b: one exchange of neighbours and one operation, as multiplying by 1 and adding is one.
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> minus_i_times(Packed<T, swapped> a, Packed<T, swapped> b, T factor = 1) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  return {a.v + neighbours<T>(b.v, lanes) * alternating<T>(swapped ? -factor : factor, lanes)};
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> plus_i_times(Packed<T, swapped> a, Packed<T, swapped> b) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  return {a.v - neighbours<T>(b.v, lanes) * alternating<T>(swapped ? T(-1) : T(1), lanes)};
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Packed<T, swapped> turned_by(Packed<T, swapped> a, T cosine, T sine) {
  return minus_i_times<T, swapped>(scaled(a, cosine), a, sine);
}

// Of pairs of numbers, of each the first or the second: where they are floats those of b come between those of a, where
// they are doubles after them, which takes one shuffle. And back: the pairs of a or those of b.
template <class T, int which, int... lane>
WARPLOOM_FFT_INLINE Vector<T> every_second(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) {
  constexpr int half = sizeof(T) == 4 ? 2 : kLanes<T> / 2;
  return __builtin_shufflevector(
      a, b,
      (sizeof(T) == 4 ? lane / 4 * 4 + 2 * which + lane % 2 + (lane % 4 >= half ? kLanes<T> : 0)
                      : lane % half / 2 * 4 + 2 * which + lane % 2 + (lane >= half ? kLanes<T> : 0))...);
}
template <class T, int which, int... lane>
WARPLOOM_FFT_INLINE Vector<T> both(Vector<T> first, Vector<T> second, std::integer_sequence<int, lane...>) {
  constexpr int half = kLanes<T> / 2;
  return __builtin_shufflevector(first, second,
                                 (lane % 2 + lane % 4 / 2 * kLanes<T> +
                                  (sizeof(T) == 4 ? lane / 4 * 4 + 2 * which : which * half + lane / 4 * 2))...);
}

// As many vectors as one has lanes, of half as many numbers: those that are k-th come to lanes[k], number
// value_of_lane(l) in lane l.
template <class T, int first, int... lane>
WARPLOOM_FFT_INLINE Vector<T> alternate(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) {
  constexpr int piece = 16 / sizeof(T), half = piece / 2;  // from a piece of each its numbers first, first + 2, ...
  return __builtin_shufflevector(
      a, b, (lane / piece * piece + first + lane % half * 2 + (lane % piece >= half ? kLanes<T> : 0))...);
}
// Pieces of 16 bytes: first those of a, then those of b, of each every `step`-th from `first` on.
template <class T, int first, int step, int... lane>
WARPLOOM_FFT_INLINE Vector<T> choose(Vector<T> a, Vector<T> b, std::integer_sequence<int, lane...>) {
  constexpr int piece = 16 / sizeof(T), half = kLanes<T> / 2;
  return __builtin_shufflevector(
      a, b, ((first + lane % half / piece * step) * piece + lane % piece + (lane >= half ? kLanes<T> : 0))...);
}
template <class T>
WARPLOOM_FFT_INLINE void transpose_whole_pieces(Vector<T> *rows, std::int64_t apart) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  Vector<T> &a = rows[0], &b = rows[apart];
  if constexpr (WARPLOOM_FFT_BYTES == 32) {
    const Vector<T> low = choose<T, 0, 1>(a, b, lanes);
    b = choose<T, 1, 1>(a, b, lanes);
    a = low;
  } else if constexpr (WARPLOOM_FFT_BYTES == 64) {
    Vector<T> &c = rows[2 * apart], &d = rows[3 * apart];
    const Vector<T> e = choose<T, 0, 1>(a, b, lanes), f = choose<T, 0, 1>(c, d, lanes);
    const Vector<T> g = choose<T, 2, 1>(a, b, lanes), h = choose<T, 2, 1>(c, d, lanes);
    a = choose<T, 0, 2>(e, f, lanes), b = choose<T, 1, 2>(e, f, lanes);
    c = choose<T, 0, 2>(g, h, lanes), d = choose<T, 1, 2>(g, h, lanes);
  }
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE void packed_to_lanes(const Packed<T, swapped> *a, Complex<T> (&lanes)[kLanes<T> / 2]) {
  constexpr auto all = std::make_integer_sequence<int, kLanes<T>>();
  constexpr int pieces = WARPLOOM_FFT_BYTES / 16, half = kLanes<T> / 2, in_piece = 8 / sizeof(T);
  // In a piece there are `in_piece` numbers.
  Vector<T> r[half], i[half];
#pragma clang loop unroll(full)
  for (int piece = 0; piece < pieces; ++piece) {
    if constexpr (sizeof(T) == 8) {
      const Vector<T> low = a[piece].v, high = a[piece + half].v;
      r[piece] = alternate<T, swapped>(low, high, all), i[piece] = alternate<T, !swapped>(low, high, all);
    } else {
      const Vector<T> low = a[2 * piece].v, next = a[2 * piece + 1].v;
      const Vector<T> high = a[2 * piece + half].v, last = a[2 * piece + 1 + half].v;
      const Vector<T> r0 = alternate<T, swapped>(low, next, all), r1 = alternate<T, swapped>(high, last, all);
      const Vector<T> i0 = alternate<T, !swapped>(low, next, all), i1 = alternate<T, !swapped>(high, last, all);
      r[2 * piece] = alternate<T, 0>(r0, r1, all), r[2 * piece + 1] = alternate<T, 1>(r0, r1, all);
      i[2 * piece] = alternate<T, 0>(i0, i1, all), i[2 * piece + 1] = alternate<T, 1>(i0, i1, all);
    }
  }
#pragma clang loop unroll(full)
  for (int t = 0; t < in_piece; ++t) {
    transpose_whole_pieces<T>(r + t, in_piece), transpose_whole_pieces<T>(i + t, in_piece);
  }
#pragma clang loop unroll(full)
  for (int k = 0; k < half; ++k) lanes[k] = {r[k], i[k]};
}

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of complex numbers, real and imaginary parts apart. Included by a file that says how long vectors are
// (WARPLOOM_FFT_BYTES) and in which namespace this code is (WARPLOOM_FFT_LEVEL), since each kind of processor has its
// own.
#pragma once

#include <cstdint>
#include <utility>

#define WARPLOOM_FFT_INLINE __attribute__((always_inline)) inline

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

template <class T>
constexpr int kLanes = WARPLOOM_FFT_BYTES / static_cast<int>(sizeof(T));
template <class T>
using Vector = T __attribute__((vector_size(WARPLOOM_FFT_BYTES)));

template <class T>
struct Complex {  // `kLanes` of them
  Vector<T> r, i;
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

template <class T, int... lane>
WARPLOOM_FFT_INLINE Complex<T> deinterleave(Vector<T> low, Vector<T> high, std::integer_sequence<int, lane...>) {
  return {__builtin_shufflevector(low, high, (2 * lane)...), __builtin_shufflevector(low, high, (2 * lane + 1)...)};
}
template <class T, int start, int... lane>
WARPLOOM_FFT_INLINE Vector<T> interleave(Vector<T> r, Vector<T> i, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(r, i, (start + lane / 2 + lane % 2 * kLanes<T>)...);
}

// Complex numbers that lie side by side, as C has them; `swapped`: imaginary part first.
template <class T, bool swapped>
WARPLOOM_FFT_INLINE Complex<T> load_pairs(const T *from) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  const Complex<T> z = deinterleave<T>(load(from), load(from + kLanes<T>), lanes);
  return swapped ? Complex<T>{z.i, z.r} : z;
}
template <class T, bool swapped>
WARPLOOM_FFT_INLINE void store_pairs(T *to, Complex<T> z) {
  constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
  if (swapped) std::swap(z.r, z.i);
  store(to, interleave<T, 0>(z.r, z.i, lanes));
  store(to + kLanes<T>, interleave<T, kLanes<T> / 2>(z.r, z.i, lanes));
}

// Pieces of 16 bytes, `step` reals apart, side by side in a vector: what comes from memory that way needs no shuffle.
template <class T>
constexpr int kPiece = 16 / static_cast<int>(sizeof(T));
template <class T, int lanes = kLanes<T>>
WARPLOOM_FFT_INLINE auto load_pieces(const T *from, std::int64_t step) {
  if constexpr (lanes == kPiece<T>) {
    T __attribute__((vector_size(16))) value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  } else {
    constexpr auto join = []<int... lane>(auto low, auto high, std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(low, high, lane...);
    };
    constexpr int half = lanes / 2;
    return join(load_pieces<T, half>(from, step), load_pieces<T, half>(from + half / kPiece<T> * step, step),
                std::make_integer_sequence<int, lanes>());
  }
}
template <class T>
WARPLOOM_FFT_INLINE void store_pieces(T *to, std::int64_t step, Vector<T> value) {
#pragma clang loop unroll(full)
  for (int piece = 0; piece < kLanes<T> / kPiece<T>; ++piece) {
    __builtin_memcpy(to + piece * step, reinterpret_cast<const char *>(&value) + 16 * piece, 16);
  }
}

// Transposes the squares of kPiece x kPiece reals that lie in the same piece of `rows`.
template <class T, int half, int... lane>
WARPLOOM_FFT_INLINE void exchange_halves(Vector<T> &a, Vector<T> &b, std::integer_sequence<int, lane...>) {
  constexpr int n = kLanes<T>;
  const Vector<T> low = __builtin_shufflevector(a, b, ((lane & half) == 0 ? lane : n + lane - half)...);
  b = __builtin_shufflevector(a, b, ((lane & half) != 0 ? n + lane : lane + half)...);
  a = low;
}
template <class T, int half = kPiece<T> / 2>
WARPLOOM_FFT_INLINE void transpose_pieces(Vector<T> (&rows)[kPiece<T>]) {
  if constexpr (half > 0) {
#pragma clang loop unroll(full)
    for (int row = 0; row < kPiece<T>; ++row) {
      if ((row & half) == 0) {
        exchange_halves<T, half>(rows[row], rows[row + half], std::make_integer_sequence<int, kLanes<T>>());
      }
    }
    transpose_pieces<T, half / 2>(rows);
  }
}
// kPiece reals of each of kLanes rows that lie `step` apart: lane l of columns[k] is real k of row l.
template <class T>
WARPLOOM_FFT_INLINE void load_rows(const T *from, std::int64_t step, Vector<T> (&columns)[kPiece<T>]) {
#pragma clang loop unroll(full)
  for (int k = 0; k < kPiece<T>; ++k) columns[k] = load_pieces<T>(from + k * step, kPiece<T> * step);
  transpose_pieces<T>(columns);
}
template <class T>
WARPLOOM_FFT_INLINE void store_rows(T *to, std::int64_t step, Vector<T> (&columns)[kPiece<T>]) {
  transpose_pieces<T>(columns);
#pragma clang loop unroll(full)
  for (int k = 0; k < kPiece<T>; ++k) store_pieces<T>(to + k * step, kPiece<T> * step, columns[k]);
}

template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.r + b.r, a.i + b.i};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.r - b.r, a.i - b.i};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> times(Complex<T> a, T r, T i) {
  return {a.r * r - a.i * i, a.r * i + a.i * r};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.r * b.r - a.i * b.i, a.r * b.i + a.i * b.r};
}
template <class T>
WARPLOOM_FFT_INLINE Complex<T> times_minus_i(Complex<T> a) {
  return {a.i, -a.r};
}

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

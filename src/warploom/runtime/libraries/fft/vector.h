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
#ifdef __aarch64__
constexpr int kRegisters = 32;  // that hold vectors
#else
constexpr int kRegisters = WARPLOOM_FFT_BYTES == 64 ? 32 : 16;
#endif
template <class T>
constexpr std::int64_t kLine = 64 / sizeof(T);  // of a cache
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

template <class Half, int... lane>
WARPLOOM_FFT_INLINE auto join(Half low, Half high, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(low, high, lane...);
}
// Pieces of up to 32 bytes, `step` reals apart, side by side in a vector: what comes from memory that way needs no
// shuffle, and the store unit takes as long for less.
template <class T>
constexpr int kPiece = (WARPLOOM_FFT_BYTES < 32 ? WARPLOOM_FFT_BYTES : 32) / static_cast<int>(sizeof(T));
template <class T>
WARPLOOM_FFT_INLINE Vector<T> load_pieces(const T *from, std::int64_t step) {
  if constexpr (kLanes<T> == kPiece<T>) {
    return load(from);
  } else {
    static_assert(kLanes<T> == 2 * kPiece<T>);
    T __attribute__((vector_size(32))) low, high;
    __builtin_memcpy(&low, from, sizeof low);
    __builtin_memcpy(&high, from + step, sizeof high);
    return join(low, high, std::make_integer_sequence<int, kLanes<T>>());
  }
}
template <class T>
WARPLOOM_FFT_INLINE void store_pieces(T *to, std::int64_t step, Vector<T> value) {
#pragma clang loop unroll(full)
  for (int piece = 0; piece < kLanes<T> / kPiece<T>; ++piece) {
    constexpr int bytes = kPiece<T> * sizeof(T);
    __builtin_memcpy(to + piece * step, reinterpret_cast<const char *>(&value) + bytes * piece, bytes);
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

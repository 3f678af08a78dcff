// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of a few values in registers.
#pragma once

#include "vector.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

// cos(2 pi k / n) and sin(2 pi k / n) by their series, for constants of the code.
constexpr long double series(int k, int n, int first) {
  const long double x = 6.283185307179586476925286766559L * (2 * k > n ? k - n : k) / n;
  long double term = first == 0 ? 1.0L : x, sum = term;
  for (int i = first + 1; i < 48; i += 2) sum += term *= -x * x / (i * (i + 1.0L));
  return sum;
}
template <class T, int n>
struct Roots {
  T cosine[n], sine[n];
  constexpr Roots() : cosine(), sine() {
    for (int k = 0; k < n; ++k) cosine[k] = series(k, n, 0), sine[k] = series(k, n, 1);
  }
};
template <class T, int n>
inline constexpr Roots<T, n> kRoots{};

template <class T, int n>
WARPLOOM_FFT_INLINE Complex<T> turned(Complex<T> a, int k) {  // by exp(-2 pi i k / n)
  return times<T>(a, kRoots<T, n>.cosine[k % n], -kRoots<T, n>.sine[k % n]);
}

// The sums of values that lie symmetrically take the cosines, their differences the sines.
template <class T, int n>
struct Butterfly {
  static WARPLOOM_FFT_INLINE void run(Complex<T> (&a)[n]) {
    constexpr int half = n / 2;
    Complex<T> sum[half + 1], difference[half + 1], first = a[0];
#pragma clang loop unroll(full)
    for (int k = 1; k <= half; ++k) {
      sum[k] = a[k] + a[n - k];
      difference[k] = a[k] - a[n - k];
      first = first + sum[k];
    }
#pragma clang loop unroll(full)
    for (int j = 1; j <= half; ++j) {
      Complex<T> even = a[0], odd{};
#pragma clang loop unroll(full)
      for (int k = 1; k <= half; ++k) {
        const T c = kRoots<T, n>.cosine[j * k % n], s = kRoots<T, n>.sine[j * k % n];
        even = {even.r + sum[k].r * c, even.i + sum[k].i * c};
        odd = k == 1 ? Complex<T>{difference[k].r * s, difference[k].i * s}
                     : Complex<T>{odd.r + difference[k].r * s, odd.i + difference[k].i * s};
      }
      a[j] = {even.r + odd.i, even.i - odd.r};
      a[n - j] = {even.r - odd.i, even.i + odd.r};
    }
    a[0] = first;
  }
};

template <class T>
struct Butterfly<T, 2> {
  static WARPLOOM_FFT_INLINE void run(Complex<T> (&a)[2]) {
    const Complex<T> b = a[1];
    a[1] = a[0] - b;
    a[0] = a[0] + b;
  }
};

template <class T>
struct Butterfly<T, 4> {
  static WARPLOOM_FFT_INLINE void run(Complex<T> (&a)[4]) {
    const Complex<T> s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], e = times_minus_i<T>(a[1] - a[3]);
    a[0] = s + t;
    a[1] = d + e;
    a[2] = s - t;
    a[3] = d - e;
  }
};

// n = first * second: columns, roots, rows.
template <class T, int first, int second>
struct ButterflyOfTwo {
  static WARPLOOM_FFT_INLINE void run(Complex<T> (&a)[first * second]) {
    constexpr int n = first * second;
    Complex<T> between[second][first];
#pragma clang loop unroll(full)
    for (int column = 0; column < second; ++column) {
      Complex<T> x[first];
#pragma clang loop unroll(full)
      for (int k = 0; k < first; ++k) x[k] = a[column + second * k];
      Butterfly<T, first>::run(x);
#pragma clang loop unroll(full)
      for (int k = 0; k < first; ++k) {
        const int turn = column * k;
        between[column][k] = turn == 0 ? x[k] : turned<T, n>(x[k], turn);
      }
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < first; ++k) {
      Complex<T> x[second];
#pragma clang loop unroll(full)
      for (int column = 0; column < second; ++column) x[column] = between[column][k];
      Butterfly<T, second>::run(x);
#pragma clang loop unroll(full)
      for (int j = 0; j < second; ++j) a[k + first * j] = x[j];
    }
  }
};

// a + b and a - b.
template <class T>
WARPLOOM_FFT_INLINE void add(Complex<T> &a, Complex<T> &b) {
  const Complex<T> sum = a + b;
  b = a - b;
  a = sum;
}
// The odd results of eight values, of the differences of values 0 and 4, 1 and 5, ...
template <class T>
WARPLOOM_FFT_INLINE void finish_odd(Complex<T> (&a)[4]) {
  constexpr T half_root = static_cast<T>(0.70710678118654752440L);
  a[1] = {(a[1].r + a[1].i) * half_root, (a[1].i - a[1].r) * half_root};
  a[2] = times_minus_i<T>(a[2]);
  a[3] = {(a[3].i - a[3].r) * half_root, (a[3].r + a[3].i) * -half_root};
  Butterfly<T, 4>::run(a);
}

template <class T>
struct Butterfly<T, 8> {
  static WARPLOOM_FFT_INLINE void run(Complex<T> (&a)[8]) {
    Complex<T> even[4], odd[4];
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) {
      even[k] = a[k], odd[k] = a[k + 4];
      add<T>(even[k], odd[k]);
    }
    Butterfly<T, 4>::run(even);
    finish_odd<T>(odd);
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) a[2 * k] = even[k], a[2 * k + 1] = odd[k];
  }
};
template <class T>
struct Butterfly<T, 6> : ButterflyOfTwo<T, 3, 2> {};
template <class T>
struct Butterfly<T, 9> : ButterflyOfTwo<T, 3, 3> {};
template <class T>
struct Butterfly<T, 10> : ButterflyOfTwo<T, 5, 2> {};
template <class T>
struct Butterfly<T, 12> : ButterflyOfTwo<T, 3, 4> {};
template <class T>
struct Butterfly<T, 14> : ButterflyOfTwo<T, 7, 2> {};
template <class T>
struct Butterfly<T, 15> : ButterflyOfTwo<T, 5, 3> {};
template <class T>
struct Butterfly<T, 16> : ButterflyOfTwo<T, 4, 4> {};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

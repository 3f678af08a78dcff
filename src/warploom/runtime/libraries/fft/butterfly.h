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

// The code below is for vectors of complex numbers of either form.
template <class C, int n>
WARPLOOM_FFT_INLINE C turned(C a, int k) {  // by exp(-2 pi i k / n)
  using T = typename C::Real;
  return turned_by(a, kRoots<T, n>.cosine[k % n], kRoots<T, n>.sine[k % n]);
}

// The sums of values that lie symmetrically take the cosines, their differences the sines.
template <class C, int n>
struct Butterfly {
  using T = typename C::Real;
  static WARPLOOM_FFT_INLINE void run(C (&a)[n]) {
    constexpr int half = n / 2;
    C sum[half + 1], difference[half + 1], first = a[0];
#pragma clang loop unroll(full)
    for (int k = 1; k <= half; ++k) {
      sum[k] = a[k] + a[n - k];
      difference[k] = a[k] - a[n - k];
      first = first + sum[k];
    }
#pragma clang loop unroll(full)
    for (int j = 1; j <= half; ++j) {
      C even = a[0], odd{};
#pragma clang loop unroll(full)
      for (int k = 1; k <= half; ++k) {
        const C s = scaled(difference[k], kRoots<T, n>.sine[j * k % n]);
        even = even + scaled(sum[k], kRoots<T, n>.cosine[j * k % n]);
        odd = k == 1 ? s : odd + s;
      }
      a[j] = minus_i_times(even, odd);
      a[n - j] = plus_i_times(even, odd);
    }
    a[0] = first;
  }
};

template <class C>
struct Butterfly<C, 2> {
  static WARPLOOM_FFT_INLINE void run(C (&a)[2]) {
    const C b = a[1];
    a[1] = a[0] - b;
    a[0] = a[0] + b;
  }
};

template <class C>
struct Butterfly<C, 4> {
  static WARPLOOM_FFT_INLINE void run(C (&a)[4]) { finish(a, a[0] + a[2], a[0] - a[2]); }
  // From a[0] + a[2], a[0] - a[2], a[1] and a[3].
  static WARPLOOM_FFT_INLINE void finish(C (&a)[4], C s, C d) {
    const C t = a[1] + a[3], e = a[1] - a[3];
    a[0] = s + t;
    a[1] = minus_i_times(d, e);
    a[2] = s - t;
    a[3] = plus_i_times(d, e);
  }
};

// n = first * second without a common factor: a matrix whose columns and rows are transformed, without roots (Good's
// and Thomas's algorithm).
template <class C, int first, int second>
struct ButterflyOfCoprimes {
  static constexpr int n = first * second;
  // The number below n that leaves `column` divided by `first` and `row` divided by `second`.
  static constexpr int place(int column, int row) {
    int k = column;
    while (k % second != row) k += first;
    return k;
  }
  static WARPLOOM_FFT_INLINE void run(C (&a)[n]) {
    C between[second][first];
#pragma clang loop unroll(full)
    for (int row = 0; row < second; ++row) {
#pragma clang loop unroll(full)
      for (int k = 0; k < first; ++k) between[row][k] = a[(second * k + first * row) % n];
      Butterfly<C, first>::run(between[row]);
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < first; ++k) {
      C x[second];
#pragma clang loop unroll(full)
      for (int row = 0; row < second; ++row) x[row] = between[row][k];
      Butterfly<C, second>::run(x);
#pragma clang loop unroll(full)
      for (int j = 0; j < second; ++j) a[place(k, j)] = x[j];
    }
  }
};

// n = first * second: columns, roots, rows.
template <class C, int first, int second>
struct ButterflyOfTwo {
  static WARPLOOM_FFT_INLINE void run(C (&a)[first * second]) {
    constexpr int n = first * second;
    C between[second][first];
#pragma clang loop unroll(full)
    for (int column = 0; column < second; ++column) {
      C x[first];
#pragma clang loop unroll(full)
      for (int k = 0; k < first; ++k) x[k] = a[column + second * k];
      Butterfly<C, first>::run(x);
#pragma clang loop unroll(full)
      for (int k = 0; k < first; ++k) {
        const int turn = column * k;
        between[column][k] = turn == 0 ? x[k] : turned<C, n>(x[k], turn);
      }
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < first; ++k) {
      C x[second];
#pragma clang loop unroll(full)
      for (int column = 0; column < second; ++column) x[column] = between[column][k];
      Butterfly<C, second>::run(x);
#pragma clang loop unroll(full)
      for (int j = 0; j < second; ++j) a[k + first * j] = x[j];
    }
  }
};

// a + b and a - b.
template <class C>
WARPLOOM_FFT_INLINE void add(C &a, C &b) {
  const C sum = a + b;
  b = a - b;
  a = sum;
}
// The odd results of eight values, of the differences of values 0 and 4, 1 and 5, ...
template <class C>
WARPLOOM_FFT_INLINE void finish_odd(C (&a)[4]) {
  constexpr auto half_root = static_cast<typename C::Real>(0.70710678118654752440L);
  a[1] = scaled(minus_i_times(a[1], a[1]), half_root);
  a[3] = scaled(plus_i_times(a[3], a[3]), -half_root);
  Butterfly<C, 4>::finish(a, minus_i_times(a[0], a[2]), plus_i_times(a[0], a[2]));
}

template <class C>
struct Butterfly<C, 8> {
  static WARPLOOM_FFT_INLINE void run(C (&a)[8]) {
    C even[4], odd[4];
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) {
      even[k] = a[k], odd[k] = a[k + 4];
      add(even[k], odd[k]);
    }
    Butterfly<C, 4>::run(even);
    finish_odd(odd);
#pragma clang loop unroll(full)
    for (int k = 0; k < 4; ++k) a[2 * k] = even[k], a[2 * k + 1] = odd[k];
  }
};
template <class C>
struct Butterfly<C, 6> : ButterflyOfCoprimes<C, 3, 2> {};
template <class C>
struct Butterfly<C, 9> : ButterflyOfTwo<C, 3, 3> {};
template <class C>
struct Butterfly<C, 10> : ButterflyOfCoprimes<C, 5, 2> {};
template <class C>
struct Butterfly<C, 12> : ButterflyOfCoprimes<C, 3, 4> {};
template <class C>
struct Butterfly<C, 14> : ButterflyOfCoprimes<C, 7, 2> {};
template <class C>
struct Butterfly<C, 15> : ButterflyOfCoprimes<C, 5, 3> {};
template <class C>
struct Butterfly<C, 16> : ButterflyOfTwo<C, 4, 4> {};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

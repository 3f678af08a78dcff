// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A real transform of even length n as a complex one of length h = n / 2, of x[2 j] + i x[2 j + 1]. With
//
//     e = (Z[k] + conj Z[h - k]) / 2,   o = -i w_n^k (Z[k] - conj Z[h - k]) / 2:
//
// X[k] = e + o and X[h - k] = conj(e - o), and back Z[k] = e' + i o' without the halves, as nothing is scaled.
#pragma once

#include "single.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

// w_n^k for k in 0..n / 4 + 1, pairs of reals.
template <class T>
std::vector<T> quarter_roots(std::int64_t n) {
  std::vector<T> roots;
  for (std::int64_t k = 0; k <= n / 4; ++k) {
    double c, s;
    root_of_unity(k, n, c, s);
    roots.push_back(static_cast<T>(c));
    roots.push_back(static_cast<T>(s));
  }
  return roots;
}

// V: numbers or vectors of them; z: pairs (r, i). X[k] and X[h - k] from Z[k] and Z[h - k].
template <class T, class V>
WARPLOOM_FFT_INLINE void split(V &r, V &i, V &other_r, V &other_i, T c, T s) {
  const V er = (r + other_r) * T(0.5), ei = (i - other_i) * T(0.5);
  const V dr = (r - other_r) * T(0.5), di = (i + other_i) * T(0.5);
  const V tr = dr * s + di * c, ti = di * s - dr * c;  // -i (c + i s) d
  r = er + tr, i = ei + ti;
  other_r = er - tr, other_i = ti - ei;
}
template <class T, class V>
WARPLOOM_FFT_INLINE void join(V &r, V &i, V &other_r, V &other_i, T c, T s) {
  const V er = r + other_r, ei = i - other_i, dr = r - other_r, di = i + other_i;
  const V tr = dr * s - di * c, ti = dr * c + di * s;  // i (c - i s) d
  r = er + tr, i = ei + ti;
  other_r = er - tr, other_i = ti - ei;
}

// X from Z within a lane buffer of h + 1 values, and back.
template <class T>
void split_lanes(LaneBuffer<T> a, std::int64_t h, const T *roots) {
  const Complex<T> z = a.get(0);
  a.put(0, {z.r + z.i, Vector<T>{}});
  a.put(h, {z.r - z.i, Vector<T>{}});
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    Complex<T> low = a.get(k), high = a.get(h - k);
    split<T>(low.r, low.i, high.r, high.i, roots[2 * k], roots[2 * k + 1]);
    a.put(h - k, high);
    a.put(k, low);
  }
}
template <class T>
void join_lanes(LaneBuffer<T> a, std::int64_t h, const T *roots) {
  const Vector<T> first = a.get(0).r, last = a.get(h).r;
  a.put(0, {first + last, first - last});
  for (std::int64_t k = 1; 2 * k <= h; ++k) {
    Complex<T> low = a.get(k), high = a.get(h - k);
    join<T>(low.r, low.i, high.r, high.i, roots[2 * k], roots[2 * k + 1]);
    a.put(h - k, high);
    a.put(k, low);
  }
}

// The same for values that lie side by side: some of them from both ends at once, in the order of their end.
template <class T, int... lane>
WARPLOOM_FFT_INLINE Vector<T> backwards(Vector<T> a, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, a, (kLanes<T> - 2 - lane + 2 * (lane % 2))...);
}
template <class T, int which, int... lane>
WARPLOOM_FFT_INLINE Vector<T> twice(Vector<T> a, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(a, a, (lane - lane % 2 + which)...);
}
// e + o and conj(e - o), or e' + i o' and conj(e' - i o'), of kLanes / 2 values at `low` and of as many at `high`.
template <class T, bool is_back>
WARPLOOM_FFT_INLINE void exchange_ends(const T *low, const T *high, const T *roots, T *to_low, T *to_high) {
  constexpr auto all = std::make_integer_sequence<int, kLanes<T>>();
  constexpr T half = is_back ? T(1) : T(0.5);
  const Vector<T> a = load(low) * half, b = backwards<T>(load(high), all) * alternating<T>(half, all),
                  root = load(roots);
  const Vector<T> e = a + b, d = a - b;
  const Vector<T> turned = neighbours<T>(d, all) * alternating<T>(is_back ? T(-1) : T(1), all);
  const Vector<T> o = d * twice<T, 1>(root, all) + turned * twice<T, 0>(root, all);
  store<T>(to_high, backwards<T>((e - o) * alternating<T>(T(1), all), all));
  store<T>(to_low, e + o);
}
// The same for all k from 1 on that can be taken together; the first that is left.
template <class T, bool is_back>
std::int64_t exchange_ends(const T *from, T *to, std::int64_t h, const T *roots) {
  constexpr std::int64_t together = kLanes<T> / 2;
  std::int64_t k = 1;
  for (; 2 * (k + together - 1) < h; k += together) {
    const std::int64_t low = 2 * k, high = 2 * (h - k - together + 1);
    exchange_ends<T, is_back>(from + low, from + high, roots + low, to + low, to + high);
  }
  return k;
}
template <class T>
void split_single(T *z, std::int64_t h, const T *roots) {
  const T r = z[0], i = z[1];
  z[0] = r + i, z[1] = 0, z[2 * h] = r - i, z[2 * h + 1] = 0;
  for (std::int64_t k = exchange_ends<T, false>(z, z, h, roots); 2 * k <= h; ++k) {
    T *const low = z + 2 * k, *const high = z + 2 * (h - k);
    T a = low[0], b = low[1], c = high[0], d = high[1];
    split<T>(a, b, c, d, roots[2 * k], roots[2 * k + 1]);
    high[0] = c, high[1] = d;
    low[0] = a, low[1] = b;
  }
}
template <class T>
void join_single(const T *x, T *z, std::int64_t h, const T *roots) {
  const T first = x[0], last = x[2 * h];
  z[0] = first + last, z[1] = first - last;
  for (std::int64_t k = exchange_ends<T, true>(x, z, h, roots); 2 * k <= h; ++k) {
    T a = x[2 * k], b = x[2 * k + 1], c = x[2 * (h - k)], d = x[2 * (h - k) + 1];
    join<T>(a, b, c, d, roots[2 * k], roots[2 * k + 1]);
    z[2 * (h - k)] = c, z[2 * (h - k) + 1] = d;
    z[2 * k] = a, z[2 * k + 1] = b;
  }
}

// A long real transform of even length whose values lie side by side.
template <class T>
class RealSinglePlan {
 public:
  explicit RealSinglePlan(std::int64_t n)
      : half_(n / 2), complex_(half_), roots_(quarter_roots<T>(n)), workspaces_(2 * half_ * sizeof(T)) {}

  static bool serves(std::int64_t n) { return n % 2 == 0 && SinglePlan<T>::serves(n / 2); }

  void forward(const T *in, T *out, const Spread &spread) const {
    complex_.template run<false>(in, out, spread);
    split_single(out, half_, roots_.data());
  }
  // The same on this thread alone; `joined` has room for half the length.
  void forward_alone(const T *in, T *out, const typename SinglePlan<T>::Memory &memory) const {
    complex_.template run_many<false>({in, 0, out, 0, 1}, memory);
    split_single(out, half_, roots_.data());
  }
  void backward_alone(const T *in, T *out, const typename SinglePlan<T>::Memory &memory, T *joined) const {
    join_single(in, joined, half_, roots_.data());
    complex_.template run_many<true>({joined, 0, out, 0, 1}, memory);
  }
  const SinglePlan<T> &complex() const { return complex_; }
  Workspaces &workspaces() const { return workspaces_; }
  void backward(const T *in, T *out, const Spread &spread) const {
    const Workspaces::Lease workspace(workspaces_);
    T *const z = workspace.as<T>();
    join_single(in, z, half_, roots_.data());
    complex_.template run<true>(z, out, spread);
  }

 private:
  std::int64_t half_;
  SinglePlan<T> complex_;
  std::vector<T> roots_;
  mutable Workspaces workspaces_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

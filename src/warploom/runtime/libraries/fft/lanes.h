// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform of length n on each lane of vectors, by Stockham's algorithm: no value is ever out of order at the end.
//
// A pass of radix R, after passes whose radices multiply to s, with m = n / (s R) left:
//
//     for p in 0..m, q in 0..s:  a[k] = x[q + s (p + m k)];  a = DFT(a);  y[q + s (R p + j)] = a[j] w^(p j),  w = root
//     R m
//
// The last pass has m = 1 and no roots. The first one can read, and the last one write, what is not a lane buffer.
// A length with a large prime factor becomes a convolution of a length without (Bluestein's algorithm).
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "butterfly.h"
#include "engine.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

constexpr std::int64_t kLargestRadix = 13;

// Value e of a lane buffer: kLanes real parts, then as many imaginary ones.
template <class T>
struct LaneBuffer {
  T *at;
  static constexpr std::int64_t kStep = 2 * kLanes<T>;
  WARPLOOM_FFT_INLINE Complex<T> get(std::int64_t e) const {
    const T *from = at + e * kStep;
    return {load(from), load(from + kLanes<T>)};
  }
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const {
    store(at + e * kStep, z.r);
    store(at + e * kStep + kLanes<T>, z.i);
  }
};
// Each lane has a row of memory of its own, the next one `apart` reals further. Two neighbours may come at once: fewer
// instructions, but more places of memory before the first value is done with, which takes longer if all come from
// afar.
template <class T, bool swapped, bool are_near>
struct Rows {
  static constexpr int kMostTogether = are_near && WARPLOOM_FFT_BYTES >= 4 * sizeof(T) ? 2 : 1;
  // As many as a butterfly leaves room for, where registers are few.
  static constexpr int together(int radix) {
    return kRegisters >= 32 || 2 * radix * kMostTogether < kRegisters ? kMostTogether : 1;
  }
  T *at;
  std::int64_t apart;
  template <int together>
  WARPLOOM_FFT_INLINE void get(std::int64_t e, Complex<T> (&z)[together]) const {
    Vector<T> parts[2 * together];
    load_rows<T, 2 * together>(at + 2 * e, apart, parts);
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) z[t] = {parts[2 * t + swapped], parts[2 * t + !swapped]};
  }
  template <int together>
  WARPLOOM_FFT_INLINE void put(std::int64_t e, const Complex<T> (&z)[together]) const {
    Vector<T> parts[2 * together];
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) parts[2 * t + swapped] = z[t].r, parts[2 * t + !swapped] = z[t].i;
    store_rows<T, 2 * together>(at + 2 * e, apart, parts);
  }
};
// Value e of each lane lies beside that of the next lane, `step` reals after value e - 1.
template <class T, bool swapped>
struct Columns {
  T *at;
  std::int64_t step;
  WARPLOOM_FFT_INLINE Complex<T> get(std::int64_t e) const { return load_pairs<T, swapped>(at + e * step); }
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const { store_pairs<T, swapped>(at + e * step, z); }
};
// The same with real and imaginary parts `apart`, times a root that lies likewise.
template <class T>
struct TurnedColumns {
  T *at;
  const T *roots;
  std::int64_t step, apart;
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const {
    const T *root = roots + e * step;
    z = z * Complex<T>{load(root), load(root + apart)};
    store(at + e * step, z.r);
    store(at + e * step + apart, z.i);
  }
};

struct Pass {
  int radix;
  std::int64_t left, done;  // m and s
  std::int64_t roots;       // where they begin in the table
};

// A butterfly, and its values times their roots to `to`, `to` + s, ...
template <class T, int radix, bool is_last, class Out>
WARPLOOM_FFT_INLINE void run_butterfly(Complex<T> (&a)[radix], const T *roots, Out out, std::int64_t to,
                                       std::int64_t s) {
  Butterfly<T, radix>::run(a);
  out.put(to, a[0]);
#pragma clang loop unroll(full)
  for (int j = 1; j < radix; ++j) {
    out.put(to + s * j, is_last ? a[j] : times<T>(a[j], roots[2 * j - 2], roots[2 * j - 1]));
  }
}

template <class T, int radix, bool is_last, class In, class Out>
__attribute__((noinline)) void run_pass(const Pass &pass, const T *table, In in, Out out) {
  const std::int64_t m = is_last ? 1 : pass.left, s = pass.done;
  for (std::int64_t p = 0; p < m; ++p) {
    const T *const roots = table + pass.roots + p * 2 * (radix - 1);
    for (std::int64_t q = 0; q < s; ++q) {
      Complex<T> a[radix];
#pragma clang loop unroll(full)
      for (int k = 0; k < radix; ++k) a[k] = in.get(q + s * (p + m * k));
      run_butterfly<T, radix, is_last>(a, roots, out, q + s * radix * p, s);
    }
  }
}
// The first pass, several p at once.
template <class T, int radix, bool is_last, bool swapped, bool are_near>
__attribute__((noinline)) void run_pass(const Pass &pass, const T *table, Rows<T, swapped, are_near> in,
                                        LaneBuffer<T> out) {
  constexpr int together = Rows<T, swapped, are_near>::together(radix);
  for (std::int64_t p = 0; p < pass.left; p += together) {
    Complex<T> a[together][radix];
#pragma clang loop unroll(full)
    for (int k = 0; k < radix; ++k) {
      Complex<T> z[together];
      in.get(p + pass.left * k, z);
#pragma clang loop unroll(full)
      for (int t = 0; t < together; ++t) a[t][k] = z[t];
    }
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) {
      run_butterfly<T, radix, is_last>(a[t], table + pass.roots + (p + t) * 2 * (radix - 1), out, radix * (p + t), 1);
    }
  }
}
// The last pass, several q at once.
template <class T, int radix, bool is_last, bool swapped, bool are_near>
__attribute__((noinline)) void run_pass(const Pass &pass, const T *, LaneBuffer<T> in, Rows<T, swapped, are_near> out) {
  constexpr int together = Rows<T, swapped, are_near>::together(radix);
  for (std::int64_t q = 0; q < pass.done; q += together) {
    Complex<T> a[together][radix];
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) {
#pragma clang loop unroll(full)
      for (int k = 0; k < radix; ++k) a[t][k] = in.get(q + t + pass.done * k);
      Butterfly<T, radix>::run(a[t]);
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < radix; ++j) {
      Complex<T> z[together];
#pragma clang loop unroll(full)
      for (int t = 0; t < together; ++t) z[t] = a[t][j];
      out.put(q + pass.done * j, z);
    }
  }
}

// The only pass.
template <class T, int radix, bool is_last, bool swapped, bool are_near>
__attribute__((noinline)) void run_pass(const Pass &, const T *, Rows<T, swapped, are_near> in,
                                        Rows<T, swapped, are_near> out) {
  constexpr int together = radix % 2 == 0 ? Rows<T, swapped, are_near>::together(radix) : 1;
  Complex<T> a[radix];
#pragma clang loop unroll(full)
  for (int k = 0; k < radix; k += together) {
    Complex<T> z[together];
    in.get(k, z);
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) a[k + t] = z[t];
  }
  Butterfly<T, radix>::run(a);
#pragma clang loop unroll(full)
  for (int j = 0; j < radix; j += together) {
    Complex<T> z[together];
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) z[t] = a[j + t];
    out.put(j, z);
  }
}

template <class T, bool is_last, class In, class Out>
void run_pass_of_radix(const Pass &pass, const T *table, In in, Out out) {
  switch (pass.radix) {
#define WARPLOOM_RADIX(R) \
  case R:                 \
    return run_pass<T, R, is_last>(pass, table, in, out);
    WARPLOOM_RADIX(2)
    WARPLOOM_RADIX(3)
    WARPLOOM_RADIX(4)
    WARPLOOM_RADIX(5)
    WARPLOOM_RADIX(7)
    WARPLOOM_RADIX(8)
    WARPLOOM_RADIX(9)
    WARPLOOM_RADIX(11)
    WARPLOOM_RADIX(13)
#undef WARPLOOM_RADIX
    default:
      __builtin_unreachable();
  }
}

// Radices for n, which has no prime factor above kLargestRadix, those of powers of two last. Larger powers mean fewer
// passes, but 8 or 9 values and what is made of them have to fit in the registers, and 16 of them fit nowhere; 8 alone
// take one pass in any case.
inline std::vector<int> radices(std::int64_t n) {
  constexpr bool have_room = kRegisters >= 32;
  std::vector<int> chosen;
  int twos = 0, threes = 0;
  for (const std::int64_t p : prime_factors(n)) {
    if (p == 2) {
      ++twos;
    } else if (p == 3) {
      ++threes;
    } else {
      chosen.push_back(static_cast<int>(p));
    }
  }
  for (; have_room && threes >= 2; threes -= 2) chosen.push_back(9);
  for (; threes > 0; --threes) chosen.push_back(3);
  const bool has_eight = (have_room || n == 8) && twos >= 3 && twos % 2 == 1;
  if (twos % 2 == 1 && !has_eight) chosen.push_back(2);
  for (int left = has_eight ? twos - 3 : twos; left >= 2; left -= 2) chosen.push_back(4);
  if (has_eight) chosen.push_back(8);
  return chosen;
}

// About how long a pass takes for each value.
inline double cost_of_radix(int radix) { return radix == 2 ? 2.5 : radix == 4 ? 3 : 2 + 0.3 * radix; }

inline bool has_large_factor(std::int64_t n) { return n > 1 && prime_factors(n).back() > kLargestRadix; }

// The smallest length >= n that is a power of two, times 1, 3, 5, 7 or 9.
inline std::int64_t convolution_length(std::int64_t n) {
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 7, 9}) {
    std::int64_t length = odd * 16;
    while (length < n) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

// exp(-pi i k^2 / n) for k in 0..n, pairs of reals.
template <class T>
std::vector<T> chirp(std::int64_t n) {
  std::vector<T> values(2 * n);
  std::int64_t square = 0;  // k^2 mod 2 n
  for (std::int64_t k = 0; k < n; ++k) {
    double c, s;
    root_of_unity(square, 2 * n, c, s);
    values[2 * k] = static_cast<T>(c), values[2 * k + 1] = static_cast<T>(s);
    square = (square + 2 * k + 1) % (2 * n);
  }
  return values;
}

template <class T>
class LanesPlan {
 public:
  explicit LanesPlan(std::int64_t n) : n_(n) {
    if (has_large_factor(n)) {
      plan_convolution();
      return;
    }
    std::int64_t done = 1;
    for (const int radix : radices(n)) {
      const std::int64_t left = n / (done * radix);
      passes_.push_back({radix, left, done, static_cast<std::int64_t>(table_.size())});
      for (std::int64_t p = 0; left > 1 && p < left; ++p) {
        for (int j = 1; j < radix; ++j) add_root(table_, p * j, radix * left);
      }
      done *= radix;
    }
  }

  std::int64_t length() const { return n_; }
  // Reals that each of the two buffers of `run` has.
  std::int64_t buffer_size() const { return (inner_ ? inner_->n_ : n_) * LaneBuffer<T>::kStep; }
  // About how long it takes, in butterflies of two values.
  double cost() const {
    if (inner_) return 2 * inner_->cost() + 3.0 * inner_->n_;
    double sum = 0;
    for (const Pass &pass : passes_) sum += cost_of_radix(pass.radix);
    return static_cast<double>(n_) * (sum + 1);
  }

  // `in` may be the buffer `a`. What `out` writes over is read before.
  template <class In, class Out>
  void run(In in, Out out, T *a, T *b) const {
    if (inner_) return convolve(in, out, a, b);
    if (passes_.empty()) return out.put(0, in.get(0));
    if (passes_.size() == 1) return run_pass_of_radix<T, true>(passes_[0], table_.data(), in, out);
    run_passes(in, out, a, b);
  }
  // The same from rows to rows, if they come by whole pieces. Floats come in smaller ones, which takes longer than it
  // saves but in a single pass.
  bool takes_rows() const {
    constexpr int most = Rows<T, false, true>::kMostTogether;
    if (passes_.size() < 2) return passes_.size() == 1;
    return sizeof(T) == 8 && passes_.front().left % most == 0 && passes_.back().done % most == 0;
  }
  template <bool swapped, bool are_near>
  void run_rows(Rows<T, swapped, are_near> in, Rows<T, swapped, are_near> out, T *a, T *b) const {
    if (passes_.size() == 1) return run_pass_of_radix<T, true>(passes_[0], table_.data(), in, out);
    if constexpr (sizeof(T) == 8) run_passes(in, out, a, b);
  }

  // What lies in `a`; the buffer that has the result, `a` or `b`.
  T *run_in_buffers(T *a, T *b) const {
    T *const to = inner_ || passes_.size() % 2 == 0 ? a : b;  // what the last pass does not read
    run(LaneBuffer<T>{a}, LaneBuffer<T>{to}, a, b);
    return to;
  }

 private:
  template <class In, class Out>
  void run_passes(In in, Out out, T *a, T *b) const {
    const Pass *pass = passes_.data(), *last = pass + passes_.size() - 1;
    run_pass_of_radix<T, false>(*pass, table_.data(), in, LaneBuffer<T>{b});
    while (++pass != last) {
      run_pass_of_radix<T, false>(*pass, table_.data(), LaneBuffer<T>{b}, LaneBuffer<T>{a});
      std::swap(a, b);
    }
    run_pass_of_radix<T, true>(*pass, table_.data(), LaneBuffer<T>{b}, out);
  }

  static void add_root(std::vector<T> &table, std::int64_t k, std::int64_t n) {
    double c, s;
    root_of_unity(k % n, n, c, s);
    table.push_back(static_cast<T>(c));
    table.push_back(static_cast<T>(s));
  }

  void plan_convolution() {
    inner_ = std::make_unique<LanesPlan>(convolution_length(2 * n_ - 1));
    table_ = chirp<T>(n_);
    const std::int64_t m = inner_->n_;
    std::vector<T> buffers(2 * inner_->buffer_size());
    LaneBuffer<T> a{buffers.data()}, b{a.at + inner_->buffer_size()};
    for (std::int64_t k = 0; k < n_; ++k) {  // the chirp's conjugate, around 0, divided by m
      const T scale = T(1) / static_cast<T>(m);
      const Complex<T> z{Vector<T>{} + table_[2 * k] * scale, Vector<T>{} - table_[2 * k + 1] * scale};
      a.put(k, z);
      if (k > 0) a.put(m - k, z);
    }
    kernel_.resize(2 * m);
    const LaneBuffer<T> made{inner_->run_in_buffers(a.at, b.at)};
    for (std::int64_t k = 0; k < m; ++k) kernel_[2 * k] = made.get(k).r[0], kernel_[2 * k + 1] = made.get(k).i[0];
  }

  template <class In, class Out>
  void convolve(In in, Out out, T *first, T *second) const {
    const LaneBuffer<T> a{first};
    const std::int64_t m = inner_->n_;
    for (std::int64_t k = 0; k < n_; ++k) a.put(k, times<T>(in.get(k), table_[2 * k], table_[2 * k + 1]));
    for (std::int64_t k = n_; k < m; ++k) a.put(k, {});
    const LaneBuffer<T> there{inner_->run_in_buffers(first, second)};
    for (std::int64_t k = 0; k < m; ++k) {  // its conjugate leads back with a forward transform
      const Complex<T> z = times<T>(there.get(k), kernel_[2 * k], kernel_[2 * k + 1]);
      there.put(k, {z.i, z.r});
    }
    const LaneBuffer<T> back{inner_->run_in_buffers(there.at, there.at == first ? second : first)};
    for (std::int64_t k = 0; k < n_; ++k) {
      const Complex<T> z = back.get(k);
      out.put(k, times<T>({z.i, z.r}, table_[2 * k], table_[2 * k + 1]));
    }
  }

  std::int64_t n_;
  std::vector<Pass> passes_;
  std::vector<T> table_;
  std::unique_ptr<LanesPlan> inner_;  // of the convolution
  std::vector<T> kernel_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

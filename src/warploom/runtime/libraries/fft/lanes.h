// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform of length n on each lane of vectors, by Stockham's algorithm: no value is ever out of order at the end.
//
// A pass of radix R, after passes whose radices multiply to s, with m = n / (s R) left:
//
//     for p in 0..m, q in 0..s:  a[k] = x[q + s (p + m k)] w^(q k);  a = DFT(a);  y[q + s (R p + j)] = a[j],  w = root
//     s R
//
// The first pass has s = 1 and no roots, the last one m = 1. The first one can read, and the last one write, what is
// not a lane buffer. A length with a large prime factor becomes a convolution of a length without (Bluestein's
// algorithm).
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
  WARPLOOM_FFT_INLINE LaneBuffer after(std::int64_t e) const { return {at + e * kStep}; }
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
  WARPLOOM_FFT_INLINE Rows after(std::int64_t e) const { return {at + 2 * e, apart}; }
  WARPLOOM_FFT_INLINE Rows group(std::int64_t g) const { return {at + g * kLanes<T> * apart, apart}; }
  WARPLOOM_FFT_INLINE Complex<T> get(std::int64_t e) const {
    Complex<T> z[1];
    get(e, z);
    return z[0];
  }
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const {
    put(e, reinterpret_cast<const Complex<T>(&)[1]>(z));
  }
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
// Half as many rows, whose numbers stay as they lie in memory: without shuffles, or with one for each where several
// neighbours come at once.
template <class T, bool swapped>
struct PackedRows {
  static constexpr int kTogether = WARPLOOM_FFT_BYTES >= 4 * sizeof(T) ? 2 : 1;
  // Of two vectors of pairs the second one's rows lie so far from the first one's, whose own lie `kStep` rows apart.
  static constexpr int kStep = sizeof(T) == 4 ? 2 : 1, kSecond = sizeof(T) == 4 ? 1 : kLanes<T> / 4;
  static WARPLOOM_FFT_INLINE Packed<T, swapped> get_one(const T *at, std::int64_t apart) {
    return {load_pieces<T, 2>(at, apart)};
  }
  static WARPLOOM_FFT_INLINE void put_one(T *at, std::int64_t apart, Packed<T, swapped> z) {
    store_pieces<T, 2>(at, apart, z.v);
  }
  static WARPLOOM_FFT_INLINE void get(const T *at, std::int64_t apart, Packed<T, swapped> *z) {
    if constexpr (kTogether == 1) {
      *z = get_one(at, apart);
    } else {
      constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
      const Vector<T> a = load_pieces<T, 4>(at, kStep * apart),
                      b = load_pieces<T, 4>(at + kSecond * apart, kStep * apart);
      z[0] = {every_second<T, 0>(a, b, lanes)}, z[1] = {every_second<T, 1>(a, b, lanes)};
    }
  }
  static WARPLOOM_FFT_INLINE void put(T *at, std::int64_t apart, const Packed<T, swapped> *z) {
    if constexpr (kTogether == 1) {
      put_one(at, apart, *z);
    } else {
      constexpr auto lanes = std::make_integer_sequence<int, kLanes<T>>();
      store_pieces<T, 4>(at, kStep * apart, both<T, 0>(z[0].v, z[1].v, lanes));
      store_pieces<T, 4>(at + kSecond * apart, kStep * apart, both<T, 1>(z[0].v, z[1].v, lanes));
    }
  }
};
// Value e of each lane lies beside that of the next lane, `step` reals after value e - 1.
template <class T, bool swapped>
struct Columns {
  T *at;
  std::int64_t step;
  WARPLOOM_FFT_INLINE Columns after(std::int64_t e) const { return {at + e * step, step}; }
  WARPLOOM_FFT_INLINE Complex<T> get(std::int64_t e) const { return load_pairs<T, swapped>(at + e * step); }
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const { store_pairs<T, swapped>(at + e * step, z); }
};
// The same with real and imaginary parts `apart`.
template <class T>
struct PartColumns {
  T *at;
  std::int64_t step, apart;
  WARPLOOM_FFT_INLINE PartColumns after(std::int64_t e) const { return {at + e * step, step, apart}; }
  WARPLOOM_FFT_INLINE void put(std::int64_t e, Complex<T> z) const {
    store(at + e * step, z.r);
    store(at + e * step + apart, z.i);
  }
};

// Roots of unity of a pass, real and imaginary parts: the same for all lanes, or a vector for each part.
template <class T>
struct CommonRoots {
  static constexpr bool are_of_lanes = false;
  const T *at;
  WARPLOOM_FFT_INLINE T operator[](int i) const { return at[i]; }
  WARPLOOM_FFT_INLINE CommonRoots after(std::int64_t count) const { return {at + count}; }
};
template <class T>
struct LaneRoots {
  static constexpr bool are_of_lanes = true;
  const T *at;
  WARPLOOM_FFT_INLINE Vector<T> operator[](int i) const { return load(at + i * kLanes<T>); }
  WARPLOOM_FFT_INLINE LaneRoots after(std::int64_t count) const { return {at + count * kLanes<T>}; }
};

struct Pass {
  int radix;
  std::int64_t left, done;  // m and s
  std::int64_t roots;       // where they begin in the table
};

// Value k, which lies `apart` values after the one before, times w^k.
template <class T, bool has_roots, class Roots, class In>
WARPLOOM_FFT_INLINE Complex<T> get_turned(In in, std::int64_t apart, Roots roots, int k) {
  const Complex<T> z = in.get(apart * k);
  return has_roots && k > 0 ? times<T>(z, roots[2 * k - 2], roots[2 * k - 1]) : z;
}
template <class T, int radix, bool has_roots, class Roots, class In, class Out>
WARPLOOM_FFT_INLINE void run_butterfly(In in, std::int64_t apart, Roots roots, Out out, std::int64_t s) {
  Complex<T> a[radix];
#pragma clang loop unroll(full)
  for (int k = 0; k < radix; ++k) a[k] = get_turned<T, has_roots>(in, apart, roots, k);
  Butterfly<Complex<T>, radix>::run(a);
#pragma clang loop unroll(full)
  for (int j = 0; j < radix; ++j) out.put(s * j, a[j]);
}
// The same of eight values where registers are few: first the even results, while half of what the others are made of
// waits in memory.
template <class T, bool has_roots, class Roots, class In, class Out>
WARPLOOM_FFT_INLINE void run_halves(In in, std::int64_t apart, Roots roots, Out out, std::int64_t s) {
  Complex<T> a[4], waiting[4];
#pragma clang loop unroll(full)
  for (int k = 0; k < 4; ++k) {
    a[k] = get_turned<T, has_roots>(in, apart, roots, k);
    waiting[k] = get_turned<T, has_roots>(in, apart, roots, k + 4);
    add(a[k], waiting[k]);
  }
  Butterfly<Complex<T>, 4>::run(a);
#pragma clang loop unroll(full)
  for (int j = 0; j < 4; ++j) out.put(s * 2 * j, a[j]);
  asm volatile("" : "+m"(waiting) : : "memory");  // else all would be wanted in registers at once
#pragma clang loop unroll(full)
  for (int k = 0; k < 4; ++k) a[k] = waiting[k];
  finish_odd(a);
#pragma clang loop unroll(full)
  for (int j = 0; j < 4; ++j) out.put(s * (2 * j + 1), a[j]);
}

template <class T, int radix, bool has_roots, class Roots, class In, class Out>
WARPLOOM_FFT_INLINE void run_one(In in, std::int64_t apart, Roots roots, Out out, std::int64_t s) {
  if constexpr (radix == 8 && kRegisters < 32) {
    run_halves<T, has_roots>(in, apart, roots, out, s);
  } else {
    run_butterfly<T, radix, has_roots>(in, apart, roots, out, s);
  }
}

template <class T, int radix, bool is_first, class Roots, class In, class Out>
WARPLOOM_FFT_INLINE void run_all(const Pass &pass, Roots table, In in, Out out) {
  constexpr bool has_roots = !is_first || Roots::are_of_lanes;
  const std::int64_t m = pass.left, s = is_first ? 1 : pass.done;
  table = table.after(pass.roots);
  const std::int64_t apart = s * m;
  for (std::int64_t p = 0; p < m; ++p) {
    Roots roots = table;
    for (std::int64_t q = 0; q < s; ++q) {
      // What lies beside one address is reached by adding to it; else each of the 2 radix places has an address of its
      // own.
      asm("" : "+r"(in.at), "+r"(out.at), "+r"(roots.at));
      run_one<T, radix, has_roots>(in, apart, roots, out, s);
      in = in.after(1), out = out.after(1), roots = roots.after(2 * (radix - 1));
    }
    out = out.after(s * (radix - 1));
  }
}
template <class T, int radix, bool is_first, class Roots, class In, class Out>
__attribute__((noinline)) void run_pass(const Pass &pass, Roots table, In in, Out out) {
  run_all<T, radix, is_first>(pass, table, in, out);
}
// The first pass, several p at once.
template <class T, int radix, bool is_first, bool swapped, bool are_near>
__attribute__((noinline)) void run_pass(const Pass &pass, CommonRoots<T> table, Rows<T, swapped, are_near> in,
                                        LaneBuffer<T> out) {
  constexpr int together = Rows<T, swapped, are_near>::together(radix);
  if constexpr (together == 1) return run_all<T, radix, true>(pass, table, in, out);
  const std::int64_t m = pass.left;
  for (std::int64_t p = 0; p < m; p += together) {
    Complex<T> a[together][radix];
#pragma clang loop unroll(full)
    for (int k = 0; k < radix; ++k) {
      Complex<T> z[together];
      in.get(p + m * k, z);
#pragma clang loop unroll(full)
      for (int t = 0; t < together; ++t) a[t][k] = z[t];
    }
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t) {
      Butterfly<Complex<T>, radix>::run(a[t]);
#pragma clang loop unroll(full)
      for (int j = 0; j < radix; ++j) out.put(radix * (p + t) + j, a[t][j]);
    }
  }
}
// The last pass, several q at once.
template <class T, int radix, bool is_first, bool swapped, bool are_near>
__attribute__((noinline)) void run_pass(const Pass &pass, CommonRoots<T> table, LaneBuffer<T> in,
                                        Rows<T, swapped, are_near> out) {
  constexpr int together = Rows<T, swapped, are_near>::together(radix);
  if constexpr (together == 1) return run_all<T, radix, false>(pass, table, in, out);
  const std::int64_t s = pass.done;
  CommonRoots<T> roots = table.after(pass.roots);
  for (std::int64_t q = 0; q < s; q += together) {
    Complex<T> a[together][radix];
#pragma clang loop unroll(full)
    for (int t = 0; t < together; ++t, roots = roots.after(2 * (radix - 1))) {
#pragma clang loop unroll(full)
      for (int k = 0; k < radix; ++k) a[t][k] = get_turned<T, true>(in.after(q + t), s, roots, k);
      Butterfly<Complex<T>, radix>::run(a[t]);
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < radix; ++j) {
      Complex<T> z[together];
#pragma clang loop unroll(full)
      for (int t = 0; t < together; ++t) z[t] = a[t][j];
      out.put(q + s * j, z);
    }
  }
}

// Transforms of a few values, from rows to rows: one pass, which some lengths have for this alone. Numbers stay as they
// lie in memory, half as many rows to a vector.
template <class T, int n, bool swapped>
__attribute__((noinline)) void run_only_pass(const T *in, std::int64_t in_apart, T *out, std::int64_t out_apart,
                                             std::int64_t count) {
  using PackedRow = PackedRows<T, swapped>;
  constexpr int rows = kLanes<T> / 2, together = PackedRow::kTogether, whole = n / together * together;
  for (std::int64_t i = 0; i < count; i += rows, in += rows * in_apart, out += rows * out_apart) {
    Packed<T, swapped> a[n];
#pragma clang loop unroll(full)
    for (int k = 0; k < whole; k += together) PackedRow::get(in + 2 * k, in_apart, a + k);
    if constexpr (whole < n) a[whole] = PackedRow::get_one(in + 2 * whole, in_apart);
    Butterfly<Packed<T, swapped>, n>::run(a);
#pragma clang loop unroll(full)
    for (int k = 0; k < whole; k += together) PackedRow::put(out + 2 * k, out_apart, a + k);
    if constexpr (whole < n) PackedRow::put_one(out + 2 * whole, out_apart, a[whole]);
  }
}

constexpr std::int64_t kMostInOnePass = 16;

// Returns false for lengths that take several passes.
template <class T, bool swapped>
bool run_only_pass(std::int64_t n, const T *in, std::int64_t in_apart, T *out, std::int64_t out_apart,
                   std::int64_t count) {
  switch (n) {
#define WARPLOOM_LENGTH(N)                                             \
  case N:                                                              \
    run_only_pass<T, N, swapped>(in, in_apart, out, out_apart, count); \
    return true;
    WARPLOOM_LENGTH(2)
    WARPLOOM_LENGTH(3)
    WARPLOOM_LENGTH(4)
    WARPLOOM_LENGTH(5)
    WARPLOOM_LENGTH(6)
    WARPLOOM_LENGTH(7)
    WARPLOOM_LENGTH(8)
    WARPLOOM_LENGTH(9)
    WARPLOOM_LENGTH(10)
    WARPLOOM_LENGTH(11)
    WARPLOOM_LENGTH(12)
    WARPLOOM_LENGTH(13)
    WARPLOOM_LENGTH(14)
    WARPLOOM_LENGTH(15)
    WARPLOOM_LENGTH(16)
#undef WARPLOOM_LENGTH
    default:
      return false;
  }
}

template <class T, bool is_first, class Roots, class In, class Out>
void run_pass_of_radix(const Pass &pass, Roots table, In in, Out out) {
  switch (pass.radix) {
#define WARPLOOM_RADIX(R) \
  case R:                 \
    return run_pass<T, R, is_first>(pass, table, in, out);
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

// Radices for n, which has no prime factor above kLargestRadix, those of powers of two last, where eight values take
// less time than four and two, and fewer passes less than more; 9 want 32 registers.
inline std::vector<int> radices(std::int64_t n) {
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
  for (; kRegisters >= 32 && threes >= 2; threes -= 2) chosen.push_back(9);
  for (; threes > 0; --threes) chosen.push_back(3);
  if (twos == 1) chosen.push_back(2);
  for (; twos > 1 && twos % 3 != 0; twos -= 2) chosen.push_back(4);
  for (; twos > 1; twos -= 3) chosen.push_back(8);
  return chosen;
}

// About how long a pass takes for each value.
inline double cost_of_radix(int radix) { return radix == 2 ? 2.5 : radix == 4 ? 3 : radix == 8 ? 5 : 2 + 0.3 * radix; }

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
  // `first`, above 1: the radix of a first pass that `run_part` takes as done.
  explicit LanesPlan(std::int64_t n, int first = 0) : n_(n), is_begun_(first > 1) {
    if (has_large_factor(n)) {
      plan_convolution();
      return;
    }
    std::vector<int> chosen = radices(is_begun_ ? n / first : n);
    if (is_begun_) chosen.insert(chosen.begin(), first);
    std::int64_t done = 1;
    for (const int radix : chosen) {
      const std::int64_t left = n / (done * radix);
      passes_.push_back({radix, left, done, static_cast<std::int64_t>(table_.size())});
      for (std::int64_t q = 0; q < done; ++q) add_roots(table_, radix, q, done * radix);
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
    run_passes(CommonRoots<T>{table_.data()}, in, out, a, b);
  }
  // A part of a longer transform: value e of lane l has been through passes already, as `done` others beside it, which
  // it is number places[l] of. The roots that it takes then.
  Table<T> roots_of_part(std::int64_t done, const std::int64_t (&places)[kLanes<T>]) const {
    Table<T> roots;
    std::vector<T> each[kLanes<T>];
    for (const Pass &pass : passes_) {
      for (std::int64_t q = 0; q < pass.done; ++q) {
        for (int l = 0; l < kLanes<T>; ++l) {
          each[l].clear();
          add_roots(each[l], pass.radix, places[l] + done * q, done * pass.done * pass.radix);
        }
        for (std::size_t i = 0; i < each[0].size(); ++i) {
          for (int l = 0; l < kLanes<T>; ++l) roots.push_back(each[l][i]);
        }
      }
    }
    return roots;
  }
  template <class In, class Out>
  void run_part(const T *roots, In in, Out out, T *a, T *b) const {
    run_passes(LaneRoots<T>{roots}, in, out, a, b);
  }
  // The same for data that is in `a` after the first pass, if that is taken as done.
  template <class Out>
  void run_later(const T *roots, Out out, T *a, T *b) const {
    if (!is_begun_) return run_part(roots, LaneBuffer<T>{a}, out, a, b);
    run_passes_from(passes_.data() + 1, LaneRoots<T>{roots}, out, b, a);
  }
  int later_passes() const { return static_cast<int>(passes_.size()) - is_begun_; }
  std::int64_t roots_before() const { return is_begun_ ? passes_[1].roots * kLanes<T> : 0; }
  // From rows to rows, if they come by whole pieces. Floats come in smaller ones, which takes longer than it saves but
  // in a single pass.
  bool takes_rows() const {
    constexpr int most = Rows<T, false, true>::kMostTogether;
    if (n_ <= kMostInOnePass) return n_ > 1;
    if (passes_.size() < 2) return false;
    return sizeof(T) == 8 && passes_.front().left % most == 0 && passes_.back().done % most == 0;
  }
  template <bool swapped, bool are_near>
  void run_rows(Rows<T, swapped, are_near> in, Rows<T, swapped, are_near> out, std::int64_t groups, T *a, T *b) const {
    if (run_only_pass<T, swapped>(n_, in.at, in.apart, out.at, out.apart, groups * kLanes<T>)) return;
    const CommonRoots<T> roots{table_.data()};
    if constexpr (sizeof(T) == 8) {
      for (std::int64_t g = 0; g < groups; ++g) run_passes(roots, in.group(g), out.group(g), a, b);
    }
  }

  // What lies in `a`; the buffer that has the result, `a` or `b`.
  T *run_in_buffers(T *a, T *b) const {
    T *const to = inner_ || passes_.size() % 2 == 0 ? a : b;  // what the last pass does not read
    run(LaneBuffer<T>{a}, LaneBuffer<T>{to}, a, b);
    return to;
  }

 private:
  template <class Roots, class In, class Out>
  void run_passes(Roots table, In in, Out out, T *a, T *b) const {
    const Pass *pass = passes_.data(), *last = pass + passes_.size() - 1;
    if (pass == last) return run_pass_of_radix<T, true>(*pass, table, in, out);
    run_pass_of_radix<T, true>(*pass, table, in, LaneBuffer<T>{b});
    run_passes_from(pass + 1, table, out, a, b);
  }
  // What lies in b.
  template <class Roots, class Out>
  void run_passes_from(const Pass *pass, Roots table, Out out, T *a, T *b) const {
    for (const Pass *const last = passes_.data() + passes_.size() - 1; pass != last; ++pass) {
      run_pass_of_radix<T, false>(*pass, table, LaneBuffer<T>{b}, LaneBuffer<T>{a});
      std::swap(a, b);
    }
    run_pass_of_radix<T, false>(*pass, table, LaneBuffer<T>{b}, out);
  }

  // Powers 1 to radix - 1 of exp(-2 pi i q / n).
  static void add_roots(std::vector<T> &table, int radix, std::int64_t q, std::int64_t n) {
    for (int k = 1; k < radix; ++k) {
      double c, s;
      root_of_unity(q * k % n, n, c, s);
      table.push_back(static_cast<T>(c));
      table.push_back(static_cast<T>(s));
    }
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
  bool is_begun_;
  std::vector<Pass> passes_;
  std::vector<T> table_;
  std::unique_ptr<LanesPlan> inner_;  // of the convolution
  std::vector<T> kernel_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

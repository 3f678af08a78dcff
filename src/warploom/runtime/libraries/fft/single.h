// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One long transform of values that lie side by side, with vectors along it: n = n1 n2 as a matrix of n1 rows has its
// columns transformed, as many at once as a vector has lanes, and then its rows:
//
//     z[k1][j2] = sum over j1 of x[j1 n2 + j2] w_n1^(j1 k1)
//     y[k1 + n1 k2] = sum over j2 of z[k1][j2] w_n^(j2 k1) w_n2^(j2 k2)
//
// Rows are the later passes of one transform: their roots have w_n in them. The rows of z become lanes by transposing
// squares in registers. A length that has no such factors is a convolution.
#pragma once

#include <algorithm>
#include <cmath>

#include "lanes.h"
#include "workspace.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

constexpr double kNearBytes = 1024;                // of a buffer
constexpr std::int64_t kDirectBytes = 128 * 1024;  // of values, of which a second cache holds four times as many
constexpr std::int64_t kManyValues = 128;

// A length of which all may be between passes: the first of them is of kLanes * `split` values, which come to as many
// vectors. 0: n is not such a length.
template <class T>
int split_of_direct(std::int64_t n) {
  constexpr std::int64_t lanes = kLanes<T>;
  if (n * static_cast<std::int64_t>(2 * sizeof(T)) > kDirectBytes || has_large_factor(n)) return 0;
  const auto passes = [&](std::int64_t split) -> std::size_t {  // that follow; 0: it does not do
    const std::int64_t left = n / (lanes * split);
    const bool is_there = n % (lanes * split) == 0 && left > 1 && left >= lanes / 2;
    return is_there ? radices(left).size() : 0;
  };
  const std::size_t whole = passes(1), halves = 2 * lanes <= kMostInOnePass ? passes(2) : 0;
  return halves > 0 && halves < whole ? 2 : whole > 0 ? 1 : 0;
}

template <class T>
bool has_two_passes(std::int64_t n) {
  const int split = split_of_direct<T>(n);
  return split > 0 && n > kMostInOnePass && radices(n / (kLanes<T> * split)).size() == 1;
}
// Whether short transforms are faster one by one, that way, than side by side.
template <class T>
bool is_fast_alone(std::int64_t n) {
  return has_two_passes<T>(n) || (n >= kManyValues && split_of_direct<T>(n) > 0);
}

// The factor n1 of n for the matrix, where both are at least as long as a vector; 0: there is none.
template <class T>
std::int64_t rows_of_matrix(std::int64_t n) {
  constexpr std::int64_t lanes = kLanes<T>;
  if (split_of_direct<T>(n) != 0) return lanes;
  if (n < lanes * lanes || has_large_factor(n)) return 0;
  // A value costs a fixed part and its passes, more the more room the values of a buffer take.
  const auto cost_of_value = [](std::int64_t length, double fixed) {
    double cost = fixed;
    for (const int radix : radices(length)) cost += cost_of_radix(radix);
    const double excess = std::log2(static_cast<double>(length * 2 * WARPLOOM_FFT_BYTES) / kNearBytes);
    return cost * (1 + 0.07 * std::max(0.0, excess));
  };
  std::int64_t best = 0;
  double least = 0;
  for (std::int64_t n1 = lanes; n1 <= n / lanes; ++n1) {
    if (n % n1 != 0) continue;
    const std::int64_t n2 = n / n1;
    const double cost = static_cast<double>((n2 + lanes - 1) / lanes * n1) * cost_of_value(n1, 6) +
                        static_cast<double>((n1 + lanes - 1) / lanes * n2) * cost_of_value(n2, 5.2);
    if (best == 0 || cost < least) best = n1, least = cost;
  }
  return best;
}

// The first pass of a transform whose length is kLanes * split * m: its results come to the lanes of vectors.
template <class T, int split, bool swapped>
WARPLOOM_FFT_INLINE void columns_to_lanes(const T *in, std::int64_t m, T *a) {
  constexpr int together = kLanes<T> / 2, radix = kLanes<T> * split;
  for (std::int64_t e = 0; e < m; e += together) {
    const std::int64_t first = std::min<std::int64_t>(e, m - together);
    Packed<T, swapped> z[radix];
#pragma clang loop unroll(full)
    for (int k = 0; k < radix; ++k) z[k] = {load(in + 2 * (first + m * k))};
    Butterfly<Packed<T, swapped>, radix>::run(z);
#pragma clang loop unroll(full)
    for (int j = 0; j < split; ++j) {
      Complex<T> lanes[together];
      packed_to_lanes<T, swapped>(z + kLanes<T> * j, lanes);
#pragma clang loop unroll(full)
      for (int k = 0; k < together; ++k) LaneBuffer<T>{a}.put(split * (first + k) + j, lanes[k]);
    }
  }
}
// Some transforms of a length.
template <class T>
struct Many {
  const T *in;
  std::int64_t in_apart;
  T *out;
  std::int64_t out_apart, count;
};
template <class T, int split, int radix, bool swapped>
__attribute__((noinline)) void run_two_passes(Many<T> many, const T *table) {
  alignas(64) T a[split * radix * LaneBuffer<T>::kStep];
  for (std::int64_t i = 0; i < many.count; ++i, many.in += many.in_apart, many.out += many.out_apart) {
    columns_to_lanes<T, split, swapped>(many.in, radix, a);
    asm volatile("" : : "r"(a) : "memory");  // else all would be wanted in registers at once
    LaneBuffer<T> between{a};
    Columns<T, swapped> out{many.out, 2 * kLanes<T>};
    LaneRoots<T> roots{table};
    for (int q = 0; q < split; ++q) {
      run_one<T, radix, true>(between, split, roots, out, split);
      between = between.after(1), out = out.after(1), roots = roots.after(2 * (radix - 1));
    }
  }
}
template <class T, int split, bool swapped>
void run_two_passes(int radix, Many<T> many, const T *roots) {
  switch (radix) {
#define WARPLOOM_RADIX(R)                                                                       \
  case R:                                                                                       \
    if constexpr (R >= kLanes<T> / 2) return run_two_passes<T, split, R, swapped>(many, roots); \
    __builtin_unreachable();
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

template <class T>
class SinglePlan {
 public:
  explicit SinglePlan(std::int64_t n)
      : n_(n),
        n1_(rows_of_matrix<T>(n)),
        n2_(n1_ > 0 ? n / n1_ : 1),
        apart_((n2_ + kLine<T> - 1) / kLine<T> * kLine<T>),
        step_(2 * apart_ + kLine<T>),  // rows that lie a power of two apart would meet in few sets of a cache
        split_(split_of_direct<T>(n)),
        columns_(std::max<std::int64_t>(n1_, 1)),
        rows_(n2_, split_) {
    if (n1_ == 0) {
      plan_convolution();
      return;
    }
    for (std::int64_t g = 0; g < groups(n1_); ++g) {
      std::int64_t rows[kLanes<T>];
      for (int l = 0; l < kLanes<T>; ++l) rows[l] = first_of(g, n1_) + value_of_lane<T>(l);
      const Table<T> roots = rows_.roots_of_part(n1_, rows);
      roots_.insert(roots_.end(), roots.begin(), roots.end());
    }
    workspaces_ = std::make_unique<Workspaces>(split_ > 0 ? 0 : n1_ * step_ * sizeof(T));
    buffers_ = std::make_unique<Workspaces>(2 * std::max(columns_.buffer_size(), rows_.buffer_size()) * sizeof(T));
  }

  // Whether this is the way for a length.
  static bool serves(std::int64_t n) {
    return rows_of_matrix<T>(n) != 0 || (has_large_factor(n) && n >= 8 * kLanes<T>);
  }

  // What a run works in. Leased once for many short runs.
  struct Memory {
    explicit Memory(const SinglePlan &plan) : matrix(*plan.workspaces_), buffer(*plan.buffers_) {}
    Workspaces::Lease matrix, buffer;
  };

  // `in` may be `out`; both are pairs of reals.
  template <bool swapped>
  void run(const T *in, T *out, const Spread &spread) const {
    const Workspaces::Lease workspace(*workspaces_);
    T *const z = workspace.as<T>();
    if (inner_) return convolve<swapped>(in, out, z, spread);
    if (split_ > 0) {
      const Workspaces::Lease buffer(*buffers_);
      return run_direct<swapped>(in, out, buffer.as<T>());
    }
    spread(groups(n2_), [&](std::int64_t begin, std::int64_t end) {
      const Workspaces::Lease buffer(*buffers_);
      transform_columns<swapped>(in, z, buffer.as<T>(), begin, end);
    });
    spread(groups(n1_), [&](std::int64_t begin, std::int64_t end) {
      const Workspaces::Lease buffer(*buffers_);
      transform_rows<swapped>(z, out, buffer.as<T>(), begin, end);
    });
  }
  // Many of them on this thread alone.
  template <bool swapped>
  void run_many(Many<T> many, const Memory &memory) const {
    if (split_ > 0 && rows_.later_passes() == 1) {
      const int radix = static_cast<int>(n2_ / split_);
      if constexpr (2 * kLanes<T> <= kMostInOnePass) {
        if (split_ == 2) return run_two_passes<T, 2, swapped>(radix, many, roots_of_later());
      }
      return run_two_passes<T, 1, swapped>(radix, many, roots_of_later());
    }
    for (std::int64_t i = 0; i < many.count; ++i) {
      run_alone<swapped>(many.in + i * many.in_apart, many.out + i * many.out_apart, memory);
    }
  }
  template <bool swapped>
  void run_alone(const T *in, T *out, const Memory &memory) const {
    T *const z = memory.matrix.template as<T>(), *const a = memory.buffer.template as<T>();
    if (inner_) return convolve<swapped>(in, out, z, [](std::int64_t n, const Body &body) { body(0, n); });
    if (split_ > 0) return run_direct<swapped>(in, out, a);
    transform_columns<swapped>(in, z, a, 0, groups(n2_));
    transform_rows<swapped>(z, out, a, 0, groups(n1_));
  }

 private:
  static std::int64_t groups(std::int64_t count) { return (count + kLanes<T> - 1) / kLanes<T>; }
  // The last group may have some of the one before.
  static std::int64_t first_of(std::int64_t group, std::int64_t count) {
    return std::min(group * kLanes<T>, count - kLanes<T>);
  }

  template <bool swapped>
  void run_direct(const T *in, T *out, T *a) const {
    const std::int64_t m = n2_ / split_;
    if constexpr (2 * kLanes<T> <= kMostInOnePass) {
      if (split_ == 2) columns_to_lanes<T, 2, swapped>(in, m, a);
    }
    if (split_ == 1) columns_to_lanes<T, 1, swapped>(in, m, a);
    rows_.run_later(roots_.data(), Columns<T, swapped>{out, 2 * kLanes<T>}, a, a + rows_.buffer_size());
  }
  const T *roots_of_later() const { return roots_.data() + rows_.roots_before(); }

  // Columns of a group lie in z as its lanes do.
  template <bool swapped>
  void transform_columns(const T *in, T *z, T *a, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t g = begin; g < end; ++g) {
      const Columns<T, swapped> from{const_cast<T *>(in) + 2 * first_of(g, n2_), 2 * n2_};
      columns_.run(from, PartColumns<T>{z + g * kLanes<T>, step_, apart_}, a, a + columns_.buffer_size());
    }
  }
  template <bool swapped>
  void transform_rows(const T *z, T *out, T *a, std::int64_t begin, std::int64_t end) const {
    const std::int64_t roots = static_cast<std::int64_t>(roots_.size()) / groups(n1_);
    for (std::int64_t g = begin; g < end; ++g) {
      const std::int64_t k1 = first_of(g, n1_);
      rows_to_lanes(z + k1 * step_, a);
      rows_.run_part(roots_.data() + g * roots, LaneBuffer<T>{a}, Columns<T, swapped>{out + 2 * k1, 2 * n1_}, a,
                     a + rows_.buffer_size());
    }
  }
  void rows_to_lanes(const T *z, T *a) const {
    constexpr int piece = std::min<int>(kLanes<T>, 32 / sizeof(T));
    const std::int64_t n = n2_, apart = apart_, step = step_, end = (n + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    for (std::int64_t e = 0; e < end; e += kLanes<T>) {
      const std::int64_t j2 = std::min<std::int64_t>(e, n - kLanes<T>);
#pragma clang loop unroll(full)
      for (int first = 0; first < kLanes<T>; first += piece) {
        const T *const from = z + e + first;
        Vector<T> r[piece], i[piece];
        load_placed_rows<T, piece>(from, step, r);
        load_placed_rows<T, piece>(from + apart, step, i);
#pragma clang loop unroll(full)
        for (int k = 0; k < piece; ++k) LaneBuffer<T>{a}.put(j2 + value_of_lane<T>(first + k), {r[k], i[k]});
      }
    }
  }

  void plan_convolution() {
    std::int64_t m = convolution_length(2 * n_ - 1);
    while (rows_of_matrix<T>(m) == 0) m *= 2;
    inner_ = std::make_unique<SinglePlan>(m);
    const std::vector<T> chirps = chirp<T>(n_);
    roots_.assign(chirps.begin(), chirps.end());
    kernel_.resize(2 * m);
    for (std::int64_t k = 0; k < n_; ++k) {
      const T r = roots_[2 * k] / static_cast<T>(m), i = -roots_[2 * k + 1] / static_cast<T>(m);
      kernel_[2 * k] = r, kernel_[2 * k + 1] = i;
      if (k > 0) kernel_[2 * (m - k)] = r, kernel_[2 * (m - k) + 1] = i;
    }
    inner_->template run<false>(kernel_.data(), kernel_.data(), [](std::int64_t n, const Body &body) { body(0, n); });
    workspaces_ = std::make_unique<Workspaces>(2 * m * sizeof(T));
    buffers_ = std::make_unique<Workspaces>(0);
  }

  template <bool swapped>
  void convolve(const T *in, T *out, T *z, const Spread &spread) const {
    const std::int64_t m = inner_->n_;
    constexpr int re = swapped ? 1 : 0, im = 1 - re;
    const T *const root = roots_.data(), *const kernel = kernel_.data();
    for (std::int64_t k = 0; k < n_; ++k) {
      const T a = in[2 * k + re], b = in[2 * k + im];
      z[2 * k] = a * root[2 * k] - b * root[2 * k + 1];
      z[2 * k + 1] = a * root[2 * k + 1] + b * root[2 * k];
    }
    std::fill(z + 2 * n_, z + 2 * m, T(0));
    inner_->template run<false>(z, z, spread);
    for (std::int64_t k = 0; k < m; ++k) {
      const T a = z[2 * k], b = z[2 * k + 1];
      z[2 * k] = a * kernel[2 * k] - b * kernel[2 * k + 1];
      z[2 * k + 1] = a * kernel[2 * k + 1] + b * kernel[2 * k];
    }
    inner_->template run<true>(z, z, spread);
    for (std::int64_t k = 0; k < n_; ++k) {
      const T a = z[2 * k], b = z[2 * k + 1];
      out[2 * k + re] = a * root[2 * k] - b * root[2 * k + 1];
      out[2 * k + im] = a * root[2 * k + 1] + b * root[2 * k];
    }
  }

  std::int64_t n_, n1_, n2_;
  std::int64_t apart_, step_;  // reals between the parts of a value of z, and between its rows
  int split_;                  // of the first pass, where all is between passes; else 0
  LanesPlan<T> columns_, rows_;
  Table<T> roots_;                     // of each group of rows; else the chirp
  std::unique_ptr<SinglePlan> inner_;  // of the convolution
  std::vector<T> kernel_;
  std::unique_ptr<Workspaces> workspaces_, buffers_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms along one axis of an array, for all places along the other ones.
//
// A long axis whose values lie side by side is transformed by itself (single.h). Else vectors go across transforms: the
// other axis along which values lie closest gives the lanes. Values that do not lie as lanes want them are brought into
// a lane buffer and back, by transposing where they lie side by side along the axis. How work is cut follows from the
// shape alone, so that results do not depend on who helps.
#pragma once

#include <optional>

#include "real.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

struct Other {  // an axis along which transforms are repeated; steps in reals
  std::int64_t count, in, out;
};

struct Axis {
  Kind kind;
  std::int64_t length;   // of the real data, for real transforms
  std::int64_t in, out;  // steps in reals
  std::vector<Other> others;
};

// Up to kLanes transforms at once: values between memory and lane buffers.
template <class T>
struct LaneCopy {
  std::int64_t step;   // between the values of a transform
  std::int64_t apart;  // between transforms
  int count;           // of transforms

  void gather(const T *from, LaneBuffer<T> to, std::int64_t n, int re) const {
    std::int64_t e = 0;
    if (step == 2 && count == kLanes<T>) e = re == 0 ? gather_rows<false>(from, to, n) : gather_rows<true>(from, to, n);
    for (; e < n; ++e) {
      T *const at = to.at + e * to.kStep;
      for (int l = 0; l < kLanes<T>; ++l) {
        const T *const value = from + e * step + (l < count ? l : 0) * apart;
        at[l] = value[re], at[l + kLanes<T>] = value[1 - re];
      }
    }
  }
  void gather_real(const T *from, LaneBuffer<T> to, std::int64_t n) const {
    for (std::int64_t e = 0; e < n; ++e) {
      T *const at = to.at + e * to.kStep;
      for (int l = 0; l < kLanes<T>; ++l) at[l] = from[e * step + (l < count ? l : 0) * apart], at[l + kLanes<T>] = 0;
    }
  }
  void scatter(LaneBuffer<T> from, T *to, std::int64_t n, int re) const {
    std::int64_t e = 0;
    if (step == 2 && count == kLanes<T>)
      e = re == 0 ? scatter_rows<false>(from, to, n) : scatter_rows<true>(from, to, n);
    for (; e < n; ++e) {
      const T *const at = from.at + e * from.kStep;
      for (int l = 0; l < count; ++l) {
        T *const value = to + e * step + l * apart;
        value[re] = at[l], value[1 - re] = at[l + kLanes<T>];
      }
    }
  }
  void scatter_real(LaneBuffer<T> from, T *to, std::int64_t n) const {
    for (std::int64_t e = 0; e < n; ++e) {
      for (int l = 0; l < count; ++l) to[e * step + l * apart] = from.at[e * from.kStep + l];
    }
  }

 private:
  static constexpr int kTogether = std::min<int>(kLanes<T>, 32 / sizeof(T)) / 2;  // values that a piece has

  // Of rows that lie side by side as many values as are whole pieces; how many those are.
  template <bool swapped>
  std::int64_t gather_rows(const T *from, LaneBuffer<T> to, std::int64_t n) const {
    std::int64_t e = 0;
    for (; e + kTogether <= n; e += kTogether) {
      Vector<T> parts[2 * kTogether];
      load_rows<T, 2 * kTogether>(from + 2 * e, apart, parts);
#pragma clang loop unroll(full)
      for (int k = 0; k < kTogether; ++k) to.put(e + k, {parts[2 * k + swapped], parts[2 * k + !swapped]});
    }
    return e;
  }
  template <bool swapped>
  std::int64_t scatter_rows(LaneBuffer<T> from, T *to, std::int64_t n) const {
    std::int64_t e = 0;
    for (; e + kTogether <= n; e += kTogether) {
      Vector<T> parts[2 * kTogether];
#pragma clang loop unroll(full)
      for (int k = 0; k < kTogether; ++k) {
        const Complex<T> z = from.get(e + k);
        parts[2 * k + swapped] = z.r, parts[2 * k + !swapped] = z.i;
      }
      store_rows<T, 2 * kTogether>(to + 2 * e, apart, parts);
    }
    return e;
  }
};

constexpr std::int64_t kShortBytes = 8192;                 // a quarter of a first cache
constexpr std::int64_t kNearRows = std::int64_t{1} << 20;  // bytes of one side's rows that may lie in a second cache

template <class T>
class AxisPlan {
 public:
  explicit AxisPlan(Axis axis) : axis_(std::move(axis)), n_(axis_.length) {
    const bool is_real = axis_.kind != Kind::kComplex;
    const std::int64_t in_side = axis_.kind == Kind::kRealToComplex ? 1 : 2,
                       out_side = axis_.kind == Kind::kComplexToReal ? 1 : 2;
    std::int64_t repeats = 1;
    for (const Other &other : axis_.others) repeats *= other.count;
    // Short ones, whose lane buffers stay in a first cache, fill lanes where there are enough of them; but not those
    // that are fast alone, nor real doubles that are and whose buffers would just stay there.
    const std::int64_t bytes = n_ * WARPLOOM_FFT_BYTES, most = (is_real ? 2 : 1) * kShortBytes;
    const bool goes_alone =
        is_real ? sizeof(T) == 8 && bytes == most && is_fast_alone<T>(n_ / 2) : is_fast_alone<T>(n_);
    const bool are_short = repeats >= kLanes<T> && bytes <= most && !goes_alone;
    if (axis_.in == in_side && axis_.out == out_side && !are_short) {
      if (!is_real && SinglePlan<T>::serves(n_)) single_.emplace(n_);
      if (is_real && RealSinglePlan<T>::serves(n_)) real_.emplace(n_);
    }
    if (single_ || real_) return;
    half_ = is_real && n_ % 2 == 0;
    lanes_.emplace(half_ ? n_ / 2 : n_);
    if (half_) roots_ = quarter_roots<T>(n_);
    choose_lanes();
    are_near_ = repeats * n_ * static_cast<std::int64_t>(2 * sizeof(T)) <= kNearRows;
    buffer_ = std::max(lanes_->buffer_size(), (lanes_->length() + 1) * LaneBuffer<T>::kStep);
    workspaces_ = std::make_unique<Workspaces>(2 * buffer_ * sizeof(T));
  }

  void run(const T *in, T *out, bool inverse, const Spread &spread) const {
    if (single_ || real_) return run_singles(in, out, inverse, spread);
    const std::int64_t groups = (lane_.count + kLanes<T> - 1) / kLanes<T>;
    spread(groups * places(), [&](std::int64_t begin, std::int64_t end) {
      const Workspaces::Lease workspace(*workspaces_);
      T *const a = workspace.as<T>();
      for (std::int64_t item = begin; item < end;) {
        const std::int64_t first = item % groups * kLanes<T>;
        const auto [from, to] = place(item / groups);
        const std::int64_t here = std::min(end - item, groups - item % groups);
        run_groups(in + from + first * lane_.in, out + to + first * lane_.out,
                   std::min(here * kLanes<T>, lane_.count - first), inverse, a);
        item += here;
      }
    });
  }

 private:
  struct Place {
    std::int64_t in, out;
  };

  void choose_lanes() {
    auto &others = axis_.others;
    const auto nearness = [](const Other &other) { return std::max(std::abs(other.in), std::abs(other.out)); };
    if (others.empty()) {
      lane_ = {1, 0, 0};
      return;
    }
    const auto best = std::min_element(others.begin(), others.end(), [&](const Other &a, const Other &b) {
      const bool few_a = a.count < kLanes<T>, few_b = b.count < kLanes<T>;
      if (few_a != few_b) return few_b;
      return few_a ? a.count > b.count : nearness(a) < nearness(b);
    });
    lane_ = *best;
    others.erase(best);
  }

  std::int64_t places() const {
    std::int64_t count = 1;
    for (const Other &other : axis_.others) count *= other.count;
    return count;
  }
  Place place(std::int64_t index) const {
    Place at{0, 0};
    for (auto other = axis_.others.rbegin(); other != axis_.others.rend(); ++other) {
      const std::int64_t i = index % other->count;
      at.in += i * other->in, at.out += i * other->out;
      index /= other->count;
    }
    return at;
  }

  // A few long ones are cut; many are taken one by one.
  void run_singles(const T *in, T *out, bool inverse, const Spread &spread) const {
    const std::int64_t count = places();
    if (count < 8 || n_ >= std::int64_t{1} << 18) {
      for (std::int64_t i = 0; i < count; ++i) run_single(in + place(i).in, out + place(i).out, inverse, spread);
      return;
    }
    spread(count, [&](std::int64_t begin, std::int64_t end) { run_alone(in, out, inverse, begin, end); });
  }
  void run_alone(const T *in, T *out, bool inverse, std::int64_t begin, std::int64_t end) const {
    const typename SinglePlan<T>::Memory memory(single_ ? *single_ : real_->complex());
    if (axis_.others.size() == 1 && single_) {
      const auto [count, in_apart, out_apart] = axis_.others[0];
      const Many<T> many{in + begin * in_apart, in_apart, out + begin * out_apart, out_apart, end - begin};
      return inverse ? single_->template run_many<true>(many, memory) : single_->template run_many<false>(many, memory);
    }
    std::optional<Workspaces::Lease> joined;
    if (axis_.kind == Kind::kComplexToReal) joined.emplace(real_->workspaces());
    for (std::int64_t i = begin; i < end; ++i) {
      const Place at = place(i);
      const T *const from = in + at.in;
      T *const to = out + at.out;
      if (axis_.kind == Kind::kRealToComplex) {
        real_->forward_alone(from, to, memory);
      } else if (axis_.kind == Kind::kComplexToReal) {
        real_->backward_alone(from, to, memory, joined->as<T>());
      } else {
        inverse ? single_->template run_alone<true>(from, to, memory)
                : single_->template run_alone<false>(from, to, memory);
      }
    }
  }
  void run_single(const T *in, T *out, bool inverse, const Spread &spread) const {
    if (axis_.kind == Kind::kRealToComplex) return real_->forward(in, out, spread);
    if (axis_.kind == Kind::kComplexToReal) return real_->backward(in, out, spread);
    inverse ? single_->template run<true>(in, out, spread) : single_->template run<false>(in, out, spread);
  }

  // Neighbours along the axis of lanes, from some group's first on.
  void run_groups(const T *in, T *out, std::int64_t count, bool inverse, T *a) const {
    const bool is_complex = axis_.kind == Kind::kComplex, side_by_side = axis_.in == 2 && axis_.out == 2;
    if (is_complex && side_by_side && lane_.in != 2 && lanes_->takes_rows()) {
      const std::int64_t groups = count / kLanes<T>, whole = groups * kLanes<T>;
      inverse ? run_rows<true>(in, out, groups, a) : run_rows<false>(in, out, groups, a);
      in += whole * lane_.in, out += whole * lane_.out, count -= whole;
    }
    for (; count > 0; count -= kLanes<T>, in += kLanes<T> * lane_.in, out += kLanes<T> * lane_.out) {
      run_lanes(in, out, static_cast<int>(std::min<std::int64_t>(kLanes<T>, count)), inverse, a);
    }
  }
  void run_lanes(const T *in, T *out, int count, bool inverse, T *a) const {
    if (axis_.kind == Kind::kRealToComplex) return run_forward(in, out, count, a);
    if (axis_.kind == Kind::kComplexToReal) return run_backward(in, out, count, a);
    T *const b = a + buffer_;
    const bool whole = count == kLanes<T>;
    const bool beside_in = whole && lane_.in == 2, beside_out = whole && lane_.out == 2;
    if (beside_in && beside_out) return inverse ? run_columns<true>(in, out, a, b) : run_columns<false>(in, out, a, b);
    LaneCopy<T>{axis_.in, lane_.in, count}.gather(in, LaneBuffer<T>{a}, n_, inverse ? 1 : 0);
    T *const made = lanes_->run_in_buffers(a, b);
    LaneCopy<T>{axis_.out, lane_.out, count}.scatter(LaneBuffer<T>{made}, out, n_, inverse ? 1 : 0);
  }
  template <bool swapped>
  void run_columns(const T *in, T *out, T *a, T *b) const {
    lanes_->run(Columns<T, swapped>{const_cast<T *>(in), axis_.in}, Columns<T, swapped>{out, axis_.out}, a, b);
  }
  template <bool swapped>
  void run_rows(const T *in, T *out, std::int64_t groups, T *a) const {
    are_near_ ? run_rows<swapped, true>(in, out, groups, a) : run_rows<swapped, false>(in, out, groups, a);
  }
  template <bool swapped, bool are_near>
  void run_rows(const T *in, T *out, std::int64_t groups, T *a) const {
    using Side = Rows<T, swapped, are_near>;
    lanes_->run_rows(Side{const_cast<T *>(in), lane_.in}, Side{out, lane_.out}, groups, a, a + buffer_);
  }

  void run_forward(const T *in, T *out, int count, T *a) const {
    const LaneCopy<T> from{half_ ? 2 * axis_.in : axis_.in, lane_.in, count};
    if (half_ && axis_.in == 1) {
      from.gather(in, LaneBuffer<T>{a}, n_ / 2, 0);
    } else {
      half_ ? gather_halves(in, a, count) : from.gather_real(in, LaneBuffer<T>{a}, n_);
    }
    const LaneBuffer<T> made{lanes_->run_in_buffers(a, a + buffer_)};
    if (half_) split_lanes(made, n_ / 2, roots_.data());
    LaneCopy<T>{axis_.out, lane_.out, count}.scatter(made, out, n_ / 2 + 1, 0);
  }
  void gather_halves(const T *in, T *a, int count) const {
    for (std::int64_t e = 0; e < n_ / 2; ++e) {
      T *const at = a + e * LaneBuffer<T>::kStep;
      for (int l = 0; l < kLanes<T>; ++l) {
        const T *const value = in + 2 * e * axis_.in + (l < count ? l : 0) * lane_.in;
        at[l] = value[0], at[l + kLanes<T>] = value[axis_.in];
      }
    }
  }

  void run_backward(const T *in, T *out, int count, T *a) const {
    const LaneBuffer<T> buffer{a};
    LaneCopy<T>{axis_.in, lane_.in, count}.gather(in, buffer, n_ / 2 + 1, 0);
    if (!half_) return run_odd_backward(out, count, a);
    join_lanes(buffer, n_ / 2, roots_.data());
    swap_parts(buffer, n_ / 2);
    const LaneBuffer<T> made{lanes_->run_in_buffers(a, a + buffer_)};
    const LaneCopy<T> to{2 * axis_.out, lane_.out, count};
    if (axis_.out == 1) return to.scatter(made, out, n_ / 2, 1);
    for (std::int64_t e = 0; e < n_ / 2; ++e) {
      const T *const at = made.at + e * LaneBuffer<T>::kStep;
      for (int l = 0; l < count; ++l) {
        T *const value = out + 2 * e * axis_.out + l * lane_.out;
        value[0] = at[l + kLanes<T>], value[axis_.out] = at[l];
      }
    }
  }
  // The other half is the conjugate; a forward transform of conjugates gives the conjugate, whose real part is the
  // same.
  void run_odd_backward(T *out, int count, T *a) const {
    const LaneBuffer<T> buffer{a};
    buffer.put(0, {buffer.get(0).r, Vector<T>{}});
    for (std::int64_t k = 1; k <= n_ / 2; ++k) {
      const Complex<T> z = buffer.get(k);
      buffer.put(n_ - k, z);
      buffer.put(k, {z.r, -z.i});
    }
    const LaneBuffer<T> made{lanes_->run_in_buffers(a, a + buffer_)};
    LaneCopy<T>{axis_.out, lane_.out, count}.scatter_real(made, out, n_);
  }
  static void swap_parts(LaneBuffer<T> a, std::int64_t n) {
    for (std::int64_t e = 0; e < n; ++e) {
      const Complex<T> z = a.get(e);
      a.put(e, {z.i, z.r});
    }
  }

  Axis axis_;
  std::int64_t n_;
  bool half_ = false, are_near_ = true;
  Other lane_{};
  std::optional<SinglePlan<T>> single_;
  std::optional<RealSinglePlan<T>> real_;
  std::optional<LanesPlan<T>> lanes_;
  std::vector<T> roots_;
  std::int64_t buffer_ = 0;
  mutable std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

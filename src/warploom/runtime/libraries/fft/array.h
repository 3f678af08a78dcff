// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of arrays: axis after axis, the last one first. Backwards to real data the last one comes last, and what
// is between lies in memory of the plan's own, so that the input stays.
#pragma once

#include <deque>

#include "axis.h"

namespace warploom::fft::WARPLOOM_FFT_LEVEL {

template <class T>
class ArrayTransform final : public Transform {
 public:
  explicit ArrayTransform(const Shape &shape) : kind_(shape.kind) {
    const bool to_real = shape.kind == Kind::kComplexToReal;
    const std::int64_t in_unit = shape.kind == Kind::kRealToComplex ? 1 : 2, out_unit = to_real ? 1 : 2;
    const Side in{shape.in, in_unit}, out{shape.out, out_unit};
    const int last = shape.rank - 1;
    if (shape.rank == 1) {
      add(shape, last, in, out);
    } else if (!to_real) {
      add(shape, last, in, out);
      for (int axis = last - 1; axis >= 0; --axis) add(shape, axis, out, out);
    } else {
      const Side between = pack(shape);
      for (int axis = 0; axis < last; ++axis) add(shape, axis, axis == 0 ? in : between, between);
      add(shape, last, between, out);
    }
  }

  void run(void *in, void *out, bool inverse, const Spread &spread) const override {
    const bool to_real = kind_ == Kind::kComplexToReal;
    const T *from = static_cast<const T *>(in);
    if (!between_) {
      for (const AxisPlan<T> &axis : axes_) {
        axis.run(from, static_cast<T *>(out), inverse, spread);
        from = static_cast<const T *>(out);
      }
      return;
    }
    const Workspaces::Lease workspace(*between_);
    for (const AxisPlan<T> &axis : axes_) {
      T *const to = &axis == &axes_.back() ? static_cast<T *>(out) : workspace.as<T>();
      axis.run(from, to, to_real, spread);
      from = to;
    }
  }

 private:
  struct Side {
    Layout layout;
    std::int64_t unit;  // reals in a value
  };

  // Along `axis`, for all places of the other ones; complex axes of real transforms have half the last length.
  void add(const Shape &shape, int axis, Side in, Side out) {
    const int last = shape.rank - 1;
    const std::int64_t half = shape.kind == Kind::kComplex ? shape.length[last] : shape.length[last] / 2 + 1;
    std::vector<Other> others;
    const auto other = [&](std::int64_t count, std::int64_t from, std::int64_t to) {
      if (count > 1) others.push_back({count, from * in.unit, to * out.unit});
    };
    other(shape.batch, in.layout.distance, out.layout.distance);
    for (int i = 0; i < shape.rank; ++i) {
      if (i != axis) other(i == last ? half : shape.length[i], in.layout.stride[i], out.layout.stride[i]);
    }
    merge(others);
    const Kind kind = axis == last ? shape.kind : Kind::kComplex;
    axes_.emplace_back(Axis{kind, shape.length[axis], in.layout.stride[axis] * in.unit,
                            out.layout.stride[axis] * out.unit, std::move(others)});
  }

  // Two axes that follow one another in memory are one.
  static void merge(std::vector<Other> &others) {
    for (std::size_t i = 0; i + 1 < others.size();) {
      const Other &a = others[i], &b = others[i + 1];
      if (a.in == b.in * b.count && a.out == b.out * b.count) {
        others[i] = {a.count * b.count, b.in, b.out};
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else {
        ++i;
      }
    }
  }

  Side pack(const Shape &shape) {
    Layout layout;
    std::int64_t step = 1;
    for (int i = shape.rank - 1; i >= 0; --i) {
      layout.stride[i] = step;
      step *= i == shape.rank - 1 ? shape.length[i] / 2 + 1 : shape.length[i];
    }
    layout.distance = step;
    between_ = std::make_unique<Workspaces>(2 * step * shape.batch * sizeof(T));
    return {layout, 2};
  }

  Kind kind_;
  std::deque<AxisPlan<T>> axes_;
  mutable std::unique_ptr<Workspaces> between_;
};

}  // namespace warploom::fft::WARPLOOM_FFT_LEVEL

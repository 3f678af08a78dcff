// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on each element of some tensors of one shape, by lines: numbers along one dimension, widened to float (or
// double), worked on in a small buffer, and narrowed.
#pragma once

#include <algorithm>
#include <array>

#include "descriptors.h"

namespace warploom::dnn {

inline constexpr Size kLine = 512;  // numbers worked on at a time

// A tensor's data and layout; a stride of 0: one number for all of a dimension.
struct Data {
  void *data = nullptr;
  Kind kind = Kind::kFloat;
  Layout layout;

  Data() = default;
  Data(cudnnTensorDescriptor_t descriptor, const void *address, const char *what) {
    layout = layout_of(descriptor, what);
    kind = kind_of(layout.type, what);
    need(address != nullptr, std::string("the data of ") + what + " is null");
    data = const_cast<void *>(address);
  }
  // The same numbers for each element of a larger shape, along dimensions of extent 1.
  Data spread(const Layout &shape, const char *what) const {
    Data result = *this;
    need(layout.rank == shape.rank, std::string(what) + " has another number of dimensions");
    for (int i = 0; i < shape.rank; ++i) {
      need(layout.dims[i] == shape.dims[i] || layout.dims[i] == 1, std::string("the extents of ") + what + " differ");
      if (layout.dims[i] != shape.dims[i]) result.layout.strides[i] = 0;
      result.layout.dims[i] = shape.dims[i];
    }
    return result;
  }
  char *at(Size offset) const { return static_cast<char *>(data) + offset * bytes_of(kind); }
};

// The lines of `count` tensors of the shape of the first one.
template <std::size_t count>
class Lines {
 public:
  explicit Lines(const std::array<Data, count> &tensors) {
    const Layout &shape = tensors[0].layout;
    int axes[kMaxRank], rank = 0;
    for (int i = 0; i < shape.rank; ++i) {
      if (shape.dims[i] > 1) axes[rank++] = i;
    }
    std::sort(axes, axes + rank, [&](int a, int b) {
      return shape.strides[a] != shape.strides[b] ? shape.strides[a] > shape.strides[b] : a < b;
    });
    for (int i = 0; i < rank; ++i) add(tensors, axes[i]);
    if (rank == 0) ++rank_;  // one number
    pieces_ = (length() + kLine - 1) / kLine;
    for (int i = 0; i + 1 < rank_; ++i) rows_ *= dims_[i];
  }
  Size total() const { return rows_ * length(); }
  Size units() const { return rows_ * pieces_; }

  struct Line {
    Size offsets[count], steps[count], length;
  };
  Line line(Size unit) const {
    Line result = {};
    const Size start = unit % pieces_ * kLine;
    result.length = std::min(kLine, length() - start);
    for (std::size_t t = 0; t < count; ++t) {
      result.steps[t] = strides_[t][rank_ - 1];
      result.offsets[t] = start * result.steps[t];
    }
    Size rest = unit / pieces_;
    for (int i = rank_ - 2; i >= 0; rest /= dims_[i--]) {
      for (std::size_t t = 0; t < count; ++t) result.offsets[t] += rest % dims_[i] * strides_[t][i];
    }
    return result;
  }

 private:
  Size length() const { return dims_[rank_ - 1]; }
  // One more dimension inside of the others, joined with the last one if it continues it in all tensors.
  void add(const std::array<Data, count> &tensors, int axis) {
    bool joins = rank_ > 0;
    for (std::size_t t = 0; joins && t < count; ++t) {
      const Layout &layout = tensors[t].layout;
      joins = strides_[t][rank_ - 1] == layout.strides[axis] * layout.dims[axis];
    }
    if (!joins) dims_[rank_++] = 1;
    dims_[rank_ - 1] *= tensors[0].layout.dims[axis];
    for (std::size_t t = 0; t < count; ++t) strides_[t][rank_ - 1] = tensors[t].layout.strides[axis];
  }
  int rank_ = 0;
  Size dims_[kMaxRank + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, strides_[count][kMaxRank + 1] = {}, rows_ = 1, pieces_ = 1;
};

// out = alpha f(inputs) + beta out. `function(lines, result, n)`: from `inputs` lines of n numbers each. The first
// tensor is the result, the others have its extents. `each`: nanoseconds for a number.
template <class T, std::size_t count, class Function>
void map_as(const std::array<Data, count> &tensors, double alpha, double beta, double each, const Function &function) {
  const Lines<count> lines(tensors);
  const LineKernels<T> &kernels = line_kernels<T>();
  const Size group = std::max<Size>(1, 16384 * lines.units() / std::max<Size>(1, lines.total()));
  const auto tiles = static_cast<std::uint64_t>((lines.units() + group - 1) / group);
  each_tile(tiles, static_cast<double>(lines.total()) * each, [&](std::uint64_t tile) {
    T buffers[count][kLine], result[kLine];
    const T *inputs[count];
    for (std::size_t t = 0; t < count; ++t) inputs[t] = buffers[t];
    const Size first = static_cast<Size>(tile) * group;
    for (Size unit = first; unit < std::min(first + group, lines.units()); ++unit) {
      const auto line = lines.line(unit);
      for (std::size_t t = beta != 0 ? 0 : 1; t < count; ++t) {
        kernels.read(tensors[t].kind, tensors[t].at(line.offsets[t]), line.steps[t], line.length, buffers[t]);
      }
      function(inputs + 1, result, line.length);
      const T scale = static_cast<T>(alpha), keep = static_cast<T>(beta);
      for (Size i = 0; alpha != 1 && i < line.length; ++i) result[i] *= scale;
      for (Size i = 0; beta != 0 && i < line.length; ++i) result[i] += keep * buffers[0][i];
      kernels.write(tensors[0].kind, result, tensors[0].at(line.offsets[0]), line.steps[0], line.length);
    }
  });
}
// As an operation of the handle's stream; `function` takes float's or double's lines.
template <std::size_t count, class Function>
void map(cudnnHandle_t handle, const char *name, const std::array<Data, count> &tensors, double alpha, double beta,
         double each, const Function &function) {
  const double time = static_cast<double>(tensors[0].layout.count()) * each + 200;
  run(handle, name, time, [=] {
    if (tensors[0].kind == Kind::kDouble) {
      map_as<double>(tensors, alpha, beta, each, function);
    } else {
      map_as<float>(tensors, alpha, beta, each, function);
    }
  });
}

// Throws unless all tensors have the first one's extents, and either all are of double or none is.
template <std::size_t count>
void need_alike(const std::array<Data, count> &tensors) {
  for (const Data &each : tensors) {
    need(each.layout.has_dims_of(tensors[0].layout), "the tensors have different extents");
    support((each.kind == Kind::kDouble) == (tensors[0].kind == Kind::kDouble), "double with other types");
  }
}

}  // namespace warploom::dnn

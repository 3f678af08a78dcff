// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's numbers in groups: some dimensions count the groups, the others lie within a group.
#pragma once

#include "maps.h"

namespace warploom::dnn {

class Groups {
 public:
  // `is_inner(axis)`: whether a dimension lies within a group.
  template <class Inner>
  Groups(const Layout &shape, const Inner &is_inner) : shape_(shape) {
    for (int i = 0; i < shape.rank; ++i) {
      if (is_inner(i)) {
        inner_[inner_rank_++] = i;
        size_ *= shape.dims[i];
      } else {
        outer_[outer_rank_++] = i;
        count_ *= shape.dims[i];
      }
    }
  }
  Size count() const { return count_; }
  Size size() const { return size_; }

  // Where a group begins in a tensor of this shape, or in one whose inner dimensions have extent 1.
  Size start(const Layout &layout, Size group) const {
    Size offset = 0;
    for (int i = outer_rank_; i-- > 0; group /= shape_.dims[outer_[i]]) {
      offset += group % shape_.dims[outer_[i]] * layout.strides[outer_[i]];
    }
    return offset;
  }
  // Calls each(number, offset, step, count) for lines of at most kLine numbers of a group, in their order; `number` is
  // the first one's in the group.
  template <class Each>
  void lines(const Layout &layout, Size group, const Each &each) const {
    const Size begin = start(layout, group);
    if (inner_rank_ == 0) return each(Size{0}, begin, Size{1}, Size{1});
    int joined = inner_rank_ - 1;  // dimensions that lie side by side are one
    Size length = shape_.dims[inner_[joined]];
    const Size step = layout.strides[inner_[joined]];
    while (joined > 0 && layout.strides[inner_[joined - 1]] == step * length) length *= shape_.dims[inner_[--joined]];
    for (Size row = 0; row < size_ / length; ++row) {
      Size offset = begin, rest = row;
      for (int i = joined; i-- > 0; rest /= shape_.dims[inner_[i]]) {
        offset += rest % shape_.dims[inner_[i]] * layout.strides[inner_[i]];
      }
      for (Size done = 0; done < length; done += kLine) {
        each(row * length + done, offset + done * step, step, std::min(kLine, length - done));
      }
    }
  }
  // Calls tile(first, last) for some groups at a time, side by side; `each`: nanoseconds for a number.
  template <class Tile>
  void tiles(double each, const Tile &tile) const {
    const Size together = std::max<Size>(1, 8192 / size_);
    const auto tiles = static_cast<std::uint64_t>((count_ + together - 1) / together);
    each_tile(tiles, each * static_cast<double>(count_ * size_), [&](std::uint64_t i) {
      const Size first = static_cast<Size>(i) * together;
      tile(first, std::min(count_, first + together));
    });
  }

 private:
  Layout shape_;
  Size count_ = 1, size_ = 1;
  int outer_[kMaxRank], outer_rank_ = 0, inner_[kMaxRank], inner_rank_ = 0;
};

// All numbers of a group, in float or double.
template <class T>
void read_group(const Groups &groups, const Data &from, Size group, T *to) {
  groups.lines(from.layout, group, [&](Size number, Size offset, Size step, Size count) {
    line_kernels<T>().read(from.kind, from.at(offset), step, count, to + number);
  });
}

template <class T>
void write_group(const Groups &groups, const Data &to, Size group, const T *from) {
  groups.lines(to.layout, group, [&](Size number, Size offset, Size step, Size count) {
    line_kernels<T>().write(to.kind, from + number, to.at(offset), step, count);
  });
}

// One number of a tensor.
inline double read_number(const Data &from, Size offset) {
  double value = 0;
  line_kernels<double>().read(from.kind, from.at(offset), 1, 1, &value);
  return value;
}
inline void write_number(const Data &to, Size offset, double value) {
  line_kernels<double>().write(to.kind, &value, to.at(offset), 1, 1);
}

}  // namespace warploom::dnn

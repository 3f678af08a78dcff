// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of products of bfloat16 and of bytes by the processor's instructions on lanes (kernels/lanes.cpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "mixed.h"

namespace warploom::blas {

// The instructions on bfloat16 take what is below the normal numbers for 0. Nothing is where the least product is 2 to
// the power of -112: all products, and so all sums, are then multiples of 2 to the power of -126, the least normal
// number.
class Exponents {
 public:
  // Numbers of an operand, from any thread.
  void see(bool is_left, const LaneOperand &operand, std::int64_t indices, std::int64_t depth) {
    std::atomic<int> &least = is_left ? left_ : right_;
    const int found = lane_kernels().smallest_exponent(operand, indices, depth);
    for (int known = least; found < known && !least.compare_exchange_weak(known, found);) continue;
  }
  // The whole operand, side by side in parts of about as many numbers.
  void see(bool is_left, const Stored &operand, bool by_index, std::int64_t indices, std::int64_t depth, Where where) {
    constexpr std::int64_t kNumbers = 65'536;
    const std::int64_t length = by_index ? indices : depth, lines = by_index ? depth : indices;
    const std::int64_t each = std::max<std::int64_t>(kNumbers / length, 1), parts = (lines + each - 1) / each;
    each_of(where, parts, static_cast<double>(length) * static_cast<double>(lines) / 16, [&](std::uint64_t i) {
      const std::int64_t first = static_cast<std::int64_t>(i) * each;
      see(is_left, {operand.at(0, first), operand.ld, true}, length, std::min(each, lines - first));
    });
  }
  bool stay_normal() const {
    constexpr int kBias = 127, kLeast = -112;
    return left_ > 0 && right_ > 0 && left_ + right_ - 2 * kBias >= kLeast;
  }

 private:
  std::atomic<int> left_ = 255, right_ = 255;
};

// Operands in lanes that are packed once for all tiles: for one piece of the terms after the other all panels of op(A),
// then those of op(B). P: MixedProduct or IntegerProduct; `depth`: terms of a piece.
template <class P>
class PackedLanes {
 public:
  using Sum = typename P::Sum;
  PackedLanes(const P &product, const LaneForm<Sum> &form, std::int64_t depth)
      : product_(product),
        form_(form),
        depth_(std::min(depth, product.k)),
        lanes_(form.lanes(depth_)),
        width_(form.panel_columns()),
        left_((product.m + kLaneSide - 1) / kLaneSide),
        right_((product.n + width_ - 1) / width_) {}

  std::int64_t bytes() const { return pieces() * piece_size() * static_cast<std::int64_t>(sizeof(float)); }
  void place(void *area) { area_ = static_cast<float *>(area); }

  std::int64_t count() const { return pieces() * (left_ + right_); }
  // Each below count(), in any order.
  void pack(std::int64_t part, Exponents &exponents) const {
    const std::int64_t piece = part / (left_ + right_), panel = part % (left_ + right_), k = piece * depth_,
                       depth = std::min(depth_, product_.k - k);
    const bool is_left = panel < left_;
    const std::int64_t side = is_left ? kLaneSide : width_, first = (is_left ? panel : panel - left_) * side,
                       count = std::min(side, (is_left ? product_.m : product_.n) - first);
    const Stored &stored = is_left ? product_.a : product_.b;
    const bool by_index = is_left != stored.turned;
    const LaneOperand operand = {by_index ? stored.at(first, k) : stored.at(k, first), stored.ld, by_index};
    if constexpr (std::is_same_v<P, MixedProduct>) exponents.see(is_left, operand, count, depth);
    (is_left ? form_.pack_left : form_.pack_right)(operand, 0, count, depth,
                                                   is_left ? left(piece, first) : right(piece, first));
  }

  // sums = op(A) op(B) for a tile, which begins with panels, and the terms from `first` on, as many as `depth`.
  void multiply(const Tiling::Tile &tile, std::int64_t first, Sum *sums, std::int64_t step, bool add) const {
    const std::int64_t piece = first / depth_, depth = std::min(depth_, product_.k - first);
    form_.multiply_packed(
        {tile.rows, tile.columns, depth, {}, {}, sums, step, add, left(piece, tile.row), right(piece, tile.column)});
  }

 private:
  std::int64_t pieces() const { return (product_.k + depth_ - 1) / depth_; }
  std::int64_t piece_size() const { return (left_ * kLaneSide + right_ * width_) * lanes_; }
  // Where panels begin. The last piece may have fewer lanes.
  std::int64_t lanes(std::int64_t piece) const { return form_.lanes(std::min(depth_, product_.k - piece * depth_)); }
  float *left(std::int64_t piece, std::int64_t row) const { return area_ + piece * piece_size() + row * lanes(piece); }
  float *right(std::int64_t piece, std::int64_t column) const {
    return area_ + piece * piece_size() + left_ * kLaneSide * lanes_ + column * lanes(piece);
  }

  const P &product_;
  const LaneForm<Sum> &form_;
  std::int64_t depth_, lanes_, width_, left_, right_;
  float *area_ = nullptr;
};

}  // namespace warploom::blas

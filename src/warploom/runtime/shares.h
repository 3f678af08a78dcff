// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a grid, cut into one contiguous share for each OS thread: the same thread gets the same share at the
// next launch, with its data still in its core's caches. Who has done its own share takes half of what is left of
// another's, but not at once: a thread that is on its way should find its share.
//
//     share 0          share 1          share 2
//     [ 0 1 2 | 3 4 ]  [ 5 6 7 8 9 ]    [ (empty) ]  <- its thread takes 8 9 from share 1
//             ^ taken from the front by its own thread, a quarter at a time
//
// A block that waits for an earlier one ends all the same: the first block that has not ended is running, or next in
// the share of a thread that waits for nothing, since all that this thread has begun comes before it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "relax.h"
#include "ticks.h"

namespace warploom {

class Shares {
 public:
  Shares(std::uint64_t first, std::uint64_t last, unsigned count)
      : first_(first), last_(last), piece_(1 + (last - first) / kMostPieces), count_(count), shares_(new Share[count]) {
    const std::uint64_t pieces = (last - first + piece_ - 1) / piece_;
    for (unsigned i = 0; i < count; ++i) {
      shares_[i].left = packed(pieces * i / count, pieces * (i + 1) / count);
    }
  }

  // No other thread will begin within microseconds: who is done takes from their shares at once. Before any is taken.
  void expect_nobody() { grace_ = std::chrono::nanoseconds{0}; }

  // The next blocks for thread `number`, [first, last); false when none are left. `single`: one at a time. A number
  // that has no share takes from the others' only.
  bool take(unsigned number, bool single, std::uint64_t &first, std::uint64_t &last) {
    if (number < count_ && take_front(shares_[number], single, first, last)) return true;
    if (!wait_for_latecomers()) return false;
    for (unsigned i = 1; i <= count_; ++i) {
      Share &other = shares_[(number + i) % count_];
      if (number >= count_) {
        if (take_front(other, true, first, last)) return true;
      } else if (&other != &shares_[number] && take_half(other, shares_[number])) {
        return take_front(shares_[number], single, first, last) || take(number, single, first, last);
      }
    }
    return false;
  }

 private:
  // By then every thread that is awake has begun.
  static constexpr std::chrono::microseconds kGrace{5};
  static constexpr std::uint64_t kMostPieces = std::uint64_t{1} << 31;
  // A thread takes this part of what is left of its share: large pieces first, single blocks last.
  static constexpr std::uint64_t kPartOfShare = 4;

  // Pieces that nobody has taken: the first in the upper half, the end in the lower one.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> left{0};
  };

  // Until others' shares may be taken; false when nothing is left of them before that.
  bool wait_for_latecomers() const {
    while (watch_.elapsed() < grace_) {
      const auto is_left = [](const Share &share) {
        const std::uint64_t left = share.left.load(std::memory_order_relaxed);
        return left >> 32 < (left & 0xffffffff);
      };
      if (std::none_of(shares_.get(), shares_.get() + count_, is_left)) return false;
      for (int i = 0; i < 16; ++i) relax();
    }
    return true;
  }

  static std::uint64_t packed(std::uint64_t begin, std::uint64_t end) { return begin << 32 | end; }

  bool take_front(Share &share, bool single, std::uint64_t &first, std::uint64_t &last) {
    std::uint64_t left = share.left.load(std::memory_order_relaxed);
    std::uint64_t begin, count;
    do {
      begin = left >> 32;
      const std::uint64_t end = left & 0xffffffff;
      if (begin >= end) return false;
      count = single ? 1 : std::max<std::uint64_t>((end - begin) / kPartOfShare, 1);
    } while (!share.left.compare_exchange_weak(left, left + (count << 32), std::memory_order_relaxed));
    first = first_ + begin * piece_;
    last = std::min(first + count * piece_, last_);
    return true;
  }

  // The empty share `own` gets the latter half of what is left of `other`.
  static bool take_half(Share &other, Share &own) {
    std::uint64_t left = other.left.load(std::memory_order_relaxed);
    std::uint64_t begin, end, middle;
    do {
      begin = left >> 32;
      end = left & 0xffffffff;
      if (begin >= end) return false;
      middle = begin + (end - begin) / 2;
    } while (!other.left.compare_exchange_weak(left, packed(begin, middle), std::memory_order_relaxed));
    own.left.store(packed(middle, end), std::memory_order_relaxed);
    return true;
  }

  Stopwatch watch_;
  std::chrono::nanoseconds grace_ = kGrace;
  std::uint64_t first_, last_, piece_;
  unsigned count_;
  std::unique_ptr<Share[]> shares_;
};

}  // namespace warploom

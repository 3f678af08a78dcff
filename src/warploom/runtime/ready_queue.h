// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block that can run on, each at most once: a ring.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "random.h"

namespace warploom {

class ReadyQueue {
 public:
  // Threads 0 ... count-1, in order.
  void fill(unsigned count) {
    if (ring_.size() < count) ring_.resize(std::bit_ceil(std::size_t{count}));
    for (unsigned i = 0; i < count; ++i) ring_[i] = i;
    first_ = 0;
    size_ = count;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push_back(unsigned thread) { at(size_++) = thread; }
  void push_front(unsigned thread) {
    --first_;
    ++size_;
    at(0) = thread;
  }
  unsigned front() const { return ring_[first_ & (ring_.size() - 1)]; }
  unsigned pop_front() {
    const unsigned thread = at(0);
    ++first_;
    --size_;
    return thread;
  }
  unsigned pop_random(Random &random) {
    std::swap(at(0), at(random.below(size_)));
    return pop_front();
  }

 private:
  unsigned &at(std::size_t i) { return ring_[(first_ + i) & (ring_.size() - 1)]; }

  std::vector<unsigned> ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace warploom

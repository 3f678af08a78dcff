// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long grids have taken, and on how many OS threads, by kernel and shape: a short one is run in the call that
// launches it.
#pragma once

#include <chrono>
#include <cstdint>

#include "../engine.h"

namespace warploom {

class GridTime {
 public:
  // After such a pause so much of a grid's time is not its work.
  static constexpr std::chrono::milliseconds kPause{1};
  static constexpr std::chrono::microseconds kColdStart{25};

  explicit GridTime(const Launch &launch);

  // Whether the latest grids like this one have taken no longer than `limit`; false where none has run, or none whose
  // numbers among the arguments were nearly as large.
  bool is_within(std::chrono::nanoseconds limit) const;
  // OS threads that they have kept at work; 1 where none has run.
  unsigned threads() const;
  // `idle`: how long the launching thread had run no grid before. After a pause a grid finds nothing of what it runs
  // and reads in the caches: what that takes tells of no work.
  void learn(std::chrono::nanoseconds elapsed, std::chrono::nanoseconds idle, unsigned threads) const;

 private:
  std::uint64_t key_;
  std::uint64_t digits_ = 0;  // binary ones of all numbers among the arguments
};

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many OS threads a parallel loop over blocks is worth, learnt from how long its launches take: work that is
// predicted knows neither how far data has to travel between cores nor what else the machine does.
//
//     threads   1     2     4     8    16        the loop runs on `level` threads; now and then a few launches in a row
//     us        14    8.1   6.0   9.2            try half or twice as many, and the best number so far stays
//                           ^level
//
// Launches after a pause, when no cache of the calling thread holds their data any more, tell nothing of those in a
// row, and follow their plan; a loop that has pauses only learns from these. What a block takes on one thread is known
// from a loop of nearly the same size, too.
#pragma once

#include <chrono>
#include <cstdint>

namespace warploom {

// A loop: its code, and its size about.
class LoopHistory {
 public:
  LoopHistory(const void *body, std::uint64_t blocks, std::uint64_t threads);

  // `evenly`: each thread gets one range of blocks, and takes nothing from others.
  // `may_widen`: of one thread, in a loop whose launches may take long enough for more: to be looked at while it runs.
  struct Choice {
    unsigned threads;
    bool evenly;
    bool may_widen;
  };
  // OS threads for the next launch, at most `most`; `guess`: without any experience. `start`: when it began, by any
  // clock.
  Choice choose(unsigned most, unsigned guess, std::chrono::nanoseconds start);
  // The launch that `choose` was asked for has taken so long, or would have. `has_woken`: threads that slept.
  void learn(unsigned most, std::chrono::nanoseconds elapsed, bool has_woken = false) const;

 private:
  double known_on_one() const;

  const void *body_;
  std::uint64_t blocks_, threads_, key_;
  std::chrono::nanoseconds start_{0};
  bool is_cold_ = false;  // after a pause
};

}  // namespace warploom

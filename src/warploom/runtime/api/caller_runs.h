// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which grids run in the call that launches them: short ones, and longer ones beside which the host would do little.
#pragma once

#include <chrono>

#include "grid_times.h"
#include "queue.h"

namespace warploom {

// A host that does less than a fourth of a grid's time between two launches gains little from doing so beside the grid.
inline constexpr int kWorthwhile = 4;

// Whether the caller runs a grid at once, of which `time` tells how long such grids take and on how many OS threads
// (GridTime). `limit`: what is short, for this caller; `absence_of`: a function that looks at the clock, how long it
// has neither launched nor waited; `usable`: processors there are. After a pause the way through the queue is in no
// cache, and takes as long as what a cold start adds to a short grid.
template <typename Time, typename Absence>
bool caller_runs(const Time &time, std::chrono::nanoseconds limit, const Absence &absence_of, unsigned usable) {
  if (limit == kShortWork && time.threads() > 1) limit = kShortWorkOfMany;
  if (time.is_within(limit)) return true;
  const std::chrono::nanoseconds absence = absence_of();
  if (absence > GridTime::kPause) return time.is_within(limit + GridTime::kColdStart);
  if (limit < kShortWork || time.is_within(kWorthwhile * absence)) return false;
  return time.is_within(kShortWorkOfAll) && time.threads() >= usable;
}

}  // namespace warploom

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

// Whether grids take no longer than `limit` and keep all of the `usable` processors at work.
template <typename Time>
bool is_of_all(const Time &time, std::chrono::nanoseconds limit, unsigned usable) {
  return time.is_within(limit) && time.threads() >= usable;
}

// The host that launches, now: how long it has neither launched nor waited, and whether it leaves grids alone.
struct HostSeen {
  std::chrono::nanoseconds absence;
  bool leaves;
};

// Whether the host comes back so soon with a grid like that, or so seldom, that it had better run it itself.
template <typename Time>
bool host_does_little(const Time &time, const HostSeen &host, unsigned usable) {
  const bool comes_seldom = host.absence > GridTime::kPause && !host.leaves;
  return (comes_seldom || !time.is_within(kWorthwhile * host.absence)) && is_of_all(time, kShortWorkOfAll, usable);
}

// Whether the caller runs a grid at once, of which `time` tells how long such grids take and on how many OS threads
// (GridTime). `limit`: what is short, for this caller; `look`: a function that looks at the clock, and at the host.
// After a pause the way through the queue is in no cache, and takes as long as what a cold start adds to a short grid.
template <typename Time, typename Look>
bool caller_runs(const Time &time, std::chrono::nanoseconds limit, const Look &look, unsigned usable) {
  if (limit == kShortWork && time.threads() > 1) limit = kShortWorkOfMany;
  if (time.is_within(limit)) return true;
  const HostSeen host = look();
  if (host.absence > GridTime::kPause && time.is_within(limit + GridTime::kColdStart)) return true;
  return limit >= kShortWork && host_does_little(time, host, usable);
}

// Whether it waits for few such grids that are before this one, so that it can run it.
template <typename Time>
bool caller_waits(const Time &time, std::chrono::nanoseconds limit, const HostSeen &host, unsigned usable) {
  return limit >= kShortWork && !host.leaves && host_does_little(time, host, usable);
}

}  // namespace warploom

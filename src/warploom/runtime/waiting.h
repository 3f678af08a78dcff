// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How OS threads wait for each other: they spin for a while, then sleep.
#pragma once

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>

#include "relax.h"

namespace warploom {

using Word = std::atomic<std::uint64_t>;

// The lower half of a word is what a thread sleeps at.
static_assert(std::endian::native == std::endian::little);
inline void sleep_while(Word &word, std::uint64_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(value), nullptr, nullptr, 0);
}
inline void wake_one(Word &word) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

// Whether `is_true` becomes so within about `limit`. Gives the processor up now and then, and waits no longer when
// others want it, or when `is_wanted` says so.
template <class Predicate, class Wanted>
bool spin_until(const Predicate &is_true, std::chrono::nanoseconds limit, const Wanted &is_wanted) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  // The processor is offered to others so often; when they keep it for longer, so many times in a row, they need it. A
  // single time it may be the host of a virtual machine.
  constexpr nanoseconds kBetweenOffers{10'000};
  constexpr nanoseconds kForeignWork{20'000};
  constexpr int kMostKept = 3;
  // Who has been waiting for longer looks now and then at what all threads share.
  constexpr nanoseconds kUndisturbed{100'000};
  if (is_true()) return true;
  const auto start = Clock::now();
  int kept = 0;
  for (auto now = start, offered = start; now - start < limit; now = Clock::now()) {
    for (int i = 0; i < 16; ++i) {
      if (is_true()) return true;
      relax();
    }
    if (now - offered < kBetweenOffers) continue;
    const auto before = Clock::now();
    sched_yield();
    offered = Clock::now();
    kept = offered - before > kForeignWork ? kept + 1 : 0;
    if (kept == kMostKept || (offered - start > kUndisturbed && is_wanted())) break;
  }
  return is_true();
}

}  // namespace warploom

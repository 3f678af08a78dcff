// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time by the processor's counter, where it has one that runs evenly and alike on all cores: it is read in a third of
// the time that the system's clock takes, and a launch of a small grid takes a few readings of that.
#pragma once

#include <chrono>
#include <cstdint>

namespace warploom {

// Nanoseconds by the system's clock where there is no such counter.
std::uint64_t ticks();
// Measured once, by the first caller.
double nanoseconds_per_tick();

// Runs from its construction on.
class Stopwatch {
 public:
  std::chrono::nanoseconds elapsed() const { return from_ticks(ticks() - start_); }
  // Since some moment in the past.
  std::chrono::nanoseconds start() const { return from_ticks(start_); }

 private:
  static std::chrono::nanoseconds from_ticks(std::uint64_t count) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(count) * nanoseconds_per_tick()));
  }

  std::uint64_t start_ = ticks();
};

}  // namespace warploom

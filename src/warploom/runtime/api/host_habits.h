// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a host thread does between its launches and its waits: whether work of its own would run beside its grids.
//
//     launch  launch  launch  wait                    comes back at once
//     launch  launch  its own work  wait              leaves its grids alone
//     launch  launch  its own work  launch  launch    so does this one
#pragma once

#include <algorithm>
#include <chrono>

namespace warploom {

// A host that comes later than this has other things to do.
inline constexpr std::chrono::microseconds kLongAbsence{50};

// All times by Stopwatch's clock.
class HostHabits {
 public:
  // The thread has run a grid, or queued it. `is_long`: long enough for other work beside it.
  void note_grid(std::chrono::nanoseconds now, bool is_long) {
    latest_grid_ = now;
    is_behind_ = is_behind_ || is_long;
  }
  // It launches the next one.
  void note_launch(std::chrono::nanoseconds now) { leaves_ = leaves_ || (is_behind_ && is_long_after(now)); }
  // It begins to wait: to be noted only where `wants_wait`.
  bool wants_wait() const { return is_behind_; }
  void note_wait(std::chrono::nanoseconds now) {
    leaves_ = is_long_after(now);
    is_behind_ = false;
  }
  // It has waited for what was queued.
  void note_return(std::chrono::nanoseconds now) { latest_wait_ = now; }

  // Whether it has left long grids alone of late.
  bool leaves() const { return leaves_; }
  // Since its latest grid.
  std::chrono::nanoseconds since_grid(std::chrono::nanoseconds now) const { return now - latest_grid_; }
  // How long it has neither launched nor waited.
  std::chrono::nanoseconds absence(std::chrono::nanoseconds now) const {
    return now - std::max(latest_grid_, latest_wait_);
  }

 private:
  bool is_long_after(std::chrono::nanoseconds now) const { return now - latest_grid_ > kLongAbsence; }

  std::chrono::nanoseconds latest_grid_{0}, latest_wait_{0};
  bool is_behind_ = false, leaves_ = false;
};

// The calling thread's.
inline constinit thread_local HostHabits host_habits __attribute__((tls_model("initial-exec")));

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that is run in a copy of the process, made by fork: on a copy of all memory, which costs only what is
// written, and without a trace in this one. What the kernel prints is dropped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "../engine.h"
#include "memory.h"

namespace warploom {

enum class Rounding : unsigned { kNearest, kDown, kUp };  // as the processor numbers them

struct TrialSetting {
  bool twin;                   // the reference engine's code, of child grids too
  const char *seed = nullptr;  // of the order of threads; null: the program's own
  Rounding rounding = Rounding::kNearest;
};

class Trial {
 public:
  enum class End { kGrid, kTooLong, kKilled, kNotStarted };

  // `memory` is what is looked at later; both outlive the trial.
  Trial(const Launch &launch, const ReachableMemory &memory, const TrialSetting &setting);
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;
  ~Trial();

  // Waits until the grid has ended in whatever way, at most so long since it was started.
  End wait(double seconds);
  double age() const;  // seconds

  // Of a grid that has ended: how; what was written to stderr; whether a child grid had no twin.
  Outcome outcome() const;
  std::string messages() const;
  bool lacked_a_twin() const;
  // Checksums of the blocks of memory as the grid left it; the bytes of one, until the next call. Null: the copy is
  // gone.
  std::uint64_t sum(std::size_t block) const;
  const char *bytes(std::size_t block);
  // What ended a copy that was killed: the signal, or 0; why none was started.
  int signal() const { return signal_; }
  const std::string &reason() const { return reason_; }

 private:
  struct Report;

  [[noreturn]] void run_in_copy(const Launch &launch, const ReachableMemory &memory, const TrialSetting &setting);

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t block_count_;
  std::size_t report_size_;
  Report *report_ = nullptr;  // pages that both processes have
  int ends_[2] = {-1, -1};    // this process's, the copy's
  int messages_ = -1;
  pid_t process_ = -1;
  std::optional<End> end_;
  int signal_ = 0;
  std::string reason_;
};

// Whether this process is such a copy.
bool is_trial();

}  // namespace warploom

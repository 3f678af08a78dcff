// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that is run in a copy of the process, made by fork: on a copy of all memory, which costs only what is
// written, and without a trace in this one. What the kernel prints is dropped.
//
//     the program --fork--> snapshot --fork--> trial: loom
//                                    --fork--> trial: reference engine, ...
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
  const char *seed = nullptr;  // of the order of blocks and threads; null: the program's own
  bool opposite = false;       // the opposite of the seed's order
  Rounding rounding = Rounding::kNearest;
};

class Trial;

// The process as it is now, in a copy that stands still: trials are copies of it, so that all begin with the same
// memory whatever other threads of the program do meanwhile.
class Snapshot {
 public:
  // `memory` is what is looked at later; both outlive the snapshot.
  Snapshot(const Launch &launch, const ReachableMemory &memory);
  Snapshot(const Snapshot &) = delete;
  Snapshot &operator=(const Snapshot &) = delete;
  ~Snapshot();  // ends all trials

  // Why there is none; empty when there is.
  const std::string &obstacle() const { return obstacle_; }

 private:
  friend class Trial;
  struct Report;

  // What a trial uses. Made with the snapshot, as its copies have no other files than those that it has.
  struct Channel {
    int ends[2] = {-1, -1};  // the program's, the trial's
    int messages = -1;
    Report *report = nullptr;
  };
  static constexpr unsigned kTrials = 8;

  bool open_channels();
  [[noreturn]] void serve(pid_t program);
  [[noreturn]] void run(Channel &channel, const TrialSetting &setting, pid_t snapshot);
  // Starts one of the trials that are left; its number.
  unsigned start(const TrialSetting &setting);
  // The signal that ended a trial; 0: none.
  int signal_of(unsigned trial);

  const Launch &launch_;
  const ReachableMemory &memory_;
  const std::size_t report_size_;
  void *pages_ = nullptr;  // of reports, which all processes have
  Channel channels_[kTrials];
  unsigned started_ = 0;
  int ends_[2] = {-1, -1};  // the program's, the copy's
  pid_t process_ = -1;
  std::string obstacle_;
};

class Trial {
 public:
  enum class End { kGrid, kTooLong, kKilled };

  // At most eight of a snapshot.
  Trial(Snapshot &snapshot, const TrialSetting &setting);
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;
  ~Trial();

  // Waits until the grid has ended in whatever way, at most so long since it was started.
  End wait(double seconds);
  double seconds() const { return seconds_; }  // until it was seen to have ended

  // Of a grid that has ended: how; what was written to stderr; whether a child grid had no twin.
  Outcome outcome() const;
  std::string messages() const;
  bool lacked_a_twin() const;
  // Checksums of the blocks of memory as the grid left it; the bytes of one, until the next call. Null: the copy is
  // gone.
  std::uint64_t sum(std::size_t block) const;
  const char *bytes(std::size_t block);
  // The signal that ended a copy which was killed, or 0.
  int signal() const { return signal_; }

 private:
  Snapshot &snapshot_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const unsigned number_;
  Snapshot::Channel &channel_;
  std::optional<End> end_;
  int signal_ = 0;
  double seconds_ = 0;

  double age() const;
};

// Whether this process is such a copy.
bool is_trial();

}  // namespace warploom

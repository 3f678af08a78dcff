// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "../api/allocation.h"
#include "../api/queue.h"
#include "../report.h"
#include "options.h"
#include "record.h"
#include "trial.h"
#include "verdict.h"

namespace warploom {
namespace {

// What may wait for the host or another stream waits in a trial for ever.
constexpr double kPatienceSeconds = 2;
// loom hangs when it has taken so much longer than the reference engine, and so long at least.
constexpr double kHangFactor = 20, kHangSeconds = 10;

constexpr char kNoTwin[] =
    "it was built for one engine only; build it for loom with WARPLOOM_COMPARE=1 in the environment, or with warpcc "
    "--compare";

struct Comparing {
  std::mutex mutex;  // one launch at a time
  CompareRecord record;
};

// Never destroyed: programs launch from destructors of globals.
Comparing &comparing() {
  static auto *const instance = new Comparing;
  return *instance;
}

std::string outcome_text(const Trial &trial) {
  const std::string said = trial.messages();
  if (!said.empty()) return said;
  return trial.outcome() == Outcome::kOk ? "ends well" : "fails";
}

std::string megabytes(std::size_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MB"; }

std::string killed_text(const Trial &trial, const char *engine) {
  const std::string signal = trial.signal() != 0 ? " (signal " + std::to_string(trial.signal()) + ')' : "";
  return std::string("the process that ran ") + engine + " for it was ended" + signal + ": perhaps memory ran out";
}

// One launch on both engines.
class LaunchCheck {
 public:
  LaunchCheck(const Launch &launch, const Kernel &twin, CompareRecord &record, const ReachableMemory &memory,
              Snapshot &snapshot)
      : launch_(launch),
        twin_(twin),
        record_(record),
        memory_(memory),
        snapshot_(snapshot),
        loom_(snapshot, {.twin = false}),
        reference_(snapshot, {.twin = true}) {}

  void run() {
    const CompareOptions &options = compare_options();
    const bool may_wait = launch_.kernel->may_spin != 0 && writes_from_outside_are_possible();
    const double limit = may_wait ? std::min(kPatienceSeconds, options.seconds) : options.seconds;
    const Trial::End reference = reference_.wait(limit);
    const double hang =
        reference == Trial::End::kGrid ? std::max(kHangSeconds, kHangFactor * reference_.seconds()) : limit;
    const Trial::End loom = loom_.wait(hang);
    if (reference == Trial::End::kTooLong) return skip(too_long(loom, may_wait, limit));
    if (reference == Trial::End::kKilled) return skip(killed_text(reference_, "the reference engine"));
    if (loom == Trial::End::kTooLong)
      return differ("loom: has not ended; reference: " + outcome_text(reference_) + ", long before");
    if (loom == Trial::End::kKilled) return skip(killed_text(loom_, "loom"));
    if (reference_.lacked_a_twin()) return skip(std::string("of a kernel that it launches: ") + kNoTwin);
    compare();
  }

 private:
  void compare() {
    if (loom_.outcome() != reference_.outcome()) return compare_outcomes();
    if (loom_.outcome() != Outcome::kOk) return record_.add(launch_, {});  // it is lost in both, in the same way
    const Findings found = compare_memory(snapshot_, memory_, loom_, reference_, twin_.float_kinds, compare_options());
    if (!found.is_complete) return skip("the process that had its memory was ended: perhaps memory ran out");
    record_.add(launch_, found);
  }

  void compare_outcomes() {
    Trial other(snapshot_, {.twin = true, .seed = "compare"});
    const bool has_ended = other.wait(compare_options().seconds) == Trial::End::kGrid;
    const bool by_order = has_ended && other.outcome() == loom_.outcome();
    differ("loom: " + outcome_text(loom_) + "; reference: " + outcome_text(reference_),
           by_order ? Verdict::kOrder : Verdict::kDiffers);
  }

  static std::string too_long(Trial::End loom, bool may_wait, double limit) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g s", limit);
    if (may_wait && loom == Trial::End::kTooLong) return "it waits for the host or another stream";
    return std::string("the reference engine has not ended after ") + seconds +
           " (WARPLOOM_COMPARE=seconds=N gives it more)";
  }

  void differ(const std::string &how, Verdict verdict = Verdict::kDiffers) {
    Findings found;
    found.verdict = verdict;
    found.first = how;
    record_.add(launch_, found);
  }

  void skip(const std::string &reason) { record_.add_not_compared(*launch_.kernel, reason); }

  const Launch &launch_;
  const Kernel &twin_;
  CompareRecord &record_;
  const ReachableMemory &memory_;
  Snapshot &snapshot_;
  Trial loom_, reference_;
};

void check(const Launch &launch) {
  Comparing &all = comparing();
  const std::lock_guard lock(all.mutex);
  const Kernel &kernel = *launch.kernel;
  const std::uint64_t times = all.record.begin(kernel).launches;
  if (times > compare_options().launches)
    return all.record.add_not_compared(kernel, "launches=N leaves out those after the first N");
  const Kernel *const twin = twin_of(kernel);
  if (twin == nullptr) return all.record.add_not_compared(kernel, kNoTwin);
  const ReachableMemory memory = reachable_memory();
  if (const std::size_t free = available_memory(); memory.bytes > free)
    return all.record.add_not_compared(kernel, "a copy of its " + megabytes(memory.bytes) +
                                                   " of memory may not fit in the " + megabytes(free) +
                                                   " that are left");
  Snapshot snapshot(launch, memory);
  if (!snapshot.obstacle().empty())
    return all.record.add_not_compared(kernel, "there is no second process to run it in: " + snapshot.obstacle());
  LaunchCheck(launch, *twin, all.record, memory, snapshot).run();
}

// After the program's own exit handlers and destructors, as this one was there first.
void finish(int status, void *) {
  Comparing &all = comparing();
  if (is_trial()) return;
  if (!all.mutex.try_lock())
    return write_error("compare: the program has ended while a launch was compared: there are no counts");
  std::fflush(nullptr);
  if (all.record.summarise() && status == 0) _exit(kDifferenceStatus);
}

__attribute__((constructor)) void expect_end() {
  if (compare_options().is_on) on_exit(finish, nullptr);
}

}  // namespace

Outcome run_launch(const Launch &launch) {
  if (compare_options().is_on && !is_trial()) check(launch);
  return run_grid(launch);
}

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_history.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "loops_together.h"

namespace warploom {
namespace {

constexpr int kLevels = 13;  // 1 to 4,096 threads
// Launches of a trial. In the first one the data moves to other cores.
constexpr unsigned kTrial = 4;
// A loop that takes less cannot gain from a second thread, which begins a microsecond later.
constexpr double kLeastWorthTwo = 3'000;
// A loop that takes longer on one thread is worth all of them, and one that takes longer on all needs no trials.
constexpr double kWorthAll = 300'000;
// A loop that takes less on several threads is tried on one, once: what it takes there tells how many it is worth.
constexpr double kTriedOnOne = 50'000;
// So much work is worth handing to another thread.
constexpr double kShare = 2'000;
// A loop that takes longer has blocks to hand from thread to thread.
constexpr double kEvenAtMost = 60'000;
// Launches of one shape whose times differ more do different work (a search's frontier): a trial tells nothing.
constexpr double kUneven = 3;
// A loop whose latest launches took less than this on one thread is not looked at while it runs.
constexpr double kNeverWidened = 2'000;
// A trial ends with a launch that takes so many times as long as the longest one of the present plan.
constexpr double kHopeless = 3;
// What has to be gained by another number of threads.
constexpr double kGain = 0.95;
// After so many rounds a new plan has to show that it is as fast on the whole, and not in its best launches only: one
// on more threads may have few good ones and many bad ones.
constexpr unsigned kProbation = 4;
constexpr double kLoss = 1.05;
// Rounds of kTrial launches between trials: twice as many after each that gained nothing.
constexpr unsigned kShortestPeriod = 8, kLongestPeriod = 1024;

// So many threads, with even parts or not; of one thread there is one plan.
struct Plan {
  int level = 0;
  bool evenly = false;
  bool operator==(const Plan &) const = default;
};

// What is tried next: more threads, fewer, or as many with other parts.
enum class Way { kMore, kFewer, kOther };
constexpr unsigned kWays = 3;

struct Entry {
  std::atomic_flag busy;  // a launch that finds it set does without
  std::uint64_t key = 0;
  std::array<std::array<double, 2>, kLevels> elapsed{};  // ns a block, the least of the latest round; 0: never tried
  double least = 0, longest = 0;                         // of this round
  double usual = 0;                                      // the longest of the plan's latest round
  double total = 0;                                      // of this round
  double mean = 0;  // of the plan's launches, the latest ones first of all; 0: none
  Plan plan, trial;
  Plan before;  // the present plan
  double mean_before = 0;
  unsigned probation = 0;  // rounds left
  Way way = Way::kOther;
  unsigned runs = 0, failures = 0, steady = 0, period = kShortestPeriod;
  unsigned findings = 0;  // of loops together, that it knows

  double &elapsed_of(Plan plan) { return elapsed[static_cast<unsigned>(plan.level)][plan.evenly]; }
};

std::array<Entry, 2048> entries;
LoopsTogether together;

class Lease {
 public:
  explicit Lease(std::uint64_t key) : entry_(entries[key >> 53]) {
    held_ = !entry_.busy.test_and_set(std::memory_order_acquire);
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  ~Lease() {
    if (held_) entry_.busy.clear(std::memory_order_release);
  }
  explicit operator bool() const { return held_; }
  Entry *operator->() { return &entry_; }
  Entry &operator*() { return entry_; }

 private:
  Entry &entry_;
  bool held_;
};

int top_level(unsigned most) {
  int level = 0;
  while (level + 1 < kLevels && 1U << level < most) ++level;
  return level;
}

unsigned threads_at(int level, unsigned most) { return std::min(1U << level, most); }

// Three significant bits: launches of nearly the same size share what they learn.
std::uint64_t about(std::uint64_t count) {
  const int digits = 64 - __builtin_clzll(count | 1);
  return digits <= 3 ? count : count >> (digits - 3) << (digits - 3);
}

void begin_round(Entry &entry, Plan trial) {
  entry.trial = trial;
  entry.runs = 0;
}

void give_up(Entry &entry) {
  entry.way = entry.way == Way::kMore ? Way::kFewer : entry.way == Way::kFewer ? Way::kOther : Way::kMore;
  if (++entry.failures < kWays) return;
  entry.steady = entry.period;
  entry.period = std::min(2 * entry.period, kLongestPeriod);
  entry.failures = 0;
}

// Above the plan's level: of the loop on one thread, as many as its work is worth; else twice as many.
int level_above(Entry &entry, int top, double elapsed, bool evenly) {
  if (entry.plan.level != 0) return entry.plan.level + 1;
  const int worth = std::min(top, top_level(static_cast<unsigned>(elapsed / kShare)));
  return worth > 1 && entry.elapsed_of({worth, evenly}) == 0 ? worth : 1;
}

// What lies that way; the plan itself where nothing does.
Plan next_plan(Entry &entry, int top, double elapsed) {
  const Plan plan = entry.plan;
  switch (entry.way) {
    case Way::kMore: {
      const bool evenly = plan.level == 0 ? elapsed <= kEvenAtMost : plan.evenly;
      const int level = level_above(entry, top, elapsed, evenly);
      return level > top || elapsed < kLeastWorthTwo ? plan : Plan{level, evenly};
    }
    case Way::kFewer:
      return plan.level == 0 || elapsed > kWorthAll ? plan : Plan{plan.level - 1, plan.evenly && plan.level > 1};
    case Way::kOther:
      return plan.level == 0 || elapsed > kEvenAtMost ? plan : Plan{plan.level, !plan.evenly};
  }
  return plan;
}

void adopt(Entry &entry, Plan plan, double mean) {
  entry.plan = plan;
  entry.mean = mean;
  entry.probation = 0;
  begin_round(entry, plan);
}

// A plan that has seemed better, on probation.
void try_out(Entry &entry, Plan plan) {
  entry.before = entry.plan;
  entry.mean_before = entry.mean;
  adopt(entry, plan, 0);
  entry.probation = entry.mean_before != 0 ? kProbation : 0;
}

void go_back(Entry &entry) {
  adopt(entry, entry.before, entry.mean_before);
  give_up(entry);
}

// After a round of the present plan: what to try next. `elapsed`: of its longest launch.
void look_around(Entry &entry, int top, double elapsed) {
  entry.usual = entry.longest;
  const double mean = entry.total / (kTrial - 1);
  entry.mean = entry.mean == 0 ? mean : entry.mean + (mean - entry.mean) / kProbation;
  if (entry.probation != 0 && --entry.probation == 0 && entry.mean > kLoss * entry.mean_before) go_back(entry);
  begin_round(entry, entry.plan);
  if (entry.probation != 0 && elapsed <= kWorthAll) return;
  if (elapsed > kWorthAll && (entry.plan.level < top || entry.plan.evenly)) return adopt(entry, {top, false}, 0);
  if (entry.plan.level != 0 && entry.elapsed_of({}) == 0 && elapsed < kTriedOnOne) return begin_round(entry, {});
  if (entry.steady != 0) {
    --entry.steady;
    return;
  }
  const Plan next = next_plan(entry, top, elapsed);
  next == entry.plan ? give_up(entry) : begin_round(entry, next);
}

// One launch was enough to see that the present number of threads is wrong: a search whose frontier has grown meanwhile
// would go on with its largest launches.
bool leaves_at_once(Entry &entry, int top, double elapsed, double each) {
  if (entry.trial != entry.plan) {
    if (elapsed < kTriedOnOne || each < kHopeless * entry.usual) return false;
    entry.elapsed_of(entry.trial) = each;
    begin_round(entry, entry.plan);
    give_up(entry);
    return true;
  }
  if (elapsed < kWorthAll || entry.plan.level == top) return false;
  adopt(entry, {top, false}, 0);
  return true;
}

void end_trial(Entry &entry) {
  const Plan trial = entry.trial;
  begin_round(entry, entry.plan);
  const bool is_uneven = entry.longest >= kUneven * entry.least;
  if (is_uneven || entry.elapsed_of(trial) >= kGain * entry.elapsed_of(entry.plan)) return give_up(entry);
  entry.way = trial.level < entry.plan.level && trial.level != 0 ? Way::kFewer : Way::kMore;
  try_out(entry, trial);
  entry.failures = 0;
  entry.period = kShortestPeriod;
}

// What the next launch runs on: what all loops are tried on, or its own plan or trial.
Plan planned_now(const Entry &entry, int top) {
  const int level = together.level(entry.key);
  if (level == LoopsTogether::kByItself) return entry.trial;
  if (level == LoopsTogether::kAsPlanned || level == entry.plan.level) return entry.plan;
  return {std::min(level, top), level != 0 && (entry.plan.level == 0 || entry.plan.evenly)};
}

void follow_finding(Entry &entry) {
  const unsigned findings = together.findings();
  if (entry.findings == findings) return;
  entry.findings = findings;
  const int level = together.adopted(entry.key);
  if (level == LoopsTogether::kAsPlanned || level == entry.plan.level) return;
  adopt(entry, {level, level != 0 && (entry.plan.level == 0 || entry.plan.evenly)}, 0);
  entry.failures = entry.steady = 0;
}

}  // namespace

LoopHistory::LoopHistory(const void *body, std::uint64_t blocks, std::uint64_t threads) : blocks_(blocks) {
  key_ = reinterpret_cast<std::uintptr_t>(body);
  for (const std::uint64_t number : {about(blocks), threads}) key_ = (key_ ^ number) * 0x9e3779b97f4a7c15;
  key_ |= 1;
}

LoopHistory::Choice LoopHistory::choose(unsigned most, unsigned guess) const {
  Lease entry(key_);
  if (!entry) return {guess, false, true};
  if (entry->key != key_) {
    entry->key = key_;
    entry->elapsed = {};
    entry->plan = {top_level(guess), false};
    entry->way = entry->plan.level == 0 ? Way::kMore : Way::kOther;
    entry->failures = entry->steady = 0;
    entry->usual = 0;
    entry->period = kShortestPeriod;
    adopt(*entry, entry->plan, 0);
  }
  const bool is_short =
      entry->trial == entry->plan && entry->usual > 0 && entry->usual * static_cast<double>(blocks_) < kNeverWidened;
  const Plan now = planned_now(*entry, top_level(most));
  return {threads_at(now.level, most), now.evenly, now.level == 0 && !is_short};
}

void LoopHistory::learn(unsigned most, std::chrono::nanoseconds elapsed) const {
  Lease entry(key_);
  if (!entry || entry->key != key_) return;
  const double spent = static_cast<double>(elapsed.count()), each = spent / static_cast<double>(blocks_);
  if (together.note(key_, entry->plan.level, top_level(most), spent)) return;
  follow_finding(*entry);
  if (leaves_at_once(*entry, top_level(most), spent, each)) return;
  const unsigned run = entry->runs++;
  if (run == 0) return;
  entry->least = run == 1 ? each : std::min(entry->least, each);
  entry->longest = run == 1 ? each : std::max(entry->longest, each);
  entry->total = run == 1 ? each : entry->total + each;
  if (run + 1 < kTrial) return;
  entry->elapsed_of(entry->trial) = entry->least;
  if (entry->trial == entry->plan) {
    look_around(*entry, top_level(most), entry->longest * static_cast<double>(blocks_));
  } else {
    end_trial(*entry);
  }
}

}  // namespace warploom

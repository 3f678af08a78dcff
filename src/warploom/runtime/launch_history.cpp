// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_history.h"

#include <algorithm>
#include <array>
#include <atomic>

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
// Launches of one shape whose times differ more do different work (a search's frontier): a trial tells nothing.
constexpr double kUneven = 3;
// What has to be gained by another number of threads.
constexpr double kGain = 0.95;
// Rounds of kTrial launches between trials: twice as many after each that gained nothing.
constexpr unsigned kShortestPeriod = 8, kLongestPeriod = 1024;

struct Entry {
  std::atomic_flag busy;  // a launch that finds it set does without
  std::uint64_t key = 0;
  std::array<double, kLevels> elapsed{};  // ns a block, the least of the latest round at each level; 0: never tried
  double least = 0, longest = 0;          // of this round
  int level = 0, trial = 0, direction = 1;
  unsigned runs = 0, failures = 0, steady = 0, period = kShortestPeriod;
};

std::array<Entry, 2048> entries;

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

void begin_round(Entry &entry, int trial) {
  entry.trial = trial;
  entry.runs = 0;
}

void rest(Entry &entry) {
  entry.steady = entry.period;
  entry.period = std::min(2 * entry.period, kLongestPeriod);
  entry.failures = 0;
}

// Above `level`: of the loop on one thread, as many as its work is worth; else twice as many.
int level_above(const Entry &entry, int top, double elapsed) {
  if (entry.level != 0) return entry.level + 1;
  const int worth = std::min(top, top_level(static_cast<unsigned>(elapsed / kShare)));
  return worth > 1 && entry.elapsed[worth] == 0 ? worth : 1;
}

// After a round at the present level: what to try next. `elapsed`: of its longest launch.
void look_around(Entry &entry, int top, double elapsed) {
  begin_round(entry, entry.level);
  if (entry.level < top && elapsed > kWorthAll) {
    entry.level = top;
    return begin_round(entry, top);
  }
  if (entry.level != 0 && entry.elapsed[0] == 0 && elapsed < kTriedOnOne) return begin_round(entry, 0);
  if (entry.steady != 0) {
    --entry.steady;
    return;
  }
  const bool is_hopeless = entry.direction > 0 ? elapsed < kLeastWorthTwo : elapsed > kWorthAll;
  const int next = entry.direction > 0 ? level_above(entry, top, elapsed) : entry.level - 1;
  if (!is_hopeless && next >= 0 && next <= top) return begin_round(entry, next);
  entry.direction = -entry.direction;
  if (++entry.failures == 2) rest(entry);
}

void end_trial(Entry &entry) {
  const int trial = entry.trial;
  begin_round(entry, entry.level);
  if (entry.longest < kUneven * entry.least && entry.elapsed[trial] < kGain * entry.elapsed[entry.level]) {
    entry.direction = trial > entry.level ? 1 : -1;
    entry.level = trial;
    entry.failures = 0;
    entry.period = kShortestPeriod;
    if (trial == 0) entry.direction = 1;
    return begin_round(entry, trial);
  }
  entry.direction = -entry.direction;
  if (++entry.failures == 2) rest(entry);
}

}  // namespace

LoopHistory::LoopHistory(const void *body, std::uint64_t blocks, std::uint64_t threads) : blocks_(blocks) {
  key_ = reinterpret_cast<std::uintptr_t>(body);
  for (const std::uint64_t number : {about(blocks), threads}) key_ = (key_ ^ number) * 0x9e3779b97f4a7c15;
  key_ |= 1;
}

unsigned LoopHistory::choose(unsigned most, unsigned guess) const {
  Lease entry(key_);
  if (!entry) return guess;
  if (entry->key == key_) return threads_at(entry->trial, most);
  entry->key = key_;
  entry->elapsed = {};
  entry->level = entry->trial = top_level(guess);
  entry->direction = entry->level == 0 ? 1 : -1;
  entry->runs = entry->failures = entry->steady = 0;
  entry->period = kShortestPeriod;
  return threads_at(entry->level, most);
}

void LoopHistory::learn(unsigned most, std::chrono::nanoseconds elapsed) const {
  Lease entry(key_);
  if (!entry || entry->key != key_) return;
  const double spent = static_cast<double>(elapsed.count()), each = spent / static_cast<double>(blocks_);
  const unsigned run = entry->runs++;
  if (run == 0) return;
  entry->least = run == 1 ? each : std::min(entry->least, each);
  entry->longest = run == 1 ? each : std::max(entry->longest, each);
  if (run + 1 < kTrial) return;
  entry->elapsed[entry->trial] = entry->least;
  if (entry->trial == entry->level) {
    look_around(*entry, top_level(most), entry->longest * static_cast<double>(blocks_));
  } else {
    end_trial(*entry);
  }
}

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short loops that run in turn, tried on another number of threads all at once. Loops that share data are best on the
// same threads: one that is tried on others by itself waits for what the rest have left in their caches, and seems
// slower there, however much faster all would be.
//
//     launches   ...  before: as planned | during: all on `level` | after: as planned  ...
//     us              A 1.8 B 1.4          A 1.6 B 1.0              A 1.8 B 1.4          -> A and B stay on `level`
//
// A mean for each loop and part of a trial is compared, so that it does not matter which loops a part has had more of.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace warploom {

class LoopsTogether {
 public:
  static constexpr int kByItself = -2, kAsPlanned = -1;
  static constexpr int kLevels = 13;  // 1 to 4,096 threads
  // The level that loop `key` is to run on, or one of these.
  int level(std::uint64_t key) const {
    const int tried = tried_.load(std::memory_order_relaxed);
    return tried == kByItself || !takes_part(key) ? kByItself : tried;
  }

  // After a launch that took `spent` ns, until `end`, of a loop that is planned on `planned`, `top` being the highest
  // level. False when the loop may try others by itself. `worse(level)`: by how much it has been slower there, about.
  template <class Worse>
  bool note(std::uint64_t key, int planned, int top, double spent, double end, const Worse &worse) {
    if (tried_.load(std::memory_order_relaxed) == kByItself && is_pause(spent)) return false;
    if (is_busy_.test_and_set(std::memory_order_acquire)) return false;
    const bool result = phase_ == kIdle ? begin() : is_noted(key, planned, top, spent, end, worse);
    is_busy_.clear(std::memory_order_release);
    return result;
  }

  // Another number after each trial that has shown something; then `adopted` says what a loop shall run on, or
  // kAsPlanned.
  unsigned findings() const { return findings_.load(std::memory_order_acquire); }
  int adopted(std::uint64_t key) const {
    return takes_part(key) ? adopted_.load(std::memory_order_relaxed) : kAsPlanned;
  }

 private:
  static constexpr unsigned kLoops = 8;
  // Launches of a part that count, behind those in which data moves to other cores; after kFew much slower ones it
  // ends.
  static constexpr unsigned kLaunches = 48, kMoving = 6, kFew = 8;
  static constexpr double kMuchSlower = 1.3;
  // A level on which loops by themselves have been so much slower is not tried: sharing data would not make up for it.
  static constexpr double kFarWorse = 2.5;
  // Launches between trials, twice as many after each round of trials without a finding.
  static constexpr unsigned kShortestPause = 1024, kLongestPause = 1 << 16;
  // Longer loops tell by themselves; one that has become longer ends the trial.
  static constexpr double kShort = 20'000, kHopeless = 50'000;
  static constexpr double kGain = 0.95;
  static constexpr double kPause = 4;

  enum Phase { kIdle, kBefore, kDuring, kAfter };

  struct Loop {
    std::atomic<std::uint64_t> key{0};
    int planned = 0;
    std::array<double, 4> spent{};  // by phase
    std::array<unsigned, 4> launches{};
    std::array<double, kLevels> worse{};

    double mean(Phase phase) const { return spent[phase] / launches[phase]; }
  };

  bool takes_part(std::uint64_t key) const {
    return std::ranges::any_of(loops_,
                               [&](const Loop &loop) { return loop.key.load(std::memory_order_relaxed) == key; });
  }

  // Counts the launches of short loops, about.
  bool is_pause(double spent) {
    const unsigned count = paused_.load(std::memory_order_relaxed) + (spent <= kShort ? 1 : 0);
    paused_.store(count, std::memory_order_relaxed);
    return count < pause_.load(std::memory_order_relaxed);
  }

  bool begin() {
    for (Loop &loop : loops_) {
      loop.key.store(0, std::memory_order_relaxed);
      loop.spent = {};
      loop.launches = {};
    }
    enter(kBefore);
    return true;
  }

  void enter(Phase phase, int tried = kAsPlanned) {
    phase_ = phase;
    launches_ = 0;
    tried_.store(tried, std::memory_order_relaxed);
  }

  template <class Worse>
  bool is_noted(std::uint64_t key, int planned, int top, double spent, double end, const Worse &worse) {
    Loop *const loop = find(key);
    if (loop == nullptr || (phase_ == kBefore && spent > kShort)) return false;
    if (spent > kHopeless) return give_up();
    loop->planned = planned;
    for (int level = 0; phase_ == kBefore && loop->launches[kBefore] == 0 && level < kLevels; ++level)
      loop->worse[static_cast<unsigned>(level)] = worse(level);
    // What the host does in between is a part of it, but for pauses: copies wait for what is in other caches, too.
    const double since = end - std::exchange(latest_end_, end);
    if (++launches_ > kMoving) {
      loop->spent[phase_] += since > kPause * spent ? spent : std::max(since, spent);
      ++loop->launches[phase_];
    }
    if (phase_ == kDuring && launches_ == kMoving + kFew && is_much_slower()) return give_up();
    if (launches_ < kMoving + kLaunches) return true;
    if (phase_ == kAfter) return conclude(top);
    if (phase_ == kDuring) {
      enter(kAfter);
    } else if (const int next = next_level(top); next >= 0) {
      enter(kDuring, next);
      trial_ = next;
    } else {
      give_up();
    }
    return true;
  }

  // The loop, or a place for it while a trial begins.
  Loop *find(std::uint64_t key) {
    for (Loop &loop : loops_) {
      const std::uint64_t its_key = loop.key.load(std::memory_order_relaxed);
      if (its_key == 0 && phase_ == kBefore) loop.key.store(key, std::memory_order_relaxed);
      if (its_key == key || (its_key == 0 && phase_ == kBefore)) return &loop;
    }
    return nullptr;
  }

  // Each in turn on which not all loops are; -1: there is one loop only, which needs no company, or none.
  int next_level(int top) {
    if (loops_[1].key.load(std::memory_order_relaxed) == 0) return -1;
    for (int i = 0; i <= top; ++i) {
      latest_ = latest_ >= top ? 0 : latest_ + 1;
      if (latest_ == 0) pause_.store(std::min(2 * pause_.load(), kLongestPause), std::memory_order_relaxed);
      const auto is_elsewhere = [&](const Loop &loop) {
        return loop.launches[kBefore] != 0 && loop.planned != latest_;
      };
      if (std::ranges::any_of(loops_, is_elsewhere) && !is_far_worse(static_cast<unsigned>(latest_))) return latest_;
    }
    return -1;
  }

  bool is_far_worse(unsigned level) const {
    double before = 0, expected = 0;
    for (const Loop &loop : loops_) {
      if (loop.launches[kBefore] == 0) continue;
      before += loop.spent[kBefore];
      expected += loop.spent[kBefore] * loop.worse[level];
    }
    return expected > kFarWorse * before;
  }

  bool is_much_slower() const {
    double expected = 0, spent = 0;
    for (const Loop &loop : loops_) {
      if (loop.launches[kBefore] == 0) continue;
      expected += loop.launches[kDuring] * loop.mean(kBefore);
      spent += loop.spent[kDuring];
    }
    return spent > kMuchSlower * expected;
  }

  bool give_up() {
    paused_.store(0, std::memory_order_relaxed);
    enter(kIdle, kByItself);
    return true;
  }

  bool conclude(int top) {
    double before = 0, during = 0, after = 0;
    bool has_fewer = true;
    for (const Loop &loop : loops_) {
      const auto often = static_cast<double>(loop.launches[kBefore]);
      if (often == 0 || loop.launches[kDuring] == 0 || loop.launches[kAfter] == 0) continue;
      before += often * loop.mean(kBefore);
      during += often * loop.mean(kDuring);
      after += often * loop.mean(kAfter);
      has_fewer = has_fewer && trial_ < loop.planned;
    }
    give_up();
    // Fewer threads that are as fast leave processors to others; more have to win twice in a row.
    const bool has_won = during != 0 && during <= (has_fewer ? 1 : kGain) * std::min(before, after);
    const int won_before = std::exchange(won_, has_won ? trial_ : kAsPlanned);
    if (!has_won) return true;
    if (!has_fewer && won_before != trial_) {
      latest_ = trial_ - 1;
      paused_.store(pause_.load(std::memory_order_relaxed), std::memory_order_relaxed);
      return true;
    }
    pause_.store(kShortestPause, std::memory_order_relaxed);
    adopted_.store(std::min(trial_, top), std::memory_order_relaxed);
    findings_.fetch_add(1, std::memory_order_release);
    return true;
  }

  std::atomic_flag is_busy_;
  std::atomic<int> tried_{kByItself}, adopted_{kAsPlanned};
  std::atomic<unsigned> findings_{0}, paused_{0}, pause_{kShortestPause};
  Phase phase_ = kIdle;
  unsigned launches_ = 0;  // of this phase
  int latest_ = -1, trial_ = 0, won_ = kAsPlanned;
  double latest_end_ = 0;
  std::array<Loop, kLoops> loops_;
};

}  // namespace warploom

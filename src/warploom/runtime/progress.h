// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs and how far it is, for whoever asks in the middle of it: a signal handler, which may read these records and
// nothing else. Records are made when first wanted and stay; numbers in them are each right, but not of one moment.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "engine.h"
#include "profile.h"

namespace warploom {

// A launch of the host's, while it runs: one record for each OS thread that launches.
struct LaunchRecord {
  std::atomic<const Kernel *> kernel{nullptr};  // null: none runs
  Extent grid, block;
  timespec start{};
  std::atomic<std::uint64_t> round{0};   // another number for each parallel loop over blocks
  std::atomic<std::uint64_t> blocks{0};  // of that loop
  std::atomic<std::uint64_t> ended{0};   // of these, before the loop
  Extent shape;                          // the loop's grid: blocks may be merged
  std::atomic<bool> is_used{false};
  bool is_alone = false;  // for the profile: the launching thread has run all of it so far
  LaunchRecord *next = nullptr;
};

// What one OS thread has done of the loop that it has last been at. Nobody writes to a line that all threads share:
// what a thread has done counts until it is at another loop.
struct alignas(64) PartRecord {
  std::atomic<std::uint64_t> round{0};  // 0: of none
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> first{0}, last{0};  // of the blocks that run one after the other; equal: not known
  const Extent *position = nullptr;              // of the block that runs
  std::atomic<bool> is_used{false};
  PartRecord *next = nullptr;
};

// Around a launch.
class LaunchScope {
 public:
  explicit LaunchScope(const Launch &launch);
  LaunchScope(const LaunchScope &) = delete;
  LaunchScope &operator=(const LaunchScope &) = delete;
  ~LaunchScope();

 private:
  const Launch &launch_;
  LaunchRecord *const outer_;       // of a launch around this one
  LaunchRecord *record_ = nullptr;  // null for a grid that a grid has launched
  std::uint64_t start_ = 0;         // for the profile
  std::uint64_t observed_since_ = 0;
  std::uint64_t first_round_ = 0;
};

// The record of the launch that the calling OS thread has begun; for grids that grids have launched, one that nobody
// reads.
LaunchRecord &calling_launch_record();

// A loop of the launch begins; `before`: blocks that have ended already.
inline void begin_round(LaunchRecord &launch, std::uint64_t blocks, const Extent &shape, std::uint64_t before = 0) {
  launch.blocks.store(blocks, std::memory_order_relaxed);
  launch.ended.store(before, std::memory_order_relaxed);
  launch.shape = shape;
  launch.round.store(launch.round.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// An OS thread's part of a loop.
class PartScope {
 public:
  // `round`: of the loop. An OS thread may do several parts of one, side by side in its record. `is_alone`: the
  // launching thread, and nobody else does a part of the loop.
  PartScope(PartRecord &part, LaunchRecord &launch, std::uint64_t round, bool is_alone = false)
      : part_(part), launch_(launch) {
    if (part_.round.load(std::memory_order_relaxed) != round) {
      part_.ended.store(0, std::memory_order_relaxed);
      part_.round.store(round, std::memory_order_release);
    }
    before_ = part_.ended.load(std::memory_order_relaxed);
    if (__builtin_expect(profile::is_on, false) && !(is_alone && launch.is_alone)) start();
  }
  PartScope(const PartScope &) = delete;
  PartScope &operator=(const PartScope &) = delete;
  ~PartScope() {
    if (__builtin_expect(start_ != 0, false)) add_to_profile();
  }

  // Blocks [first, last) begin, x fastest; they have ended.
  void begin(std::uint64_t first, std::uint64_t last) {
    part_.first.store(first, std::memory_order_relaxed);
    part_.last.store(last, std::memory_order_relaxed);
  }
  void end(std::uint64_t blocks) {
    part_.last.store(part_.first.load(std::memory_order_relaxed), std::memory_order_relaxed);
    part_.ended.store(part_.ended.load(std::memory_order_relaxed) + blocks, std::memory_order_relaxed);
  }

 private:
  void start();
  void add_to_profile() const;

  PartRecord &part_;
  LaunchRecord &launch_;
  std::uint64_t start_ = 0, before_ = 0;
};

// A record for an OS thread's parts; `position`: where the index of its running block is kept.
PartRecord *new_part_record(const Extent *position);
void drop(PartRecord *record);

// How many blocks of the launch's loop have ended.
std::uint64_t ended_blocks(const LaunchRecord &launch);
// All records, used or not: the first, from which `next` leads on.
const LaunchRecord *launch_records();

}  // namespace warploom

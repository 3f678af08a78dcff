// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a kernel that the optimising engine compiled: threads are loops in the kernel's code, so that a launch is
// one call of `grid_entry`, which comes back with parallel loops over blocks.
//
// All of that code runs on fibers, one for `grid_entry` and one for each OS thread that runs blocks: their stacks have
// guards, and a fault, an assertion or a trap leaves the fiber for good.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>

#include "grid.h"
#include "team.h"
#include "ticks.h"
#include "worker.h"

namespace warploom {

class LoomGrid : public Grid, public LaunchShape {
 public:
  explicit LoomGrid(const Launch &launch);

  Outcome run(bool may_spread) override;

  // For the kernel's code; each returns only while the launch has not failed.
  // In a launch of a kernel that cannot tell, makes one block of several where they have few threads each, or several
  // of each where there are fewer than processors, and much to do. Blocks that are left over by the former run as they
  // are, by a second call of grid_entry; `evenly`: none may be. `rows`: each row of threads may be a block of its own.
  void merge_blocks(bool evenly, bool rows);
  // Runs body(frame, ...) for all of `blocks` blocks.
  void run_loop(BlocksBody body, void *frame, std::uint64_t blocks, std::size_t scratch, std::uint32_t flags);
  // Runs body(frame, scratch, ...) for `count` iterations of a loop over the threads of the calling block.
  void run_threads(ThreadsBody body, void *frame, char *scratch, std::uint32_t count);
  // Whether one thread of the kernel does so much that another processor is worth waking for it.
  bool has_long_threads() const;
  // A part of such a loop, by a member of the team.
  void help(Block &leader, unsigned part);
  // Memory for as long as the launch lasts, aligned to a page.
  void *memory(std::size_t bytes);
  // Shared memory of the block of that rank in the cluster that `block` is in, null for no such; the rank of the one
  // whose shared memory holds `address`, -1 when none's does.
  char *cluster_memory(const Extent &block, unsigned rank);
  int cluster_rank(const Extent &block, const void *address);

 private:
  struct Loop {
    BlocksBody body;
    void *frame;
    std::size_t scratch;  // bytes
    std::uint32_t flags;
  };

  void run_blocks(unsigned part) override;
  bool has_scratch(Worker &worker);
  void run_share(Worker &worker, unsigned part);
  void run_range(Worker &worker, PartScope &progress, std::uint64_t first, std::uint64_t last);
  bool take(unsigned part, std::uint64_t &first, std::uint64_t &last);
  bool take_in_order(std::uint64_t &first, std::uint64_t &last);
  void run_on_fiber(Worker &worker, const std::function<void()> &code);
  void resume(Thread &first);

  bool is_worth_spreading(std::uint64_t threads) const;
  bool is_in_order() const;
  void run_here();
  void begin_alone();
  void end_alone();
  void run_on(unsigned sharers, bool evenly);
  unsigned threads_for_block() const;
  std::chrono::nanoseconds run_watched(const Stopwatch &begun, unsigned most);
  void end_loop();
  void take_lines_back();
  std::uint64_t largest_merge(std::uint64_t rows) const;
  std::uint32_t blocks_to_merge(bool evenly, std::uint32_t rows) const;
  std::uint32_t pieces_of_block() const;
  std::string describe(Thread &thread, const Fault &fault) const;

  // A loop's time is counted from here: what members have in their caches of an earlier launch is waited for in front
  // of the loop, too.
  const Stopwatch begun_;
  bool first_loop_ = true;
  bool may_spread_ = false;
  std::uint32_t merged_ = 1;     // blocks of the launch in each that runs
  std::uint32_t pieces_ = 1;     // blocks that run for each of the launch
  std::uint32_t rows_ = 1;       // rows of threads of each block of the launch that run as blocks
  std::uint64_t left_over_ = 0;  // the first block that runs as it is, after the merged ones; 0: none does
  Worker *launcher_ = nullptr;   // runs grid_entry, and loops that are not worth spreading
  // What runs now, in one cache line.
  alignas(64) Loop loop_{};
  std::uint64_t round_ = 0;  // its number, in progress.h's records
  std::uint64_t first_ = 0;  // the first block of loops
  unsigned sharers_ = 1;     // OS threads that the loop is meant for
  bool evenly_ = false;      // each of them gets one range of blocks, and keeps it
  bool has_woken_ = false;   // some of them slept
  alignas(64) std::optional<Job> job_;
  Pages shared_;  // of all blocks: kSharedStays
  std::list<Pages> memory_;
};

}  // namespace warploom

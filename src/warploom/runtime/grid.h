// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One launch while it runs: hands out blocks, keeps the outcome, and holds the grid's barrier. This class runs kernels
// of the reference engine, LoomGrid (loom_grid.h) those of the optimising one.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine.h"
#include "progress.h"
#include "random.h"
#include "shares.h"

namespace warploom {

class Cluster;
class ResidentBlocks;

// The calling OS thread is one beside the arena, for good.
void become_helper();

class Grid {
 public:
  explicit Grid(const Launch &launch);
  Grid(const Grid &) = delete;
  Grid &operator=(const Grid &) = delete;
  virtual ~Grid() = default;

  const Launch &launch() const { return launch_; }
  const std::optional<std::uint64_t> &seed() const { return seed_; }

  // Runs all blocks: over the processors, or on the calling thread.
  virtual Outcome run(bool may_spread);

  bool failed() const { return outcome_.load(std::memory_order_relaxed) != Outcome::kOk; }
  // Ends the launch. Only the first failure counts, and only its message (may be empty) is written to stderr.
  void fail(Outcome outcome, const std::string &message);

  // What device code leaves for when the grid has run, in order.
  void add_tail(TailWork work);
  std::vector<TailWork> take_tail();
  // The last error of a thread, by its number in the grid; 0: none.
  int thread_error(std::uint64_t thread);
  void set_thread_error(std::uint64_t thread, int error);
  // The running blocks wait for something, perhaps for blocks that have not started: starts some on more OS threads.
  void add_helpers();

 protected:
  // Runs blocks until none is left to start. Any number of OS threads may do this at once; `part`: which of them the
  // calling one is, kHelper for one that comes later.
  static constexpr unsigned kHelper = ~0U;
  virtual void run_blocks(unsigned part);
  // Does so on so many OS threads, the calling one among them, and on the helpers; returns when all blocks have ended.
  void run_all_blocks(unsigned threads);
  void join_helpers();

  Outcome outcome() const { return outcome_.load(); }
  LaunchRecord &record() { return record_; }
  bool is_empty() const { return launch_.grid.count() == 0 || launch_.block.count() == 0; }

 private:
  // One cache line, with the number of blocks below: what OS threads read when they begin.
  const Launch &launch_;
  LaunchRecord &record_ = calling_launch_record();
  std::atomic<Outcome> outcome_{Outcome::kOk};
  std::atomic<bool> has_tail_{false}, has_helpers_{false};
  const std::optional<std::uint64_t> seed_;

 protected:
  // The parallel loop over blocks that runs now: they are handed out in order, or by shares.
  std::uint64_t blocks_;
  alignas(64) std::atomic<std::uint64_t> started_{0};
  std::optional<Shares> shares_;

 private:
  bool next_block(unsigned part, std::uint64_t &block);
  void run_clusters(bool may_spread);
  void run_team();
  void run_cooperative();

  const BlockOrder order_;

  std::mutex mutex_;                     // guards what follows
  ResidentBlocks *residents_ = nullptr;  // of a cooperative launch, while it runs
  std::size_t helper_count_ = 0;
  std::vector<std::thread> helpers_;
  std::list<Cluster *> teams_;  // at work
  std::vector<TailWork> tail_;
  std::unordered_map<std::uint64_t, int> thread_errors_;  // those that are not 0
};

}  // namespace warploom

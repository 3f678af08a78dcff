// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All blocks of a cooperative launch on the reference engine, however many: each has memory of its own until it ends,
// and takes turns with others on one of a few OS threads. It stays on that one, as compiled code may keep where an OS
// thread's variables lie. A turn ends at the grid's barrier, or when all threads of the block spin: they may wait for
// another block.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace warploom {

class Grid;

class ResidentBlocks {
 public:
  // `order`: the block that starts as number so many.
  ResidentBlocks(Grid &grid, std::uint64_t blocks, std::function<std::uint64_t(std::uint64_t)> order);
  ResidentBlocks(const ResidentBlocks &) = delete;
  ResidentBlocks &operator=(const ResidentBlocks &) = delete;

  // Runs all blocks to their end, on the calling OS thread and others.
  void run();
  // The grid has failed: nobody waits any longer.
  void wake();

 private:
  class Share;

  std::uint64_t generation();
  // Until the barrier of that generation has opened; false when the grid has failed.
  bool wait_beyond(std::uint64_t generation);
  void arrive();  // a block waits at the grid's barrier
  void leave();   // a block has ended
  void open_if_complete();

  Grid &grid_;
  const std::uint64_t blocks_;
  const std::function<std::uint64_t(std::uint64_t)> order_;
  std::atomic<std::uint64_t> started_{0};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint64_t running_;  // blocks that have not ended
  std::uint64_t at_barrier_ = 0;
  std::uint64_t generation_ = 0;  // of the barrier
};

}  // namespace warploom

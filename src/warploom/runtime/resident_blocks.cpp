// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "resident_blocks.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "grid.h"
#include "worker.h"

namespace warploom {

// The blocks of one OS thread.
class ResidentBlocks::Share {
 public:
  explicit Share(ResidentBlocks &all) : all_(all) {}
  Share(const Share &) = delete;
  Share &operator=(const Share &) = delete;

  void run() {
    while (!all_.grid_.failed()) {
      if (!start_block() && turns_.empty() && !pass_barrier()) break;
      if (!turns_.empty()) take_turn();
    }
    // Their threads have started and will not be resumed.
    for (Resident &block : turns_) (*block)->block.go_on();
    for (Resident &block : waiting_) (*block)->block.go_on();
  }

 private:
  using Resident = std::unique_ptr<WorkerLease>;

  // Starts the next block that nobody has; it gets the next turn. False when there is none.
  bool start_block() {
    if (all_.started_.load(std::memory_order_relaxed) >= all_.blocks_) return false;
    const std::uint64_t ticket = all_.started_.fetch_add(1, std::memory_order_relaxed);
    if (ticket >= all_.blocks_) return false;
    Resident block = std::make_unique<WorkerLease>(all_.grid_);
    if (!*block) return false;
    (*block)->block.begin(all_.order_(ticket));
    turns_.push_front(std::move(block));
    return true;
  }

  void take_turn() {
    Resident block = std::move(turns_.front());
    turns_.pop_front();
    switch ((*block)->block.go_on()) {
      case Pause::kOver:
        return all_.leave();
      case Pause::kSpins:
        return turns_.push_back(std::move(block));
      case Pause::kAtGridBarrier:
        if (waiting_.empty()) generation_ = all_.generation();
        waiting_.push_back(std::move(block));
        return all_.arrive();
    }
  }

  // With nothing else to do: waits until the barrier opens. False when no block is left, or the grid has failed.
  bool pass_barrier() {
    if (waiting_.empty() || !all_.wait_beyond(generation_)) return false;
    for (Resident &block : waiting_) {
      (*block)->block.pass_grid_barrier();
      turns_.push_back(std::move(block));
    }
    waiting_.clear();
    return true;
  }

  ResidentBlocks &all_;
  std::deque<Resident> turns_;     // who can run, by turn
  std::vector<Resident> waiting_;  // at the grid's barrier
  std::uint64_t generation_ = 0;   // of the barrier that they wait at
};

ResidentBlocks::ResidentBlocks(Grid &grid, std::uint64_t blocks, std::function<std::uint64_t(std::uint64_t)> order)
    : grid_(grid), blocks_(blocks), order_(std::move(order)), running_(blocks) {}

void ResidentBlocks::run() {
  const auto share = [this] { Share(*this).run(); };
  std::vector<std::thread> others;
  const std::uint64_t wanted = std::min<std::uint64_t>(processor_count(), blocks_);
  while (others.size() + 1 < wanted) {
    try {
      others.emplace_back([&share] {
        become_helper();
        share();
      });
    } catch (const std::system_error &) {
      break;  // the OS threads there are do all of it
    }
  }
  share();
  for (std::thread &other : others) other.join();
}

void ResidentBlocks::wake() {
  const std::lock_guard lock(mutex_);  // or a share between its test and its wait would miss the call
  changed_.notify_all();
}

std::uint64_t ResidentBlocks::generation() {
  const std::lock_guard lock(mutex_);
  return generation_;
}

bool ResidentBlocks::wait_beyond(std::uint64_t generation) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return generation != generation_ || grid_.failed(); });
  return !grid_.failed();
}

void ResidentBlocks::arrive() {
  const std::lock_guard lock(mutex_);
  ++at_barrier_;
  open_if_complete();
}

void ResidentBlocks::leave() {
  const std::lock_guard lock(mutex_);
  --running_;
  open_if_complete();
}

void ResidentBlocks::open_if_complete() {
  if (at_barrier_ == 0 || at_barrier_ != running_) return;
  at_barrier_ = 0;
  ++generation_;
  changed_.notify_all();
}

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of a block.
#include "block.h"
#include "cluster.h"
#include "grid.h"

namespace warploom {

void Block::make_ready(Thread &thread) {
  warps_[thread.index / kWarpSize].runnable |= 1U << lane(thread);
  ready_.push_back(thread.index);
}

// __syncthreads and its kin: complete when every live thread waits at one, whichever and wherever.
void Block::try_block_barrier() {
  if (at_barrier_ != live_) return;
  at_barrier_ = 0;
  all_started_ = true;
  idle_since_ = {};
  std::uint64_t count = 0;
  for (Thread &thread : threads_) {
    if (is_live(thread)) count += thread.wait.value != 0;
  }
  for (Thread &thread : threads_) {
    if (!is_live(thread)) continue;
    switch (thread.wait.operation) {
      case Operation::kBarrierCount:
        thread.wait.result = count;
        break;
      case Operation::kBarrierAnd:
        thread.wait.result = count == live_;
        break;
      default:
        thread.wait.result = count != 0;
    }
    make_ready(thread);
  }
}

// PTX bar.sync: complete when as many threads have arrived as the last arrival names. PTX counts whole warps: lanes
// that ended or never were count as arrived with the rest of their warp.
void Block::try_named_barrier(unsigned id) {
  std::vector<unsigned> &waiting = at_named_[id];
  const std::size_t wanted = named_wanted_[id], arrived = waiting.size() + named_arrived_[id];
  if (arrived < wanted && arrived + absent_lanes(waiting) < wanted) return;
  idle_since_ = {};
  for (const unsigned index : waiting) make_ready(threads_[index]);
  waiting.clear();
  named_arrived_[id] = 0;
  named_in_use_ &= ~(1U << id);
}

// PTX bar.arrive: the thread counts, and runs on.
void Block::arrive_named(unsigned id, unsigned count) {
  ++named_arrived_[id];
  named_wanted_[id] = count;
  named_in_use_ |= 1U << id;
  try_named_barrier(id);
}

std::size_t Block::absent_lanes(const std::vector<unsigned> &waiting) const {
  if (live_ == warps_.size() * kWarpSize) return 0;
  std::vector<bool> seen(warps_.size());
  std::size_t absent = 0;
  for (const unsigned index : waiting) {
    const unsigned warp = index / kWarpSize;
    if (seen[warp]) continue;
    seen[warp] = true;
    absent += kWarpSize - static_cast<std::size_t>(std::popcount(warps_[warp].live));
  }
  return absent;
}

// With every live thread at the cluster's barrier: waits for the other blocks, then lets the threads go on.
bool Block::pass_cluster_barrier() {
  if (live_ == 0 || at_cluster_ != live_) return false;
  if (cluster_ != nullptr && !cluster_->sync()) return false;
  at_cluster_ = 0;
  make_all_ready();
  return true;
}

// All blocks have come to it.
void Block::pass_grid_barrier() {
  at_grid_ = 0;
  idle_since_ = {};
  make_all_ready();
}

void Block::make_all_ready() {
  for (Thread &thread : threads_) {
    if (is_live(thread)) make_ready(thread);
  }
}

}  // namespace warploom

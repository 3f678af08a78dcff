// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp collectives and __activemask.
#include <bit>
#include <utility>

#include "block.h"
#include "worker.h"

namespace warploom {

// In lane order. Before the block's first barrier ahead of other warps: a warp goes as far as it can before the next
// starts, so few stacks are live. After it all are live, and warps take turns as on a GPU, where each reads what the
// barrier has published before any is through its next reduction.
void Block::make_lanes_ready(unsigned warp, unsigned lanes) {
  warps_[warp].runnable |= lanes;
  if (!seeded_) warps_[warp].together |= lanes;
  if (all_started_) {
    for_each_lane(lanes, [&](unsigned lane) { ready_.push_back(warp * kWarpSize + lane); });
    return;
  }
  push_front(warp, lanes);
}

// The lanes are the next to run, the lowest first.
void Block::push_front(unsigned warp, unsigned lanes) {
  while (lanes != 0) {
    const unsigned lane = 31 - static_cast<unsigned>(std::countl_zero(lanes));
    lanes &= ~(1U << lane);
    ready_.push_front(warp * kWarpSize + lane);
  }
}

// Lanes that a collective has let go meet again before the first atomic operation, as lanes in lock step do: what the
// one that counts or publishes says of its warp's stores is true. Nothing promises that, and under a seed it is not so.
void Block::leave_lock_step(const Thread &thread) {
  const unsigned index = thread.index / kWarpSize, own = 1U << lane(thread);
  Warp &warp = warps_[index];
  if ((warp.together & own) == 0) return;
  warp.together &= ~own;
  if (thread.stop == Stop::kTurn) warp.ahead |= own;
  if (warp.together == 0) push_front(index, std::exchange(warp.ahead, 0));
}

// Completes the collective that `wait` belongs to once every live lane of its mask waits at the same operation with the
// same mask.
void Block::try_collective(unsigned warp, const Wait &wait) {
  const Operation operation = wait.operation;
  const unsigned mask = wait.mask;
  const unsigned needed = mask & warps_[warp].live;
  if (needed == 0 || (needed & ~warps_[warp].at_collective) != 0) return;
  WarpWaits waits{};
  bool agreed = true;
  for_each_lane(needed, [&](unsigned lane) {
    waits[lane] = &threads_[warp * kWarpSize + lane].wait;
    agreed = agreed && waits[lane]->operation == operation && waits[lane]->mask == mask;
  });
  if (!agreed) return;
  evaluate_collective(operation, needed, waits);
  warps_[warp].at_collective &= ~needed;
  make_lanes_ready(warp, needed);
}

// `lane` has ended: collectives that name it may be complete now.
void Block::try_collectives_of_exited(unsigned warp, unsigned lane) {
  for_each_lane(warps_[warp].at_collective, [&](unsigned other) {
    const Wait &wait = threads_[warp * kWarpSize + other].wait;
    const bool still_waits = warps_[warp].at_collective >> other & 1;
    if (still_waits && (wait.mask >> lane & 1) != 0) try_collective(warp, wait);
  });
}

void Block::release_activemask_if_stalled(unsigned warp) {
  if (warps_[warp].runnable != 0 || warps_[warp].at_activemask == 0) return;
  warps_[warp].has_released = true;
  release_activemask(warp);
}

bool Block::is_shared_memory(const volatile void *address) const {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(shared_memory_);
  return offset < shared_memory_size();
}

// Of lanes that all stand at numbered places one at the lowest: it is behind the others. -1 if some stand elsewhere.
int Block::lane_behind(unsigned warp) const {
  int found = -1;
  unsigned least = ~0U;
  bool all_numbered = true;
  for_each_lane(warps_[warp].at_activemask, [&](unsigned lane) {
    const unsigned rank = threads_[warp * kWarpSize + lane].wait.operand;
    all_numbered = all_numbered && rank != 0;
    if (rank >= least) return;
    least = rank;
    found = static_cast<int>(lane);
  });
  return all_numbered ? found : -1;
}

// Releases the lanes that stand at one __activemask: all places in turn, so that lanes that come back again and again
// hold up no others; any place under a seed.
void Block::release_activemask(unsigned warp) {
  const unsigned waiting = warps_[warp].at_activemask;
  const unsigned begin = warps_[warp].next_released;
  unsigned chosen = (begin + static_cast<unsigned>(std::countr_zero(std::rotr(waiting, begin)))) % kWarpSize;
  warps_[warp].next_released = (chosen + 1) % kWarpSize;
  if (seeded_) {
    unsigned rest = waiting;
    for (auto skip = random_.below(static_cast<unsigned>(std::popcount(waiting))); skip > 0; --skip) rest &= rest - 1;
    chosen = static_cast<unsigned>(std::countr_zero(rest));
  }
  const auto wait_of = [&](unsigned lane) -> Wait & { return threads_[warp * kWarpSize + lane].wait; };
  if (const int behind = lane_behind(warp); behind >= 0) chosen = static_cast<unsigned>(behind);
  const Wait &first = wait_of(chosen);
  unsigned group = 0;
  for_each_lane(waiting, [&](unsigned lane) {
    const Wait &wait = wait_of(lane);
    const bool together = wait.site == first.site && wait.file == first.file && wait.line == first.line;
    group |= unsigned{together} << lane;
  });
  for_each_lane(group, [&](unsigned lane) { wait_of(lane).result = group; });
  warps_[warp].at_activemask &= ~group;
  make_lanes_ready(warp, group);
}

}  // namespace warploom

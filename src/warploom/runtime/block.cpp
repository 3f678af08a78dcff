// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler of a block. Who waits for what is in block_barrier.cpp and block_warp.cpp.
#include "block.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "debug_variables.h"
#include "grid.h"
#include "relax.h"
#include "fault_report.h"
#include "report.h"

namespace warploom {
namespace {

// A spin point yields this often: rarely enough for a loop of atomics that does not spin, often enough for one that
// does.
constexpr int kSpinPointsPerYield = 128;
// The same of iterations that take turns (turns.h).
constexpr int kSpinPointsPerTurn = 8;

// When nothing but yields has happened for this long, the threads are taken to spin on something that the block cannot
// bring about by itself.
constexpr auto kIdle = std::chrono::milliseconds(50);

// Where others want the processor, each turn that they get may take them milliseconds: so long at least between two.
constexpr auto kBetweenTurns = std::chrono::microseconds(50);

[[noreturn]] void thread_main(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  Block &block = *thread->block;
  const Launch &launch = block.launch();
  for (Thread *next = thread; next != nullptr; next = block.hand_over(*thread)) {
    thread = next;
    launch.kernel->entry(launch.arguments);
  }
  suspend(*thread, Stop::kRetired);
  __builtin_unreachable();
}

}  // namespace

constinit thread_local Thread *current_thread __attribute__((tls_model("initial-exec"))) = nullptr;

void Block::prepare(Grid &grid, char *shared_memory, StackPool &stacks) {
  grid_ = &grid;
  launch_ = &grid.launch();
  shared_memory_ = shared_memory;
  stacks_ = &stacks;
}

void Block::lay_out_threads() {
  const Extent &shape = launch_->block;
  if (threads_shape_.x == shape.x && threads_shape_.y == shape.y && threads_shape_.z == shape.z) return;
  threads_shape_ = shape;
  threads_.assign(shape.count(), Thread{});
  warps_.assign((threads_.size() + kWarpSize - 1) / kWarpSize, Warp{});
  unsigned index = 0;
  for (unsigned z = 0; z < shape.z; ++z) {
    for (unsigned y = 0; y < shape.y; ++y) {
      for (unsigned x = 0; x < shape.x; ++x, ++index) {
        threads_[index].block = this;
        threads_[index].index = index;
        threads_[index].position = {x, y, z};
      }
    }
  }
}

void Block::begin(std::uint64_t ordinal) {
  const Extent &grid = launch_->grid;
  position_ = {static_cast<unsigned>(ordinal % grid.x), static_cast<unsigned>(ordinal / grid.x % grid.y),
               static_cast<unsigned>(ordinal / grid.x / grid.y)};
  live_ = threads_.size();
  for (Thread &thread : threads_) {
    thread.context = nullptr;
    thread.call = nullptr;
  }
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const std::size_t lanes = std::min<std::size_t>(kWarpSize, live_ - warp * kWarpSize);
    const unsigned mask = ~0U >> (kWarpSize - lanes);
    warps_[warp] = {.live = mask, .runnable = mask};
  }
  ready_.fill(static_cast<unsigned>(live_));
  at_barrier_ = 0;
  all_started_ = false;
  at_grid_ = 0;
  at_cluster_ = 0;
  spins_ = false;
  for (auto &waiting : at_named_) waiting.clear();
  named_arrived_.fill(0);
  named_in_use_ = 0;
  seeded_ = grid_->seed().has_value();
  if (seeded_) random_ = Random(*grid_->seed() ^ (ordinal + 1) * 0x2545f4914f6cdd1d, schedule_is_opposite());
  set_spin_budget();
  yields_ = 0;
  idle_since_ = {};
  last_warp_ = -1;
}

void Block::run(std::uint64_t ordinal) {
  begin(ordinal);
  while (go_on() == Pause::kSpins) {
  }
}

Pause Block::go_on() {
  // The time that others have had is none that this block has waited.
  if (idle_since_.time_since_epoch().count() != 0) idle_since_ += std::chrono::steady_clock::now() - paused_;
  show_launch_to_debuggers(launch_->grid, launch_->block, shared_memory_);
  while (Thread *thread = next()) {
    if (thread->context == nullptr && !start(*thread)) break;
    make_call(*thread);
    current_thread = thread;
    show_thread_to_debuggers(position_, thread->position);
    __warploom_switch(&scheduler_context_, thread->context);
    settle(*std::exchange(current_thread, nullptr));
  }
  return end_pause();
}

Pause Block::end_pause() {
  if (live_ == 0) return Pause::kOver;
  if (grid_->failed()) {
    release_stacks();
    return Pause::kOver;
  }
  if (!std::exchange(spins_, false)) return Pause::kAtGridBarrier;
  paused_ = std::chrono::steady_clock::now();
  return Pause::kSpins;
}

// The thread to resume; null when the block is over, whichever way, or has to pause.
Thread *Block::next() {
  if (grid_->failed()) return next_of_last_warp();
  if (spins_) return nullptr;
  if (!ready_.empty() || pass_cluster_barrier()) return &pop_ready();
  if (live_ != 0 && live_ != at_grid_ && !grid_->failed()) grid_->fail(Outcome::kDeadlock, describe_deadlock(*this));
  return nullptr;
}

Thread *Block::next_of_last_warp() {
  if (last_warp_ < 0) return nullptr;
  while (!ready_.empty()) {
    Thread &thread = pop_ready();
    if (static_cast<int>(thread.index / kWarpSize) == last_warp_) return &thread;
  }
  return nullptr;
}

Thread &Block::pop_ready() { return threads_[seeded_ ? ready_.pop_random(random_) : ready_.pop_front()]; }

// Gives the thread a stack; false when the system has none left.
bool Block::start(Thread &thread) {
  thread.stack = stacks_->acquire();
  if (thread.stack.top == nullptr) {
    grid_->fail(Outcome::kTrap, no_memory_for_threads("the stacks of " + describe_block(*this)));
    return false;
  }
  thread.context =
      prepare_context(thread.stack, &scheduler_context_, thread_main, &thread, launch_->kernel->flush_denormals != 0);
  return true;
}

// The thread has come to the end of its kernel. When it is the turn of one that has not started, that runs on the same
// stack from here, and two switches are spared; null when the scheduler has to look.
Thread *Block::hand_over(Thread &thread) {
  thread.stop = Stop::kRetired;
  leave_lock_step(thread);
  retire(thread);
  if (seeded_ || ready_.empty() || grid_->failed()) return nullptr;
  Thread &next = threads_[ready_.front()];
  if (next.context != nullptr) return nullptr;
  ready_.pop_front();
  next.stack = thread.stack;
  next.context = thread.context;
  current_thread = &next;
  show_thread_to_debuggers(position_, next.position);
  return &next;
}

// What a thread stopped for with kCall is done when its turn comes again: the others have had theirs by then. A grid
// that one lane launches finds what its warp has stored, as where the lanes of a warp run side by side.
void Block::make_call(Thread &thread) {
  const std::function<void()> *const call = std::exchange(thread.call, nullptr);
  if (!call) return;
  (*call)();
  idle_since_ = {};
}

// Acts on what the thread stopped for.
void Block::settle(Thread &thread) {
  leave_lock_step(thread);
  switch (thread.stop) {
    case Stop::kExit:
      retire(thread);
      return stacks_->release(thread.stack);
    case Stop::kRetired:
      return stacks_->release(thread.stack);
    case Stop::kTurn:
      return;
    case Stop::kYield:
      ready_.push_back(thread.index);
      return note_yield();
    case Stop::kWait:
      return begin_wait(thread);
    case Stop::kCall:
      return ready_.push_back(thread.index);
    case Stop::kFault:
      grid_->fail(fault_outcome(fault_), describe_fault(thread, fault_));
      return;
  }
}

void Block::begin_wait(Thread &thread) {
  if (grid_->failed()) return;
  const unsigned warp = thread.index / kWarpSize;
  const unsigned bit = 1U << lane(thread);
  warps_[warp].runnable &= ~bit;
  const Operation operation = thread.wait.operation;
  if (is_block_barrier(operation)) {
    ++at_barrier_;
    try_block_barrier();
  } else if (operation == Operation::kNamedBarrier) {
    at_named_[thread.wait.operand].push_back(thread.index);
    named_wanted_[thread.wait.operand] = thread.wait.width;
    named_in_use_ |= 1U << thread.wait.operand;
    try_named_barrier(thread.wait.operand);
  } else if (operation == Operation::kGridSync) {
    ++at_grid_;
  } else if (operation == Operation::kClusterSync) {
    ++at_cluster_;
  } else if (operation == Operation::kActiveMask) {
    warps_[warp].at_activemask |= bit;
  } else {
    warps_[warp].at_collective |= bit;
    try_collective(warp, thread.wait);
  }
  release_activemask_if_stalled(warp);
}

// The thread has ended: whoever waited for it alone may go on.
void Block::retire(Thread &thread) {
  const unsigned warp = thread.index / kWarpSize;
  const unsigned bit = 1U << lane(thread);
  warps_[warp].live &= ~bit;
  warps_[warp].runnable &= ~bit;
  --live_;
  idle_since_ = {};
  if (at_barrier_ != 0) try_block_barrier();
  for (unsigned ids = named_in_use_; ids != 0; ids &= ids - 1) {
    try_named_barrier(static_cast<unsigned>(std::countr_zero(ids)));
  }
  try_collectives_of_exited(warp, lane(thread));
  release_activemask_if_stalled(warp);
}

// After a failure: stacks of threads that have started and will not be resumed.
void Block::release_stacks() {
  for (Thread &thread : threads_) {
    if (is_live(thread) && thread.context != nullptr) stacks_->release(thread.stack);
  }
}

void Block::set_spin_budget() {
  spin_points_left_ = seeded_ ? 1 + static_cast<int>(random_.below(16)) : kSpinPointsPerYield;
}

// A thread spins, or merely runs through many spin points. Once every ready thread has yielded in turn, let other OS
// threads run; after a while of this, let in whomever the spinning threads might be waiting for.
void Block::note_yield() {
  set_spin_budget();
  if (++yields_ < ready_.size()) return;
  yields_ = 0;
  spins_ = launch_->cooperative;
  if (!let_others_run()) return;
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    // Lanes in lock step yield between two meetings: if some have met since the last time, the others only wait for a
    // lane that comes. (Time alone tells nothing on a machine with other work.)
    const bool makes_headway = std::exchange(warps_[warp].has_released, false);
    if (warps_[warp].at_activemask != 0 && !makes_headway) release_activemask(warp);
  }
  grid_->add_helpers();
}

// True when this has gone on for a while.
bool Block::let_others_run() {
  const auto now = std::chrono::steady_clock::now();
  if (now - let_run_ >= kBetweenTurns) {
    sched_yield();
    let_run_ = now;
  }
  if (idle_since_.time_since_epoch().count() == 0) idle_since_ = now;
  if (now - idle_since_ < kIdle) return false;
  idle_since_ = now;
  return true;
}

void Block::forget_spinning() {
  seeded_ = false;
  set_spin_budget();
  idle_since_ = {};
}

void Block::pass_time() {
  if (grid_->failed()) suspend(*current_thread, Stop::kExit);
  relax();
  const bool takes_turns = turns_.pass();
  set_spin_budget();
  if (takes_turns) spin_points_left_ = kSpinPointsPerTurn;
  if (let_others_run()) grid_->add_helpers();
}

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference engine's block: one fiber a thread, all on one OS thread, never preempted.
//
// A thread runs until it ends, waits, or yields at a spin point; then the scheduler (Block::run) looks at what it
// stopped for, releases whom that lets go on, and resumes the next ready thread. Every rule of who may go on is applied
// by the scheduler on its own stack, but for one: a thread that ends starts the next, where that is as new as itself
// was (Block::hand_over).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "collective.h"
#include "engine.h"
#include "fault.h"
#include "fiber.h"
#include "operation.h"
#include "random.h"
#include "ready_queue.h"
#include "thread_loop.h"
#include "turns.h"

namespace warploom {

class Block;
class Cluster;
class Grid;

// How a block left `go_on`: kOver, its threads have ended or the grid has failed; kAtGridBarrier, all that are left
// wait there; kSpins, each has yielded, and maybe waits for another block of a cooperative launch.
enum class Pause : std::uint8_t { kOver, kAtGridBarrier, kSpins };

// kCall: for its scheduler to make a call that needs an OS thread's own stack. kRetired: after `retire`.
enum class Stop : std::uint8_t { kExit, kRetired, kYield, kTurn, kWait, kFault, kCall };

struct Thread {
  void *context = nullptr;  // null: not started
  Block *block = nullptr;
  unsigned index = 0;  // x + y * block.x + z * block.x * block.y
  Extent position;
  bool runs_blocks = false;  // stands for whichever thread of its block runs (the optimising engine)
  Stop stop = Stop::kExit;
  Stack stack;
  Wait wait;
  const std::function<void()> *call = nullptr;  // kCall
};

// Lanes by what they do, one bit each.
struct Warp {
  unsigned live = 0;      // not ended
  unsigned runnable = 0;  // ready or running
  unsigned at_collective = 0;
  unsigned at_activemask = 0;
  unsigned together = 0;       // let go by one collective, and running since without a stop
  unsigned ahead = 0;          // of these, those that have come to an atomic operation and wait for the others
  unsigned next_released = 0;  // lane to ask first when lanes at an __activemask are let go
  bool has_released = false;   // some were, since the block last asked whether it makes no headway
};

// The thread that runs on this OS thread; null outside device code.
extern constinit thread_local Thread *current_thread __attribute__((tls_model("initial-exec")));

// Leaves the running thread for its scheduler; returns when the scheduler resumes it. Inlined, because a
// processor mispredicts every return after a switch: the call was another context's.
inline void suspend(Thread &thread, Stop reason);

class Block {
 public:
  static constexpr unsigned kNamedBarriers = 16;  // as on a device

  // Before the blocks of a launch.
  void prepare(Grid &grid, char *shared_memory, StackPool &stacks);
  // Before `run`: sizes everything by the launch.
  void lay_out_threads();
  // Runs the block `ordinal` (x fastest) to its end. A failure is recorded in the grid.
  void run(std::uint64_t ordinal);
  // The same in pieces, all on one OS thread, for blocks that share it: after `begin`, until it is over.
  void begin(std::uint64_t ordinal);
  Pause go_on();
  void pass_grid_barrier();

  Thread *hand_over(Thread &thread);

  const Launch &launch() const { return *launch_; }
  Grid &grid() const { return *grid_; }
  const Extent &position() const { return position_; }
  Extent &position() { return position_; }
  char *shared_memory() const { return shared_memory_; }
  bool is_shared_memory(const volatile void *address) const;
  void set_shared_memory(char *memory) { shared_memory_ = memory; }
  // The cluster that the block is part of; null when the block is one alone.
  Cluster *cluster() const { return cluster_; }
  void set_cluster(Cluster *cluster) { cluster_ = cluster; }
  const std::vector<Thread> &threads() const { return threads_; }
  bool is_live(const Thread &thread) const { return warps_[thread.index / kWarpSize].live >> lane(thread) & 1; }
  static unsigned lane(const Thread &thread) { return thread.index % kWarpSize; }

  // True when the spin point that calls must yield.
  void arrive_named(unsigned id, unsigned count);
  bool spin_point_is_due() { return --spin_points_left_ <= 0; }
  // Other lanes that were let go with this thread are behind it.
  bool is_ahead_of_warp(const Thread &thread) const {
    if (thread.runs_blocks) return false;
    const unsigned together = warps_[thread.index / kWarpSize].together, own = 1U << lane(thread);
    return (together & own) != 0 && together != own;
  }
  // The warp of `thread` goes on to its next wait after the grid has failed: its other lanes may have an assertion to
  // report, too.
  void let_warp_go_on(const Thread &thread) { last_warp_ = static_cast<int>(thread.index / kWarpSize); }
  void set_fault(const Fault &fault) { fault_ = fault; }
  const Fault &fault() const { return fault_; }
  // Code that runs whole blocks begins to run one, or spins: when it spins for long, other OS threads and other blocks
  // get their turn.
  void forget_spinning();
  void pass_time();
  // Something begins that has not waited yet.
  void renew_patience() { set_spin_budget(); }
  Turns &turns() { return turns_; }
  ThreadLoop &thread_loop() { return thread_loop_; }
  void *&scheduler_context() { return scheduler_context_; }

 private:
  Thread *next();
  Thread *next_of_last_warp();
  Thread &pop_ready();
  bool start(Thread &thread);
  void make_call(Thread &thread);
  void settle(Thread &thread);
  void begin_wait(Thread &thread);
  void retire(Thread &thread);
  void release_stacks();
  Pause end_pause();

  void note_yield();
  bool let_others_run();
  void set_spin_budget();

  void make_ready(Thread &thread);
  void make_lanes_ready(unsigned warp, unsigned lanes);
  void push_front(unsigned warp, unsigned lanes);
  void leave_lock_step(const Thread &thread);
  int lane_behind(unsigned warp) const;
  void try_block_barrier();
  void try_named_barrier(unsigned id);
  std::size_t absent_lanes(const std::vector<unsigned> &waiting) const;
  bool pass_cluster_barrier();
  void make_all_ready();
  void try_collective(unsigned warp, const Wait &wait);
  void try_collectives_of_exited(unsigned warp, unsigned lane);
  void release_activemask(unsigned warp);
  void release_activemask_if_stalled(unsigned warp);

  const Launch *launch_ = nullptr;
  Grid *grid_ = nullptr;
  Cluster *cluster_ = nullptr;
  char *shared_memory_ = nullptr;
  StackPool *stacks_ = nullptr;
  Turns turns_;
  void *scheduler_context_ = nullptr;

  Extent position_;
  Extent threads_shape_{0, 0, 0};  // what threads_ is laid out for
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  ReadyQueue ready_;
  std::size_t live_ = 0;
  std::size_t at_barrier_ = 0;
  bool all_started_ = false;  // the block has come past a barrier of all its threads
  std::size_t at_grid_ = 0;
  std::size_t at_cluster_ = 0;
  bool spins_ = false;  // to leave `go_on`
  std::chrono::steady_clock::time_point paused_;
  std::array<std::vector<unsigned>, kNamedBarriers> at_named_;
  std::array<unsigned, kNamedBarriers> named_wanted_{};   // threads, as the last arrival said
  std::array<unsigned, kNamedBarriers> named_arrived_{};  // threads that arrived without waiting
  unsigned named_in_use_ = 0;                             // ids that threads wait at, one bit each

  bool seeded_ = false;
  Random random_;
  int spin_points_left_ = 0;
  std::size_t yields_ = 0;  // since the last round of all ready threads
  std::chrono::steady_clock::time_point idle_since_;
  std::chrono::steady_clock::time_point let_run_;  // others
  int last_warp_ = -1;
  Fault fault_;
  ThreadLoop thread_loop_;
};

inline void suspend(Thread &thread, Stop reason) {
  thread.stop = reason;
  __warploom_switch(&thread.context, thread.block->scheduler_context());
}

}  // namespace warploom

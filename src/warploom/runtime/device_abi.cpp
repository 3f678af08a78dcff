// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device ABI on the reference engine: indices, barriers, yielding and time. Warp collectives are in
// device_abi_warp.cpp, output and the heap in device_abi_io.cpp.
#include "../include/warploom/device_abi.h"

#include <chrono>

#include "block.h"
#include "cluster.h"
#include "grid.h"
#include "report.h"

using warploom::current_thread;
using warploom::Operation;
using warploom::Stop;
using warploom::Thread;

namespace {

const warploom::Extent &cluster_shape() { return current_thread->block->launch().cluster; }

}  // namespace

unsigned __warploom_thread_idx_x() noexcept { return current_thread->position.x; }
unsigned __warploom_thread_idx_y() noexcept { return current_thread->position.y; }
unsigned __warploom_thread_idx_z() noexcept { return current_thread->position.z; }
unsigned __warploom_block_idx_x() noexcept { return current_thread->block->position().x; }
unsigned __warploom_block_idx_y() noexcept { return current_thread->block->position().y; }
unsigned __warploom_block_idx_z() noexcept { return current_thread->block->position().z; }
unsigned __warploom_block_dim_x() noexcept { return current_thread->block->launch().block.x; }
unsigned __warploom_block_dim_y() noexcept { return current_thread->block->launch().block.y; }
unsigned __warploom_block_dim_z() noexcept { return current_thread->block->launch().block.z; }
unsigned __warploom_grid_dim_x() noexcept { return current_thread->block->launch().grid.x; }
unsigned __warploom_grid_dim_y() noexcept { return current_thread->block->launch().grid.y; }
unsigned __warploom_grid_dim_z() noexcept { return current_thread->block->launch().grid.z; }
unsigned __warploom_lane_id() noexcept { return current_thread->index % warploom::kWarpSize; }
unsigned __warploom_warp_id() noexcept { return current_thread->index / warploom::kWarpSize; }

char *__warploom_shared_memory() noexcept { return current_thread->block->shared_memory(); }
unsigned __warploom_dynamic_shared_size() noexcept {
  return static_cast<unsigned>(current_thread->block->launch().dynamic_shared);
}
unsigned __warploom_cluster_dim_x() noexcept { return cluster_shape().x; }
unsigned __warploom_cluster_dim_y() noexcept { return cluster_shape().y; }
unsigned __warploom_cluster_dim_z() noexcept { return cluster_shape().z; }
char *__warploom_cluster_shared_memory(unsigned rank) noexcept {
  const warploom::Block &block = *current_thread->block;
  if (block.cluster() == nullptr) return rank == 0 ? block.shared_memory() : nullptr;
  return block.cluster()->shared_memory(rank);
}
int __warploom_cluster_rank_of(const void *address) noexcept {
  const warploom::Block &block = *current_thread->block;
  if (block.cluster() == nullptr) return block.is_shared_memory(address) ? 0 : -1;
  return block.cluster()->rank_of(address);
}
int __warploom_is_cooperative() noexcept { return current_thread->block->launch().cooperative; }

namespace {

int barrier(Operation operation, int predicate, const char *file, int line) {
  Thread &thread = *current_thread;
  thread.wait = {.operation = operation, .value = predicate != 0, .file = file, .line = line};
  suspend(thread, Stop::kWait);
  return static_cast<int>(thread.wait.result);
}

[[noreturn]] void fail(Thread &thread, const std::string &problem,
                       warploom::Outcome outcome = warploom::Outcome::kTrap) {
  thread.block->grid().fail(outcome, problem + " in " + describe_thread(thread));
  suspend(thread, Stop::kExit);
  __builtin_unreachable();
}

void yield(Thread &thread) {
  if (thread.runs_blocks) {
    thread.block->pass_time();
    if (thread.block->grid().failed()) suspend(thread, Stop::kExit);
  } else {
    suspend(thread, Stop::kYield);
  }
}

}  // namespace

void __warploom_barrier(const char *file, int line) noexcept { barrier(Operation::kBarrier, 0, file, line); }
int __warploom_barrier_count(int predicate, const char *file, int line) noexcept {
  return barrier(Operation::kBarrierCount, predicate, file, line);
}
int __warploom_barrier_and(int predicate, const char *file, int line) noexcept {
  return barrier(Operation::kBarrierAnd, predicate, file, line);
}
int __warploom_barrier_or(int predicate, const char *file, int line) noexcept {
  return barrier(Operation::kBarrierOr, predicate, file, line);
}

void __warploom_barrier_named(unsigned id, unsigned count, const char *file, int line) noexcept {
  Thread &thread = *current_thread;
  if (id >= warploom::Block::kNamedBarriers)
    fail(thread, "barrier " + std::to_string(id) + " does not exist: bar.sync");
  thread.wait = {.operation = Operation::kNamedBarrier, .operand = id, .width = count, .file = file, .line = line};
  suspend(thread, Stop::kWait);
}

void __warploom_barrier_arrive(unsigned id, unsigned count, const char *, int) noexcept {
  Thread &thread = *current_thread;
  if (id >= warploom::Block::kNamedBarriers)
    fail(thread, "barrier " + std::to_string(id) + " does not exist: bar.arrive");
  thread.block->arrive_named(id, count);
}

void __warploom_grid_sync(const char *file, int line) noexcept {
  Thread &thread = *current_thread;
  if (!thread.block->launch().cooperative) fail(thread, "grid.sync() in a launch that is not cooperative:");
  thread.wait = {.operation = Operation::kGridSync, .file = file, .line = line};
  suspend(thread, Stop::kWait);
}

void __warploom_cluster_sync(const char *file, int line) noexcept {
  Thread &thread = *current_thread;
  thread.wait = {.operation = Operation::kClusterSync, .file = file, .line = line};
  suspend(thread, Stop::kWait);
}

void __warploom_spin_point() noexcept {
  Thread &thread = *current_thread;
  if (thread.block->is_ahead_of_warp(thread)) suspend(thread, Stop::kTurn);
  if (thread.block->spin_point_is_due()) yield(thread);
}

void __warploom_phase_wait(const unsigned *word, unsigned mask, unsigned old) noexcept {
  while ((__atomic_load_n(word, __ATOMIC_SEQ_CST) & mask) == old) yield(*current_thread);
}

void __warploom_waits_apart() noexcept {
  fail(*current_thread,
       "threads of a block wait for different phases of barriers at one place, which needs --engine=reference:");
}

// Sleeping would hold up the other threads of the block; letting them run takes time enough.
void __warploom_nanosleep(unsigned) noexcept { yield(*current_thread); }

void __warploom_set_thread(unsigned x, unsigned y, unsigned z) noexcept {
  Thread &thread = *current_thread;
  const warploom::Extent &shape = thread.block->launch().block;
  thread.position = {x, y, z};
  thread.index = x + shape.x * (y + shape.y * z);
}
void __warploom_set_thread_index(unsigned index) noexcept {
  Thread &thread = *current_thread;
  const warploom::Extent &shape = thread.block->launch().block;
  thread.position = {index % shape.x, index / shape.x % shape.y, index / shape.x / shape.y};
  thread.index = index;
}

// A clock of 1 GHz: nanoseconds are its cycles.
long long __warploom_clock64() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
unsigned long long __warploom_globaltimer() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(std::chrono::nanoseconds(now).count());
}

void __warploom_exit_thread() noexcept {
  if (current_thread->runs_blocks) fail(*current_thread, "a thread ends inside of a function that is not inlined,");
  suspend(*current_thread, Stop::kExit);
  __builtin_unreachable();
}

void __warploom_trap() noexcept { fail(*current_thread, "__trap()"); }

// `mask`: the bits of the address that must be zero.
void __warploom_misaligned(const void *address, unsigned long mask) noexcept {
  const std::string where = warploom::hexadecimal(reinterpret_cast<std::uintptr_t>(address));
  fail(*current_thread, "misaligned access of " + std::to_string(mask + 1) + " bytes at " + where,
       warploom::Outcome::kMisalignedAddress);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one OS thread needs to run blocks: fibers' stacks and shared memory. Kept between launches.
#pragma once

#include <cstddef>

#include "block.h"
#include "fiber.h"
#include "progress.h"

namespace warploom {

// Pages of its own. A block's shared memory is one: dynamic shared memory, then every image's static shared variables.
class Pages {
 public:
  Pages() = default;
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  ~Pages();

  // Page-aligned memory of at least `bytes`; null when there is none. Grows, and then loses its contents.
  char *require(std::size_t bytes);

 private:
  void drop();

  char *memory_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes of a block's shared memory.
std::size_t shared_memory_size();
// Addresses from its first on that count as shared (__isShared): nothing else may lie there.
std::size_t shared_memory_window();

struct Worker {
  StackPool stacks, loom_stacks;
  Pages shared_memory;
  Pages scratch;  // values that live across thread loops (the optimising engine)
  Block block;
  Thread thread;  // the optimising engine's
  PartRecord *const part;

  Worker() : part(new_part_record(&block.position())) {
    thread.block = &block;
    thread.runs_blocks = true;
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() { drop(part); }
};

// Makes the calling OS thread's worker, with a stack and shared memory: a member of the team is likely to want it soon,
// and all members at once would wait for each other in the system.
void ready_worker();

// A worker, for the calling OS thread, readied for the grid's launch.
class WorkerLease {
 public:
  explicit WorkerLease(Grid &grid);
  WorkerLease(const WorkerLease &) = delete;
  WorkerLease &operator=(const WorkerLease &) = delete;
  ~WorkerLease();

  // False when there is no memory for it; the grid has been failed then.
  explicit operator bool() const { return ready_; }
  Worker *operator->() const { return worker_; }
  Worker &operator*() const { return *worker_; }

 private:
  Worker *worker_;
  bool ready_;
};

}  // namespace warploom

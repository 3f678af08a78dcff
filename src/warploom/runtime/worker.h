// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one OS thread needs to run blocks: fibers' stacks and shared memory. Kept between launches.
#pragma once

#include <cstddef>

#include "block.h"
#include "fiber.h"

namespace warploom {

// A block's shared memory: dynamic shared memory, then every image's static shared variables.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;
  ~SharedMemory();

  // Page-aligned memory of at least `bytes`; null when there is none. Grows, and then loses its contents.
  char *require(std::size_t bytes);

 private:
  char *memory_ = nullptr;
  std::size_t size_ = 0;
};

struct Worker {
  StackPool stacks;
  SharedMemory shared_memory;
  Block block;
};

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

 private:
  Worker *worker_;
  bool ready_;
};

}  // namespace warploom

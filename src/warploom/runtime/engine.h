// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seam between CUDA's API (memory, streams, launches: api/) and the engines that run grids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "image.h"

namespace warploom {

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct Launch {
  const Kernel *kernel;
  Extent grid, block;
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
  void **arguments = nullptr;
};

// How a grid ended. Everything but kOk is sticky, as on a device.
enum class Outcome { kOk, kDeadlock, kAssert, kTrap, kIllegalAddress, kStackOverflow };

// Runs every thread of every block; returns when all have ended. The message of a failure has been written to stderr.
Outcome run_grid(const Launch &launch);

// Kernels and device variables by the id that the host side registered; null when there is none. `name` is mangled.
const Kernel *find_kernel(const char *image_id, const char *name);
const Variable *find_variable(const char *image_id, const char *name);
// The same over every image (separate compilation: the host side does not know which translation unit defines it).
const Kernel *find_kernel(const char *name);
const Variable *find_variable(const char *name);
// The host's variable at `host` is the storage of this managed variable: gives it the initial value.
void bind_managed(const Variable &variable, void *host);
// The variable whose storage holds `address`; null when there is none.
const Variable *variable_at(const void *address);

// Bytes of private stack a thread gets (cudaLimitStackSize may raise it).
void set_thread_stack_size(std::size_t bytes);
std::size_t thread_stack_size();
// Bytes that device malloc may hand out in all (cudaLimitMallocHeapSize).
void set_device_heap_size(std::size_t bytes);
std::size_t device_heap_size();
// Cores that blocks are spread over: the multiprocessors of the device.
unsigned processor_count();

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seam between CUDA's API (memory, streams, launches: api/) and the engines that run grids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

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
  unsigned depth = 0;             // 0: the host launched it; else one more than the grid whose thread did
  Extent cluster{};               // blocks of a cluster; the grid is a multiple of it
  const void *site = nullptr;     // what the launch returns to in the host's code; null: not known
  std::uint64_t stream = 0;       // its id
  std::uint32_t correlation = 0;  // observe.h: of the call that launched it
};

// Grids that device code launches run at their launch as far down as here, and deeper ones when their parent has run.
inline constexpr unsigned kMaximumDepth = 24;

// How a grid ended. Everything but kOk is sticky, as on a device.
// kStopped: it only waited, and was not to wait any longer, which is no failure of its own.
enum class Outcome { kOk, kDeadlock, kAssert, kTrap, kIllegalAddress, kMisalignedAddress, kStackOverflow, kStopped };

// Runs every thread of every block, and what they leave to run after the grid; returns when all have ended. The message
// of a failure has been written to stderr. Not for device code: see run_child_grid.
Outcome run_grid(const Launch &launch);

// How often blocks have found, for 50 ms, that their threads only wait.
unsigned idle_spells();
// Grids whose threads only wait end soon, from now on until this is taken back: nothing will come any more.
void stop_waiting_grids(bool stop);
// Whether the calling OS thread's work may go to others.
bool may_spread();

// What device code asks for (device_calls.cpp). All but the first is for the thread of a grid that calls.
bool in_device_code();
// The launch that the thread belongs to.
const Launch &calling_launch();
// Runs a grid to its end. When that fails, so does the thread's own grid: end_calling_grid.
Outcome run_child_grid(const Launch &launch);
[[noreturn]] void end_calling_grid(Outcome outcome);
// Leaves work for when the thread's grid has run: an operation, or (null) a launch that refers to `owned`.
struct TailWork {
  std::function<void()> operation;
  Launch launch{};
  std::shared_ptr<void> owned{};
  bool is_last = false;  // behind all that is not
};
void run_after_calling_grid(TailWork work);
// The thread's last error, as cudaGetLastError has it; 0: none.
int calling_thread_error();
void set_calling_thread_error(int error);

// Kernels and device variables by the id that the host side registered; null when there is none. `name` is mangled.
const Kernel *find_kernel(const char *image_id, const char *name);
const Variable *find_variable(const char *image_id, const char *name);
// The same over every image (separate compilation: the host side does not know which translation unit defines it).
const Kernel *find_kernel(const char *name);
const Variable *find_variable(const char *name);
// The kernel whose address in device code is `handle`; null when there is none.
const Kernel *kernel_of_handle(const void *handle);
// The same kernel compiled for the reference engine, to compare the two; null when the program has none.
const Kernel *twin_of(const Kernel &kernel);
// From now on grids of this process run the twins of kernels; true when one that has none was asked for.
void run_twins();
bool a_twin_was_missing();
// The host's variable at `host` is the storage of this managed variable: gives it the initial value.
void bind_managed(const Variable &variable, void *host);
// The variable whose storage holds `address`; null when there is none.
const Variable *variable_at(const void *address);
// Every variable of the program and its modules.
std::vector<const Variable *> all_variables();

// Bytes of private stack a thread gets (cudaLimitStackSize may raise it).
void set_thread_stack_size(std::size_t bytes);
std::size_t thread_stack_size();
// Bytes that device malloc may hand out in all (cudaLimitMallocHeapSize).
void set_device_heap_size(std::size_t bytes);
std::size_t device_heap_size();
// Cores that blocks are spread over: the multiprocessors of the device.
unsigned processor_count();

}  // namespace warploom

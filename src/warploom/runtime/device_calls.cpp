// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CUDA runtime needs to know of, and do for, a thread of a grid that calls it.
#include <cstdint>
#include <utility>

#include "block.h"
#include "engine.h"
#include "grid.h"

namespace warploom {
namespace {

Grid &calling_grid() { return current_thread->block->grid(); }

// The calling thread's number in its grid.
std::uint64_t calling_thread_number() {
  const Block &block = *current_thread->block;
  const Extent &grid = block.launch().grid;
  const Extent &at = block.position();
  const std::uint64_t ordinal = at.x + grid.x * (at.y + std::uint64_t{grid.y} * at.z);
  return ordinal * block.launch().block.count() + current_thread->index;
}

}  // namespace

bool in_device_code() { return current_thread != nullptr; }

const Launch &calling_launch() { return current_thread->block->launch(); }

// On the scheduler's stack: the child's fibers switch to their scheduler and back from there, and a fiber's own stack
// is no place for a nest of grids.
Outcome run_child_grid(const Launch &launch) {
  Outcome outcome = Outcome::kOk;
  const std::function<void()> call = [&] { outcome = run_grid(launch); };
  Thread &thread = *current_thread;
  thread.call = &call;
  suspend(thread, Stop::kCall);
  return outcome;
}

void end_calling_grid(Outcome outcome) {
  calling_grid().fail(outcome, {});
  suspend(*current_thread, Stop::kExit);
  __builtin_unreachable();
}

void run_after_calling_grid(TailWork work) { calling_grid().add_tail(std::move(work)); }

int calling_thread_error() { return calling_grid().thread_error(calling_thread_number()); }

void set_calling_thread_error(int error) { calling_grid().set_thread_error(calling_thread_number(), error); }

}  // namespace warploom

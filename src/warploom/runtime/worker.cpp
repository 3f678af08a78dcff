// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "../include/warploom/device_abi.h"
#include "engine.h"
#include "fault.h"
#include "fork_lock.h"
#include "grid.h"
#include "own_pages.h"
#include "registry.h"
#include "report.h"

namespace warploom {
namespace {

// Virtual, so generous: host code for a thread needs more stack than device code, and pages never touched cost nothing.
constexpr std::size_t kMinimumStack = std::size_t{1} << 20;
// The optimising engine has one stack for all threads of a block, which are vectors: code that LLVM does not optimise
// keeps every one of them in its frame.
constexpr std::size_t kMinimumLoomStack = std::size_t{8} << 20;
// Above what a kernel's own frames need: for what they call in the host's libraries.
constexpr std::size_t kCalleeStack = 65536;

std::atomic<std::size_t> stack_size{kMinimumStack};

struct IdleWorkers {
  Forkable<std::mutex> mutex;
  std::vector<std::unique_ptr<Worker>> workers;  // the last one is the warmest
};

IdleWorkers &idle_workers() {
  static auto *const result = new IdleWorkers;  // never destroyed: a launch may come from a destructor at exit
  return *result;
}

// The calling OS thread's: whoever takes part in one launch is likely to take part in the next, and all of them begin
// at once. Null while it is at work; several launches of one thread, each within the other, take the others'.
thread_local Worker *own_worker = nullptr;
thread_local bool thread_ends = false;

void give_to_others(Worker *worker);

struct OwnWorker {
  ~OwnWorker() {
    thread_ends = true;
    if (own_worker != nullptr) give_to_others(std::exchange(own_worker, nullptr));
  }
};

Worker *take_worker() {
  if (own_worker != nullptr) return std::exchange(own_worker, nullptr);
  IdleWorkers &idle = idle_workers();
  {
    const std::lock_guard lock(idle.mutex);
    if (!idle.workers.empty()) {
      Worker *const worker = idle.workers.back().release();
      idle.workers.pop_back();
      return worker;
    }
  }
  return new Worker;
}

// A cooperative launch may have made far more workers than there are processors: they are not kept.
void give_to_others(Worker *worker) {
  std::unique_ptr<Worker> owned(worker);
  IdleWorkers &idle = idle_workers();
  const std::size_t kept = processor_count() + kMaximumDepth;
  const std::lock_guard lock(idle.mutex);
  if (idle.workers.size() < kept) idle.workers.push_back(std::move(owned));
}

void return_worker(Worker *worker) {
  static thread_local const OwnWorker keeper;
  static_cast<void>(keeper);
  if (own_worker == nullptr && !thread_ends) {
    own_worker = worker;
  } else {
    give_to_others(worker);
  }
}

// What compiled code may read around shared variables whichever threads are active (analysis/shared_bounds.py); a
// multiple of the variables' alignment. In front of them lies the dynamic part.
constexpr std::size_t kSharedPadding = 256;
}  // namespace

std::size_t shared_memory_window() {
  return std::max<std::size_t>(shared_memory_size(), 2 * WARPLOOM_STATIC_SHARED_OFFSET);
}

std::size_t shared_memory_size() { return WARPLOOM_STATIC_SHARED_OFFSET + static_shared_size() + kSharedPadding; }

void set_thread_stack_size(std::size_t bytes) { stack_size = bytes; }
std::size_t thread_stack_size() { return stack_size; }

Pages::~Pages() { drop(); }

void Pages::drop() {
  if (memory_ == nullptr) return;
  forget_own_pages(memory_);
  munmap(memory_, size_);
}

char *Pages::require(std::size_t bytes) {
  if (bytes <= size_) return memory_;
  drop();
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory_ = memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
  size_ = memory_ == nullptr ? 0 : bytes;
  if (memory_ != nullptr) note_own_pages(memory_, size_);
  return memory_;
}

void ready_worker() {
  try {
    use_signal_stack();
    Worker *const worker = take_worker();
    worker->loom_stacks.require(std::max(kMinimumLoomStack, stack_size.load()));
    if (const Stack stack = worker->loom_stacks.acquire(); stack.top != nullptr) {
      *static_cast<volatile char *>(stack.top - 1) = 0;  // the page
      worker->loom_stacks.release(stack);
    }
    worker->shared_memory.require(shared_memory_window());
    return_worker(worker);
  } catch (const std::bad_alloc &) {
    // A launch that wants it tries again.
  }
}

WorkerLease::WorkerLease(Grid &grid) : worker_(take_worker()), ready_(true) {
  use_signal_stack();
  const Kernel &kernel = *grid.launch().kernel;
  const bool is_loom = kernel.grid_entry != nullptr;
  StackPool &stacks = is_loom ? worker_->loom_stacks : worker_->stacks;
  const std::size_t least = is_loom ? kMinimumLoomStack : kMinimumStack;
  stacks.require(std::max({least, stack_size.load(), kernel.local_size + kCalleeStack}));
  char *const shared = worker_->shared_memory.require(shared_memory_window());
  if (shared == nullptr) {
    grid.fail(Outcome::kTrap, no_memory_for_threads("the shared memory of kernel " + kernel_name(kernel)));
    ready_ = false;
    return;
  }
  worker_->block.prepare(grid, shared, stacks);
  const std::size_t turn = kernel.local_size + kCalleeStack;
  if (is_loom) worker_->block.turns().prepare(worker_->stacks, std::max({kMinimumStack, stack_size.load(), turn}));
  if (!is_loom) worker_->block.lay_out_threads();
}

WorkerLease::~WorkerLease() { return_worker(worker_); }

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loom_grid.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "../include/warploom/device_abi.h"
#include "engine.h"
#include "fault_report.h"
#include "launch_history.h"
#include "random.h"
#include "relax.h"
#include "report.h"
#include "spread.h"
#include "ticks.h"

namespace warploom {
namespace {

// Up to this many threads a loop is not worth waking other OS threads for: 1-2 us of work.
constexpr std::uint64_t kInlineThreads = 256;

// Unless they do so many ops: 2-10 us of work, in vectors.
constexpr std::uint64_t kInlineWork = std::uint64_t{1} << 16;

// Each OS thread takes this part of what is left of its even share: large pieces first, single blocks last.
constexpr std::uint64_t kPiecesPerShare = 4;

// Blocks are merged until they have so many threads, if enough of them are left for every OS thread; at least so many.
constexpr std::uint64_t kMergedThreads = 256;
constexpr std::uint64_t kLeastMergedThreads = 64;
constexpr std::uint64_t kBlocksPerProcessor = 16;

// Blocks are cut into pieces of a multiple of so many threads in x.
constexpr std::uint32_t kLeastPiece = 16;

// Of a loop on one thread so many blocks are looked at, twice: the first ones may wait for what is in no cache. One
// that would take longer gets all threads.
constexpr std::uint64_t kWatchedPart = 32;
constexpr std::chrono::microseconds kWidened{30};

// More threads in x than these might overflow what a kernel numbers them by.
constexpr std::uint64_t kNumberedThreads = std::uint64_t{1} << 31;

struct Call {
  Thread *thread;
  const std::function<void()> *code;
};

[[noreturn]] void fiber_main(void *argument) {
  const auto &call = *static_cast<Call *>(argument);
  (*call.code)();
  call.thread->stop = Stop::kExit;
  __warploom_leave(call.thread->block->scheduler_context());
}

[[noreturn]] void give_up() {
  suspend(*current_thread, Stop::kExit);
  __builtin_unreachable();
}

}  // namespace

LoomGrid::LoomGrid(const Launch &launch)
    : Grid(launch),
      LaunchShape{{launch.grid.x, launch.grid.y, launch.grid.z}, {launch.block.x, launch.block.y, launch.block.z}} {}

Outcome LoomGrid::run(bool may_spread) {
  if (is_empty()) return Outcome::kOk;
  may_spread_ = may_spread;
  if (WorkerLease worker(*this); worker) {
    launcher_ = &*worker;
    const auto enter = [this] { launch().kernel->grid_entry(launch().arguments, this); };
    worker->block.position() = {0, 0, 0};
    run_on_fiber(*worker, enter);
    end_loop();  // a fault may have left it
    if (left_over_ != 0 && !failed()) {
      grid[0] = launch().grid.x;
      block[0] = launch().block.x;
      merged_ = 1;
      first_ = left_over_;
      run_on_fiber(*worker, enter);
      end_loop();
    }
  }
  return outcome();
}

void LoomGrid::merge_blocks(bool evenly, bool rows) {
  if (left_over_ != 0 || std::uint64_t{grid[0]} * block[0] >= kNumberedThreads) return;
  pieces_ = pieces_of_block();
  grid[0] *= pieces_;
  block[0] /= pieces_;
  if (pieces_ != 1) return;
  if (rows && block[1] > 1) {
    const std::uint64_t width = std::uint64_t{block[0]} * block[2] * blocks_to_merge(evenly, block[1]);
    if (width >= kLeastMergedThreads && std::uint64_t{grid[1]} * block[1] < kNumberedThreads) {
      rows_ = block[1];
      grid[1] *= rows_;
      block[1] = 1;
    }
  }
  merged_ = blocks_to_merge(evenly, rows_);
  if (merged_ == 1) return;
  if (grid[0] % merged_ != 0) left_over_ = grid[0] - grid[0] % merged_;
  grid[0] /= merged_;
  block[0] *= merged_;
}

bool LoomGrid::is_worth_spreading(std::uint64_t threads) const {
  return may_spread_ && (threads > kInlineThreads || threads * launch().kernel->thread_work > kInlineWork);
}

bool LoomGrid::has_long_threads() const { return launch().kernel->thread_work > kInlineWork; }

// How many blocks side by side run as one, where each is `rows` blocks of its own.
std::uint32_t LoomGrid::blocks_to_merge(bool evenly, std::uint32_t rows) const {
  std::uint64_t merged = largest_merge(rows);
  const bool several = rows > 1 || grid[1] > 1 || grid[2] > 1;
  while ((evenly || several) && merged > 1 && grid[0] % merged != 0) --merged;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(merged, 1));
}

// At most how many.
std::uint64_t LoomGrid::largest_merge(std::uint64_t rows) const {
  const std::uint64_t threads = launch().block.count() / rows;
  const std::uint64_t blocks = launch().grid.count() * rows;
  std::uint64_t merged = kMergedThreads / threads;
  if (is_worth_spreading(blocks * threads)) {
    const std::uint64_t left = blocks / (processor_count() * kBlocksPerProcessor);
    const std::uint64_t least = std::min(kLeastMergedThreads / threads, blocks / processor_count());
    merged = std::min(merged, std::max(left, least));
  }
  if (launch().kernel->max_threads != 0) merged = std::min(merged, launch().kernel->max_threads / threads);
  return std::min<std::uint64_t>(merged, grid[0]);
}

// As few as there are processors for, or as keep vectors full.
std::uint32_t LoomGrid::pieces_of_block() const {
  const std::uint64_t blocks = launch().grid.count();
  const std::uint64_t work = blocks * launch().block.count() * launch().kernel->thread_work;
  const std::uint64_t wanted = std::min<std::uint64_t>(processor_count(), work / kInlineWork);
  std::uint32_t pieces = 1;
  if (!may_spread_ || is_in_order() || launch().kernel->others != nullptr) return pieces;
  for (std::uint32_t more = 2; blocks * pieces < wanted && block[0] / more >= kLeastPiece; ++more) {
    if (block[0] % (more * kLeastPiece) == 0) pieces = more;
  }
  return pieces;
}

void LoomGrid::run_loop(BlocksBody body, void *frame, std::uint64_t blocks, std::size_t scratch, std::uint32_t flags) {
  if (blocks == 0) return;
  loop_ = {body, frame, scratch, flags};
  if ((flags & kSharedStays) != 0 && shared_.require(std::max(blocks, launch().grid.count()) * shared_memory_size() +
                                                     shared_memory_window()) == nullptr) {
    fail(Outcome::kTrap, no_memory_for_blocks("the shared memory of kernel " + kernel_name(*launch().kernel)));
    give_up();
  }
  blocks_ = blocks;
  started_ = first_;
  begin_round(record(), blocks, {grid[0], grid[1], grid[2]}, first_);
  round_ = record().round.load(std::memory_order_relaxed);
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  const std::uint64_t count = blocks - first_;
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(may_spread_ ? processor_count() : 1, count));
  if (most <= 1) return run_here();
  LoopHistory history(reinterpret_cast<const void *>(body), count, threads);
  const Stopwatch begun = first_loop_ ? begun_ : Stopwatch();
  first_loop_ = false;
  const LoopHistory::Choice choice =
      history.choose(most, is_worth_spreading(count * threads) ? most : 1, begun.start());
  note_loop(choice.threads);
  if (choice.threads == 1 && choice.may_widen && !is_in_order()) return history.learn(most, run_watched(begun, most));
  choice.threads == 1 ? run_here() : run_on(choice.threads, choice.evenly);
  if (sharers_ == choice.threads) history.learn(most, begun.elapsed(), choice.threads > 1 && has_woken_);
}

// On the calling thread; but when a few blocks show that all of them will take long, the others go to all threads: how
// much there is to do may depend on the data (a search's frontier). What it takes, or would have taken, on one.
std::chrono::nanoseconds LoomGrid::run_watched(const Stopwatch &begun, unsigned most) {
  const std::uint64_t begin = first_, end = blocks_, few = std::max<std::uint64_t>((end - begin) / kWatchedPart, 1);
  std::chrono::nanoseconds expected = std::chrono::nanoseconds::max();
  begin_alone();
  if (has_scratch(*launcher_)) {
    PartScope progress(*launcher_->part, record(), round_, true);
    const Stopwatch watch;
    std::chrono::nanoseconds before{0};
    for (; first_ < end && expected > kWidened && first_ < begin + 2 * few; first_ = std::min(first_ + few, end)) {
      const std::uint64_t next = std::min(first_ + few, end);
      run_range(*launcher_, progress, first_, next);
      const std::chrono::nanoseconds now = watch.elapsed();
      expected = (now - before) * static_cast<std::int64_t>(end - begin) / static_cast<std::int64_t>(next - first_);
      before = now;
    }
    if (expected <= kWidened) run_range(*launcher_, progress, std::exchange(first_, end), end);
  }
  const bool widens = first_ < end && !failed();
  if (widens) {
    started_ = first_;
    note_loop(most);
    run_on(most, false);
  } else {
    end_alone();
  }
  first_ = begin;
  return widens ? expected : begun.elapsed();
}

bool LoomGrid::is_in_order() const {
  return seed().has_value() || (loop_.flags & kOneAtATime) != 0 || launch().kernel->may_spin != 0;
}

// Runs the loop on the calling thread.
void LoomGrid::run_here() {
  if (is_in_order()) return run_on(1, false);
  begin_alone();
  if (has_scratch(*launcher_)) {
    PartScope progress(*launcher_->part, record(), round_, true);
    run_range(*launcher_, progress, first_, blocks_);
  }
  end_alone();
}

void LoomGrid::begin_alone() {
  shares_.reset();
  sharers_ = 1;
  evenly_ = false;
  started_.store(blocks_, std::memory_order_relaxed);
}

void LoomGrid::end_alone() {
  end_loop();
  if (failed()) give_up();
}

// Runs the loop on so many OS threads; `evenly`: nobody takes from another's part.
void LoomGrid::run_on(unsigned sharers, bool evenly) {
  shares_.reset();
  const bool in_order = seed().has_value() || (loop_.flags & kOneAtATime) != 0;
  job_.emplace(sharers);
  sharers_ = job_->size();
  evenly_ = evenly && sharers > 1 && !in_order && launch().kernel->may_spin == 0;
  if (sharers_ > 1 && !in_order && !evenly_) shares_.emplace(first_, blocks_, sharers_);
  if (shares_ && job_->is_asleep()) shares_->expect_nobody();
  const auto run = [](void *grid, unsigned part) { static_cast<LoomGrid *>(grid)->run_blocks(part); };
  job_->start({run, this, {&loop_, &launch(), loop_.frame}});
  has_woken_ = job_->has_woken();
  run_share(*launcher_, 0);
  for (unsigned part = 1; evenly_ && part != 0 && !failed();) {
    if (part = job_->take_back(); part != 0) run_share(*launcher_, part);
  }
  end_loop();
  if (sharers_ > 1) take_lines_back();
  if (failed()) give_up();
}

// The lines that members have read: the next launch writes them, most likely at the same place, and would wait for
// each.
void LoomGrid::take_lines_back() {
  constexpr std::size_t kLine = 64;
  const auto take = [](const void *object, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kLine) fetch_to_write(static_cast<const char *>(object) + at);
  };
  take(this, 2 * kLine);
  take(&loop_, kLine);
  take(&launch(), sizeof(Launch));
  take(loop_.frame, 2 * kLine);  // what it is made of is the compiler's
}

void LoomGrid::end_loop() {
  job_.reset();
  join_helpers();
}

void *LoomGrid::memory(std::size_t bytes) {
  void *const made = memory_.emplace_back().require(std::max<std::size_t>(bytes, 1));
  if (made != nullptr) return made;
  fail(Outcome::kTrap,
       no_memory_for_blocks("what kernel " + kernel_name(*launch().kernel) + " keeps across grid.sync()"));
  give_up();
}

char *LoomGrid::cluster_memory(const Extent &block, unsigned rank) {
  const Extent &shape = launch().cluster, &grid = launch().grid;
  char *const shared = shared_.require(0);
  if (shared == nullptr || rank >= shape.count()) return nullptr;
  const std::uint64_t x = block.x - block.x % shape.x + rank % shape.x;
  const std::uint64_t y = block.y - block.y % shape.y + rank / shape.x % shape.y;
  const std::uint64_t z = block.z - block.z % shape.z + rank / shape.x / shape.y;
  return shared + (x + grid.x * (y + grid.y * z)) * shared_memory_size();
}

int LoomGrid::cluster_rank(const Extent &block, const void *address) {
  for (unsigned rank = 0; rank < launch().cluster.count(); ++rank) {
    const char *const shared = cluster_memory(block, rank);
    if (shared == nullptr) return -1;
    if (static_cast<std::size_t>(static_cast<const char *>(address) - shared) < shared_memory_size()) {
      return static_cast<int>(rank);
    }
  }
  return -1;
}

// Whether there is memory for what blocks keep across barriers; else the launch fails.
bool LoomGrid::has_scratch(Worker &worker) {
  if (worker.scratch.require(std::max<std::size_t>(loop_.scratch, 1)) != nullptr) return true;
  fail(Outcome::kTrap,
       no_memory_for_threads("what a block of kernel " + kernel_name(*launch().kernel) + " keeps across barriers"));
  return false;
}

// One OS thread's share of the loop.
void LoomGrid::run_blocks(unsigned part) {
  if (failed() || (!evenly_ && started_.load(std::memory_order_relaxed) >= blocks_)) return;
  WorkerLease worker(*this);
  if (worker) run_on_fiber(*worker, [&] { run_share(*worker, part); });
}

void LoomGrid::run_share(Worker &worker, unsigned part) {
  if (!has_scratch(worker)) return;
  PartScope progress(*worker.part, record(), round_, sharers_ == 1 && part == 0);
  if (evenly_) {
    if (part == kHelper) return;
    const std::uint64_t count = blocks_ - first_, each = count / sharers_, more = count % sharers_;
    const std::uint64_t first = first_ + each * part + std::min<std::uint64_t>(part, more);
    return run_range(worker, progress, first, first + each + (part < more ? 1 : 0));
  }
  bool is_first = part == 0;
  for (std::uint64_t first = 0, last = 0; !failed() && take(part, first, last); is_first = false) {
    run_range(worker, progress, first, last);
    if (is_first) job_->wake_late();
    if (part != 0 && part != kHelper && shares_ && job_->member_leaves()) break;
  }
}

void LoomGrid::run_range(Worker &worker, PartScope &progress, std::uint64_t first, std::uint64_t last) {
  const bool single = (loop_.flags & kSharedStays) != 0;
  Extent &position = worker.block.position();
  for (std::uint64_t next = last; first < last && !failed(); first = next) {
    if (single) {
      next = first + 1;
      worker.block.set_shared_memory(shared_.require(0) + first * shared_memory_size());
    }
    progress.begin(first, next);
    worker.block.forget_spinning();
    loop_.body(loop_.frame, &position.x, worker.scratch.require(1), first, next);
    progress.end(next - first);
  }
}

// The next blocks to run: [first, last).
bool LoomGrid::take(unsigned part, std::uint64_t &first, std::uint64_t &last) {
  if (!shares_) return take_in_order(first, last);
  return shares_->take(part, (loop_.flags & kSharedStays) != 0, first, last);
}

// Single ones where their order is shuffled or where they differ.
bool LoomGrid::take_in_order(std::uint64_t &first, std::uint64_t &last) {
  const bool single = seed().has_value() || (loop_.flags & (kSharedStays | kOneAtATime)) != 0;
  std::uint64_t start = started_.load(std::memory_order_relaxed);
  std::uint64_t count = 1;
  do {
    if (start >= blocks_) return false;
    const std::uint64_t left = blocks_ - start;
    if (!single) count = sharers_ == 1 ? left : std::max<std::uint64_t>(left / (sharers_ * kPiecesPerShare), 1);
  } while (!started_.compare_exchange_weak(start, start + count, std::memory_order_relaxed));
  first = seed() ? first_ + BlockOrder(blocks_ - first_, seed())(start - first_) : start;
  last = first + count;
  return true;
}

// Runs `code` on a fiber of the worker until it ends or the launch fails.
void LoomGrid::run_on_fiber(Worker &worker, const std::function<void()> &code) {
  Thread &thread = worker.thread;
  thread.stack = worker.loom_stacks.acquire();
  if (thread.stack.top == nullptr) {
    fail(Outcome::kTrap, no_memory_for_threads("a stack of kernel " + kernel_name(*launch().kernel)));
    return;
  }
  Call call{&thread, &code};
  thread.context = prepare_context(thread.stack, &worker.block.scheduler_context(), fiber_main, &call,
                                   launch().kernel->flush_denormals != 0);
  resume(thread);
  if (failed()) worker.block.thread_loop().drop();
  worker.block.turns().drop();
  worker.loom_stacks.release(thread.stack);
}

// Lets the fiber run to its end, or until the launch fails, and those of iterations that take turns.
void LoomGrid::resume(Thread &first) {
  if (failed()) return;
  Block &block = *first.block;
  Thread *const outer = current_thread;  // a launch within a launch
  Thread *running = &first;
  do {
    current_thread = running;
    __warploom_switch(&block.scheduler_context(), running->context);
    running = std::exchange(current_thread, outer);
    if (running->stop == Stop::kCall) (*running->call)();
  } while (running->stop == Stop::kCall && !failed());
  Thread &thread = *running;
  if (thread.stop == Stop::kFault) {
    fail(fault_outcome(block.fault()), describe(thread, block.fault()));
  } else if (thread.stop == Stop::kWait) {
    fail(Outcome::kTrap, "a barrier or warp function in a function that is not inlined, in " + describe_thread(thread));
  }
}

// Names the first of merged blocks.
std::string LoomGrid::describe(Thread &thread, const Fault &fault) const {
  Extent &position = thread.block->position();
  thread.position.y += position.y % rows_;
  position.y /= rows_;
  thread.position.x += position.x % pieces_ * block[0];
  position.x = position.x / pieces_ * merged_;
  return describe_fault(thread, fault, {merged_, (loop_.flags & kThreadsNamed) != 0});
}

}  // namespace warploom

using warploom::LoomGrid;

namespace {

LoomGrid &calling_grid() { return static_cast<LoomGrid &>(warploom::current_thread->block->grid()); }

}  // namespace

extern "C" __attribute__((visibility("default"))) void __warploom_merge_blocks(warploom::LaunchShape *launch,
                                                                               std::uint32_t way) noexcept {
  static_cast<LoomGrid *>(launch)->merge_blocks(way == 1, way == 2);
}

extern "C" __attribute__((visibility("default"))) void __warploom_run_blocks(warploom::LaunchShape *launch,
                                                                             warploom::BlocksBody body, void *frame,
                                                                             std::uint64_t blocks,
                                                                             std::uint64_t scratch,
                                                                             std::uint32_t flags) noexcept {
  static_cast<LoomGrid *>(launch)->run_loop(body, frame, blocks, scratch, flags);
}

extern "C" __attribute__((visibility("default"))) void __warploom_take_turns(warploom::TurnBody body, void *frame,
                                                                             std::uint32_t count) noexcept {
  warploom::current_thread->block->turns().run(body, frame, count);
}

extern "C" __attribute__((visibility("default"))) void *__warploom_grid_memory(warploom::LaunchShape *launch,
                                                                               std::uint64_t bytes) noexcept {
  return static_cast<LoomGrid *>(launch)->memory(bytes);
}

extern "C" __attribute__((visibility("default"))) char *__warploom_cluster_memory_of_block(unsigned x, unsigned y,
                                                                                           unsigned z,
                                                                                           unsigned rank) noexcept {
  return calling_grid().cluster_memory({x, y, z}, rank);
}

extern "C" __attribute__((visibility("default"))) int __warploom_cluster_rank_for_block(unsigned x, unsigned y,
                                                                                        unsigned z,
                                                                                        const void *address) noexcept {
  return calling_grid().cluster_rank({x, y, z}, address);
}

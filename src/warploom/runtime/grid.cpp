// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks over OS threads. Those that may wait for others start in index order whoever runs them: decoupled look-back
// relies on it.
#include "grid.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "../include/warploom/device_abi.h"
#include "cluster.h"
#include "collective.h"
#include "fault.h"
#include "interrupt.h"
#include "loom_grid.h"
#include "registry.h"
#include "report.h"
#include "resident_blocks.h"
#include "team.h"
#include "worker.h"

namespace warploom {
namespace {

// Up to this many threads a grid is not worth waking other OS threads for.
constexpr std::uint64_t kInlineThreads = 64;

// An OS thread beside the arena: were it to wait for a place there, blocks in the arena could be waiting for its block.
thread_local bool is_helper = false;

// OS threads that one launch may add for blocks which wait for blocks.
constexpr std::size_t kMaximumHelpers = 512;

std::atomic<unsigned> idle_count = 0;
std::atomic<bool> waiting_grids_stop = false;

std::atomic<bool> twins_run = false, twin_is_missing = false;

std::optional<std::uint64_t> launch_seed(const Kernel &kernel) {
  std::optional<std::uint64_t> seed = schedule_seed();
  if (seed) *seed ^= hash_text(kernel.name);  // kernels of one program get different schedules
  return seed;
}

// Whether the engine runs clusters: the optimising one leaves kernels that ask for theirs to the other.
bool has_clusters(const Launch &launch) { return launch.cluster.count() > 1 && launch.kernel->grid_entry == nullptr; }

// Why the launch cannot run at all; empty when it can.
std::string obstacle(const Launch &launch) {
  std::string reason = unusable_reason(launch.kernel);
  if (reason.empty() && launch.dynamic_shared > WARPLOOM_STATIC_SHARED_OFFSET) {
    reason = std::to_string(launch.dynamic_shared) + " bytes of dynamic shared memory asked for, " +
             std::to_string(WARPLOOM_STATIC_SHARED_OFFSET) + " exist";
  }
  return reason;
}

// Whether the kernel's grid_entry is for the launch.
bool takes(const Kernel &kernel, const Launch &launch) {
  const Extent &block = launch.block;
  const unsigned extents[] = {block.x, block.y, block.z};
  for (const auto &size : kernel.sizes) {
    bool is_alike = true;
    for (int axis = 0; axis < 3; ++axis) is_alike &= size[axis] == 0 || size[axis] == extents[axis];
    if (is_alike && launch.grid.count() <= kernel.most / block.count()) return true;
  }
  return block.x % kWarpSize == 0 || (kernel.warps == kRows && block.y == 1 && block.z == 1);
}

// What runs for a launch.
Launch chosen(Launch launch) {
  if (launch.kernel->others != nullptr && !takes(*launch.kernel, launch)) launch.kernel = launch.kernel->others;
  if (!twins_run) return launch;
  const Kernel *const twin = twin_of(*launch.kernel);
  if (twin == nullptr) twin_is_missing = true;
  if (twin != nullptr) launch.kernel = twin;
  return launch;
}

// Runs the grid alone; what it left for afterwards goes before what waits already (`waiting`: the next one last).
Outcome run_alone(const Launch &asked, std::vector<TailWork> &waiting) {
  const Launch launch = chosen(asked);
  if (const std::string reason = obstacle(launch); !reason.empty()) {
    write_error("kernel " + kernel_name(*launch.kernel) + " cannot run: " + reason);
    return Outcome::kTrap;
  }
  const LaunchScope scope(launch);
  const auto run = [&](Grid &&grid) {
    const Outcome outcome = grid.run(may_spread());
    std::vector<TailWork> tail = grid.take_tail();
    std::move(tail.rbegin(), tail.rend(), std::back_inserter(waiting));
    return outcome;
  };
  return launch.kernel->grid_entry != nullptr ? run(LoomGrid(launch)) : run(Grid(launch));
}

}  // namespace

unsigned idle_spells() { return idle_count; }
void stop_waiting_grids(bool stop) { waiting_grids_stop = stop; }
bool may_spread() { return !is_helper; }
void run_twins() { twins_run = true; }
bool a_twin_was_missing() { return twin_is_missing; }

void become_helper() { is_helper = true; }

Outcome run_grid(const Launch &launch) {
  install_fault_handlers();
  report_when_interrupted();
  std::vector<TailWork> waiting;
  Outcome outcome = run_alone(launch, waiting);
  while (outcome == Outcome::kOk && !waiting.empty()) {
    const TailWork work = std::move(waiting.back());
    waiting.pop_back();
    if (work.operation) {
      work.operation();
    } else {
      outcome = run_alone(work.launch, waiting);
    }
  }
  return outcome;
}

Grid::Grid(const Launch &launch)
    : launch_(launch),
      seed_(launch_seed(*launch.kernel)),
      blocks_(has_clusters(launch) ? Cluster::count(launch) : launch.grid.count()),
      order_(blocks_, seed_, schedule_is_opposite()) {}

Outcome Grid::run(bool may_spread) {
  if (is_empty()) return Outcome::kOk;
  if (launch_.cooperative) {
    run_cooperative();
  } else if (has_clusters(launch_)) {
    run_clusters(may_spread);
  } else {
    begin_round(record_, blocks_, launch_.grid);
    const bool spreads = may_spread && blocks_ * launch_.block.count() > kInlineThreads;
    const unsigned threads = spreads ? static_cast<unsigned>(std::min<std::uint64_t>(processor_count(), blocks_)) : 1;
    if (threads > 1 && !seed_ && launch_.kernel->may_spin == 0) shares_.emplace(0, blocks_, threads);
    run_all_blocks(threads);
  }
  return outcome();
}

void Grid::run_all_blocks(unsigned threads) {
  run_with_team(threads, [&](unsigned part) { run_blocks(part); });
  join_helpers();
}

void Grid::run_blocks(unsigned part) {
  if (failed() || started_.load(std::memory_order_relaxed) >= blocks_) return;
  WorkerLease worker(*this);
  PartScope progress(*worker->part, record_, record_.round.load(std::memory_order_relaxed));
  for (std::uint64_t block = 0; worker && !failed() && next_block(part, block);) {
    worker->block.run(block);
    progress.end(1);
  }
}

bool Grid::next_block(unsigned part, std::uint64_t &block) {
  if (std::uint64_t last = 0; shares_) return shares_->take(part, true, block, last);
  const std::uint64_t ticket = started_.fetch_add(1, std::memory_order_relaxed);
  if (ticket < blocks_) block = order_(ticket);
  return ticket < blocks_;
}

// One team on the processors that a cluster takes.
void Grid::run_clusters(bool may_spread) {
  const std::uint64_t teams = std::min<std::uint64_t>(processor_count() / launch_.cluster.count(), blocks_);
  run_with_team(may_spread ? static_cast<unsigned>(std::max<std::uint64_t>(teams, 1)) : 1,
                [&](unsigned) { run_team(); });
  join_helpers();
}

void Grid::run_team() {
  Cluster cluster(*this, [this] {
    const std::uint64_t ticket = started_.fetch_add(1, std::memory_order_relaxed);
    return ticket < blocks_ ? order_(ticket) : blocks_;
  });
  std::unique_lock lock(mutex_);
  const auto place = teams_.insert(teams_.end(), &cluster);
  lock.unlock();
  const auto members = static_cast<unsigned>(launch_.cluster.count());
  std::vector<std::thread> others;
  for (unsigned rank = 1; rank < members; ++rank) {
    try {
      others.emplace_back([&cluster, rank] {
        become_helper();
        cluster.run_member(rank);
      });
    } catch (const std::system_error &error) {
      fail(Outcome::kTrap, "kernel " + kernel_name(*launch_.kernel) + ": no OS thread for block " +
                               std::to_string(rank) + " of a cluster: " + error.what() +
                               "; smaller clusters, or a higher limit of processes (ulimit -u), let it run");
      cluster.drop_member();
    }
  }
  cluster.run_member(0);
  for (std::thread &other : others) other.join();
  lock.lock();
  teams_.erase(place);
}

// All blocks are resident at once.
void Grid::run_cooperative() {
  ResidentBlocks residents(*this, blocks_, [this](std::uint64_t ticket) { return order_(ticket); });
  std::unique_lock lock(mutex_);
  residents_ = &residents;
  lock.unlock();
  residents.run();
  lock.lock();
  residents_ = nullptr;
}

void Grid::fail(Outcome outcome, const std::string &message) {
  Outcome before = Outcome::kOk;
  if (!outcome_.compare_exchange_strong(before, outcome)) return;
  if (!message.empty()) write_error(message);
  const std::lock_guard lock(mutex_);
  if (residents_ != nullptr) residents_->wake();
  for (Cluster *const team : teams_) team->wake();
}

void Grid::add_tail(TailWork work) {
  const std::lock_guard lock(mutex_);
  tail_.push_back(std::move(work));
  has_tail_ = true;
}

std::vector<TailWork> Grid::take_tail() {
  if (!has_tail_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  std::vector<TailWork> ordered;
  for (const bool is_last : {false, true}) {
    for (TailWork &work : tail_) {
      if (work.is_last == is_last) ordered.push_back(std::move(work));
    }
  }
  tail_.clear();
  return ordered;
}

int Grid::thread_error(std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  const auto found = thread_errors_.find(thread);
  return found == thread_errors_.end() ? 0 : found->second;
}

void Grid::set_thread_error(std::uint64_t thread, int error) {
  const std::lock_guard lock(mutex_);
  if (error != 0) {
    thread_errors_[thread] = error;
  } else {
    thread_errors_.erase(thread);
  }
}

void Grid::add_helpers() {
  ++idle_count;
  if (waiting_grids_stop) return fail(Outcome::kStopped, "");
  if (launch_.cooperative && launch_.kernel->grid_entry == nullptr) return;  // see ResidentBlocks
  const std::lock_guard lock(mutex_);
  const std::uint64_t started = started_.load(std::memory_order_relaxed);
  if (started >= blocks_) return;
  // All blocks of a cooperative launch are resident.
  const std::size_t most = launch_.cooperative ? blocks_ : kMaximumHelpers;
  const std::uint64_t wanted = std::min({helper_count_ + 1, most - helper_count_, blocks_ - started});
  for (std::uint64_t i = 0; i < wanted; ++i) {
    try {
      helpers_.emplace_back([this] {
        become_helper();
        has_clusters(launch_) ? run_team() : run_blocks(kHelper);
      });
    } catch (const std::system_error &) {
      return;  // the OS threads there are go on
    }
    has_helpers_ = true;
    ++helper_count_;
  }
}

// Helpers are added by blocks that run: when none does, none are.
void Grid::join_helpers() {
  if (!has_helpers_.load(std::memory_order_acquire)) return;
  while (true) {
    std::vector<std::thread> helpers;
    {
      const std::lock_guard lock(mutex_);
      helpers.swap(helpers_);  // helpers may add helpers
    }
    if (helpers.empty()) break;
    for (std::thread &helper : helpers) helper.join();
  }
  helper_count_ = 0;
}

}  // namespace warploom

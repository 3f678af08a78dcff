// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster.h"

#include "grid.h"
#include "worker.h"

namespace warploom {
namespace {

Extent divided(const Extent &grid, const Extent &shape) {
  return {grid.x / shape.x, grid.y / shape.y, grid.z / shape.z};
}

Extent position(std::uint64_t ordinal, const Extent &shape) {
  return {static_cast<unsigned>(ordinal % shape.x), static_cast<unsigned>(ordinal / shape.x % shape.y),
          static_cast<unsigned>(ordinal / shape.x / shape.y)};
}

}  // namespace

Cluster::Cluster(Grid &grid, std::function<std::uint64_t()> next)
    : grid_(grid),
      shape_(grid.launch().cluster),
      clusters_(divided(grid.launch().grid, shape_)),
      next_(std::move(next)),
      shared_(shape_.count()),
      turn_(static_cast<std::ptrdiff_t>(shape_.count()), Begin{this}) {}

std::uint64_t Cluster::count(const Launch &launch) { return divided(launch.grid, launch.cluster).count(); }

// All members are between two clusters.
void Cluster::begin() {
  current_ = next_();
  const std::lock_guard lock(mutex_);
  running_ = shape_.count();
  at_barrier_ = 0;
}

void Cluster::run_member(unsigned rank) {
  WorkerLease worker(grid_);
  if (!worker) return drop_member();
  shared_[rank] = worker->block.shared_memory();
  worker->block.set_cluster(this);
  while (true) {
    turn_.arrive_and_wait();
    if (grid_.failed() || current_ >= clusters_.count()) break;
    worker->block.run(block_ordinal(rank));
    leave();
  }
  turn_.arrive_and_drop();  // the workers' shared memory stays until all are here
  worker->block.set_cluster(nullptr);
}

void Cluster::drop_member() { turn_.arrive_and_drop(); }

std::uint64_t Cluster::block_ordinal(unsigned rank) const {
  const Extent at = position(current_, clusters_), in = position(rank, shape_);
  const Extent &grid = grid_.launch().grid;
  const std::uint64_t x = std::uint64_t{at.x} * shape_.x + in.x, y = std::uint64_t{at.y} * shape_.y + in.y,
                      z = std::uint64_t{at.z} * shape_.z + in.z;
  return x + grid.x * (y + grid.y * z);
}

bool Cluster::sync() {
  std::unique_lock lock(mutex_);
  const std::uint64_t generation = generation_;
  ++at_barrier_;
  open_if_complete();
  changed_.wait(lock, [&] { return generation != generation_ || grid_.failed(); });
  return !grid_.failed();
}

void Cluster::leave() {
  const std::lock_guard lock(mutex_);
  --running_;
  open_if_complete();
}

void Cluster::open_if_complete() {
  if (at_barrier_ == 0 || at_barrier_ != running_) return;
  at_barrier_ = 0;
  ++generation_;
  changed_.notify_all();
}

void Cluster::wake() {
  const std::lock_guard lock(mutex_);  // or a block between its test and its wait would miss the call
  changed_.notify_all();
}

int Cluster::rank_of(const void *address) const {
  const std::size_t size = shared_memory_size();
  for (unsigned rank = 0; rank < shared_.size(); ++rank) {
    if (static_cast<std::size_t>(static_cast<const char *>(address) - shared_[rank]) < size) {
      return static_cast<int>(rank);
    }
  }
  return -1;
}

}  // namespace warploom

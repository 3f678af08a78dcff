// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of blocks: the blocks of one run at the same time, each on an OS thread of its own, with a barrier among
// them and each other's shared memory at hand. A team of OS threads runs one cluster after the other.
#pragma once

#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "engine.h"

namespace warploom {

class Grid;

class Cluster {
 public:
  // `next` gives the ordinal of the next cluster to run, or the number of clusters when there is none left.
  Cluster(Grid &grid, std::function<std::uint64_t()> next);
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  // Runs the block of rank `rank` of one cluster after the other. Every rank needs a call, on its own OS thread.
  void run_member(unsigned rank);
  // Instead of run_member, where there is no OS thread for a rank; the grid has been failed.
  void drop_member();

  // For the blocks. Waits until every block of the cluster that has not ended waits here; false when the grid has
  // failed.
  bool sync();
  const Extent &shape() const { return shape_; }
  char *shared_memory(unsigned rank) const { return rank < shared_.size() ? shared_[rank] : nullptr; }
  // The rank whose shared memory holds `address`; -1: none's.
  int rank_of(const void *address) const;
  // The grid has failed: nobody waits any longer.
  void wake();

  static std::uint64_t count(const Launch &launch);  // of clusters

 private:
  void begin();
  void leave();
  void open_if_complete();
  std::uint64_t block_ordinal(unsigned rank) const;

  Grid &grid_;
  const Extent shape_;
  const Extent clusters_;
  const std::function<std::uint64_t()> next_;
  std::vector<char *> shared_;  // by rank
  std::uint64_t current_ = 0;
  struct Begin {
    Cluster *cluster;
    void operator()() noexcept { cluster->begin(); }
  };
  std::barrier<Begin> turn_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint64_t running_ = 0;
  std::uint64_t at_barrier_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thread_group: the base into which every group converts, so that one function can take any of them.
#pragma once

#include "../cluster.h"
#include "exchange.h"

namespace cooperative_groups {
namespace details {

enum class group_kind : unsigned { none, grid, cluster, block, tile, coalesced };

}  // namespace details

class thread_group {
 public:
  __device__ __forceinline__ void sync(details::call_site at = details::here()) const {
    switch (kind_) {
      case details::group_kind::none:
        return;
      case details::group_kind::grid:
        return __warploom_grid_sync(at.file, at.line);
      case details::group_kind::cluster:
        return __warploom_cluster_sync(at.file, at.line);
      case details::group_kind::block:
        return __warploom_barrier(at.file, at.line);
      case details::group_kind::tile:
      case details::group_kind::coalesced:
        return __warploom_syncwarp(mask_, at.file, at.line);
    }
  }

  __device__ __forceinline__ unsigned long long size() const {
    switch (kind_) {
      case details::group_kind::none:
        return 0;
      case details::group_kind::grid:
        return details::grid_blocks() * details::block_size();
      case details::group_kind::cluster:
        return __warploom_cluster_size() * details::block_size();
      case details::group_kind::block:
        return details::block_size();
      case details::group_kind::tile:
      case details::group_kind::coalesced:
        break;
    }
    return size_;
  }

  __device__ __forceinline__ unsigned long long num_threads() const { return size(); }

  __device__ __forceinline__ unsigned long long thread_rank() const {
    switch (kind_) {
      case details::group_kind::none:
        return 0;
      case details::group_kind::grid:
        return details::rank_of_block() * details::block_size() + details::rank_in_block();
      case details::group_kind::cluster:
        return __warploom_block_rank_in_cluster() * details::block_size() + details::rank_in_block();
      case details::group_kind::block:
        return details::rank_in_block();
      case details::group_kind::tile:
      case details::group_kind::coalesced:
        break;
    }
    return lane_rank();
  }

  __device__ __forceinline__ bool is_valid() const { return kind_ != details::group_kind::none; }

 protected:
  __device__ __forceinline__ thread_group() {}
  __device__ __forceinline__ explicit thread_group(details::group_kind kind) : kind_(kind) {}
  __device__ __forceinline__ thread_group(details::group_kind kind, unsigned mask, unsigned size)
      : kind_(kind), mask_(mask), size_(size) {}

  __device__ __forceinline__ unsigned lane_rank() const {
    return static_cast<unsigned>(__builtin_popcount(mask_ & details::lanes_below(details::lane_id())));
  }

  // The warp's lanes in the group and their number, for groups within one warp.
  details::group_kind kind_ = details::group_kind::none;
  unsigned mask_ = 0;
  unsigned size_ = 0;

  friend __device__ thread_group this_thread();
  friend __device__ thread_group tiled_partition(const thread_group &parent, unsigned size);
};

}  // namespace cooperative_groups

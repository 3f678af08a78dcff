// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups that a launch gives: thread_block, cluster_group and grid_group.
#pragma once

#include "../cluster.h"
#include "thread_group.h"

namespace cooperative_groups {

// Large tiles exchange values through memory of their own (see wide_tile.h); programs written for compute capability 7
// set some aside with this type and hand it to this_thread_block().
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned char reserved[16];
};

namespace details {

// An arrival is not counted until its wait: wait() is the barrier. Stricter than hardware, never weaker.
struct arrival {};

__device__ __forceinline__ dim3 thread_index() {
  return dim3(__warploom_thread_idx_x(), __warploom_thread_idx_y(), __warploom_thread_idx_z());
}
__device__ __forceinline__ dim3 block_index() {
  return dim3(__warploom_block_idx_x(), __warploom_block_idx_y(), __warploom_block_idx_z());
}
__device__ __forceinline__ dim3 block_dim() {
  return dim3(__warploom_block_dim_x(), __warploom_block_dim_y(), __warploom_block_dim_z());
}
__device__ __forceinline__ dim3 grid_dim() {
  return dim3(__warploom_grid_dim_x(), __warploom_grid_dim_y(), __warploom_grid_dim_z());
}

}  // namespace details

class thread_block : public thread_group {
 public:
  using arrival_token = details::arrival;

  static __device__ __forceinline__ void sync(details::call_site at = details::here()) {
    __warploom_barrier(at.file, at.line);
  }
  [[nodiscard]] static __device__ __forceinline__ arrival_token barrier_arrive() { return {}; }
  static __device__ __forceinline__ void barrier_wait(arrival_token &&, details::call_site at = details::here()) {
    __warploom_barrier(at.file, at.line);
  }

  static __device__ __forceinline__ unsigned size() { return details::block_size(); }
  static __device__ __forceinline__ unsigned num_threads() { return details::block_size(); }
  static __device__ __forceinline__ unsigned thread_rank() { return details::rank_in_block(); }
  static __device__ __forceinline__ dim3 group_index() { return details::block_index(); }
  static __device__ __forceinline__ dim3 thread_index() { return details::thread_index(); }
  static __device__ __forceinline__ dim3 group_dim() { return details::block_dim(); }
  static __device__ __forceinline__ dim3 dim_threads() { return details::block_dim(); }

 private:
  __device__ __forceinline__ thread_block() : thread_group(details::group_kind::block) {}

  friend __device__ thread_block this_thread_block();
};

__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }

template <unsigned MaxBlockSize>
__device__ __forceinline__ thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return this_thread_block();
}

class cluster_group : public thread_group {
 public:
  using arrival_token = details::arrival;

  static __device__ __forceinline__ void sync(details::call_site at = details::here()) {
    __warploom_cluster_sync(at.file, at.line);
  }
  [[nodiscard]] static __device__ __forceinline__ arrival_token barrier_arrive() { return {}; }
  static __device__ __forceinline__ void barrier_wait(details::call_site at = details::here()) {
    __warploom_cluster_sync(at.file, at.line);
  }
  static __device__ __forceinline__ void barrier_wait(arrival_token &&, details::call_site at = details::here()) {
    __warploom_cluster_sync(at.file, at.line);
  }

  static __device__ __forceinline__ unsigned size() { return num_threads(); }
  static __device__ __forceinline__ unsigned num_threads() { return num_blocks() * details::block_size(); }
  static __device__ __forceinline__ unsigned thread_rank() {
    return block_rank() * details::block_size() + details::rank_in_block();
  }
  static __device__ __forceinline__ dim3 thread_index() {
    const dim3 block = block_index(), dim = details::block_dim(), thread = details::thread_index();
    return dim3(block.x * dim.x + thread.x, block.y * dim.y + thread.y, block.z * dim.z + thread.z);
  }
  static __device__ __forceinline__ dim3 dim_threads() {
    const dim3 blocks = dim_blocks(), dim = details::block_dim();
    return dim3(blocks.x * dim.x, blocks.y * dim.y, blocks.z * dim.z);
  }
  static __device__ __forceinline__ dim3 block_index() { return __warploom_block_index_in_cluster(); }
  static __device__ __forceinline__ dim3 dim_blocks() { return __warploom_cluster_dim(); }
  static __device__ __forceinline__ unsigned block_rank() { return __warploom_block_rank_in_cluster(); }
  static __device__ __forceinline__ unsigned num_blocks() {
    const dim3 dim = dim_blocks();
    return dim.x * dim.y * dim.z;
  }

  // The rank whose block `address` is a shared variable of.
  static __device__ __forceinline__ unsigned query_shared_rank(const void *address) {
    return static_cast<unsigned>(__warploom_cluster_rank_of(address));
  }
  template <class T>
  static __device__ __forceinline__ T *map_shared_rank(T *address, int rank) {
    return __warploom_map_shared_rank(address, static_cast<unsigned>(rank));
  }

 private:
  __device__ __forceinline__ cluster_group() : thread_group(details::group_kind::cluster) {}

  friend __device__ cluster_group this_cluster();
};

__device__ __forceinline__ cluster_group this_cluster() { return cluster_group(); }

class grid_group : public thread_group {
 public:
  using arrival_token = details::arrival;

  // A launch that is not cooperative has no grid barrier.
  __device__ __forceinline__ bool is_valid() const { return __warploom_is_cooperative() != 0; }

  __device__ __forceinline__ void sync(details::call_site at = details::here()) const {
    if (!is_valid()) __warploom_trap();
    __warploom_grid_sync(at.file, at.line);
  }
  [[nodiscard]] __device__ __forceinline__ arrival_token barrier_arrive() const { return {}; }
  __device__ __forceinline__ void barrier_wait(arrival_token &&, details::call_site at = details::here()) const {
    __warploom_grid_sync(at.file, at.line);
  }

  static __device__ __forceinline__ unsigned long long size() { return num_blocks() * details::block_size(); }
  static __device__ __forceinline__ unsigned long long num_threads() { return size(); }
  static __device__ __forceinline__ unsigned long long thread_rank() {
    return block_rank() * details::block_size() + details::rank_in_block();
  }
  static __device__ __forceinline__ dim3 group_dim() { return details::grid_dim(); }
  static __device__ __forceinline__ dim3 dim_blocks() { return details::grid_dim(); }
  static __device__ __forceinline__ unsigned long long num_blocks() { return details::grid_blocks(); }
  static __device__ __forceinline__ dim3 block_index() { return details::block_index(); }
  static __device__ __forceinline__ unsigned long long block_rank() { return details::rank_of_block(); }
  static __device__ __forceinline__ dim3 dim_clusters() { return __warploom_grid_dim_in_clusters(); }
  static __device__ __forceinline__ unsigned long long num_clusters() {
    const dim3 dim = dim_clusters();
    return static_cast<unsigned long long>(dim.x) * dim.y * dim.z;
  }
  static __device__ __forceinline__ dim3 cluster_index() { return __warploom_cluster_index(); }
  static __device__ __forceinline__ unsigned long long cluster_rank() {
    const dim3 dim = dim_clusters(), index = cluster_index();
    return index.x +
           static_cast<unsigned long long>(dim.x) * (index.y + static_cast<unsigned long long>(dim.y) * index.z);
  }

 private:
  __device__ __forceinline__ grid_group() : thread_group(details::group_kind::grid) {}

  friend __device__ grid_group this_grid();
};

__device__ __forceinline__ grid_group this_grid() { return grid_group(); }

// The grids of a launch on several devices, as CUDA had them up to version 12: of the one device that there is.
class multi_grid_group : public thread_group {
 public:
  __device__ __forceinline__ bool is_valid() const { return __warploom_is_cooperative() != 0; }
  __device__ __forceinline__ void sync(details::call_site at = details::here()) const {
    __warploom_grid_sync(at.file, at.line);
  }
  static __device__ __forceinline__ unsigned long long size() { return grid_group::size(); }
  static __device__ __forceinline__ unsigned long long num_threads() { return grid_group::size(); }
  static __device__ __forceinline__ unsigned long long thread_rank() { return grid_group::thread_rank(); }
  static __device__ __forceinline__ unsigned grid_rank() { return 0; }
  static __device__ __forceinline__ unsigned num_grids() { return 1; }

 private:
  __device__ __forceinline__ multi_grid_group() : thread_group(details::group_kind::grid) {}

  friend __device__ multi_grid_group this_multi_grid();
};

__device__ __forceinline__ multi_grid_group this_multi_grid() { return multi_grid_group(); }

}  // namespace cooperative_groups

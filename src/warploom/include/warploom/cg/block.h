// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The groups that a launch gives: thread_block, cluster_group (one block: no clusters are launched) and grid_group.
#pragma once

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
    __warploom_barrier(at.file, at.line);
  }
  [[nodiscard]] static __device__ __forceinline__ arrival_token barrier_arrive() { return {}; }
  static __device__ __forceinline__ void barrier_wait(details::call_site at = details::here()) {
    __warploom_barrier(at.file, at.line);
  }
  static __device__ __forceinline__ void barrier_wait(arrival_token &&, details::call_site at = details::here()) {
    __warploom_barrier(at.file, at.line);
  }

  static __device__ __forceinline__ unsigned size() { return details::block_size(); }
  static __device__ __forceinline__ unsigned num_threads() { return details::block_size(); }
  static __device__ __forceinline__ unsigned thread_rank() { return details::rank_in_block(); }
  static __device__ __forceinline__ dim3 thread_index() { return details::thread_index(); }
  static __device__ __forceinline__ dim3 dim_threads() { return details::block_dim(); }
  static __device__ __forceinline__ dim3 block_index() { return dim3(0, 0, 0); }
  static __device__ __forceinline__ dim3 dim_blocks() { return dim3(1, 1, 1); }
  static __device__ __forceinline__ unsigned block_rank() { return 0; }
  static __device__ __forceinline__ unsigned num_blocks() { return 1; }

  // Every shared variable is the only block's own.
  static __device__ __forceinline__ unsigned query_shared_rank(const void *) { return 0; }
  template <class T>
  static __device__ __forceinline__ T *map_shared_rank(T *address, int) {
    return address;
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
  static __device__ __forceinline__ dim3 dim_clusters() { return details::grid_dim(); }
  static __device__ __forceinline__ unsigned long long num_clusters() { return num_blocks(); }
  static __device__ __forceinline__ dim3 cluster_index() { return details::block_index(); }
  static __device__ __forceinline__ unsigned long long cluster_rank() { return block_rank(); }

 private:
  __device__ __forceinline__ grid_group() : thread_group(details::group_kind::grid) {}

  friend __device__ grid_group this_grid();
};

__device__ __forceinline__ grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of blocks in device code: where a block lies in its cluster, and other blocks' shared memory.
#pragma once

#include "../vector_types.h"
#include "device_abi.h"
#include "function_attributes.h"

__WARPLOOM_DEVICE dim3 __warploom_cluster_dim() {
  return dim3(__warploom_cluster_dim_x(), __warploom_cluster_dim_y(), __warploom_cluster_dim_z());
}
__WARPLOOM_DEVICE unsigned __warploom_cluster_size() {
  return __warploom_cluster_dim_x() * __warploom_cluster_dim_y() * __warploom_cluster_dim_z();
}
__WARPLOOM_DEVICE dim3 __warploom_block_index_in_cluster() {
  const dim3 dim = __warploom_cluster_dim();
  return dim3(__warploom_block_idx_x() % dim.x, __warploom_block_idx_y() % dim.y, __warploom_block_idx_z() % dim.z);
}
__WARPLOOM_DEVICE unsigned __warploom_block_rank_in_cluster() {
  const dim3 dim = __warploom_cluster_dim(), index = __warploom_block_index_in_cluster();
  return index.x + dim.x * (index.y + dim.y * index.z);
}
__WARPLOOM_DEVICE dim3 __warploom_cluster_index() {
  const dim3 dim = __warploom_cluster_dim();
  return dim3(__warploom_block_idx_x() / dim.x, __warploom_block_idx_y() / dim.y, __warploom_block_idx_z() / dim.z);
}
__WARPLOOM_DEVICE dim3 __warploom_grid_dim_in_clusters() {
  const dim3 dim = __warploom_cluster_dim();
  return dim3(__warploom_grid_dim_x() / dim.x, __warploom_grid_dim_y() / dim.y, __warploom_grid_dim_z() / dim.z);
}

// The same variable of the block of that rank. `address` may be any block's.
template <class T>
__WARPLOOM_DEVICE T *__warploom_map_shared_rank(T *address, unsigned rank) {
  const int owner = __warploom_cluster_rank_of(const_cast<const void *>(static_cast<const volatile void *>(address)));
  char *const base = __warploom_cluster_shared_memory(rank);
  if (owner < 0 || base == nullptr) return nullptr;
  const char *const from = __warploom_cluster_shared_memory(static_cast<unsigned>(owner));
  return (T *)(base + ((const volatile char *)address - from));
}

// CUDA's intrinsics for them.
__WARPLOOM_DEVICE dim3 __clusterDim() { return __warploom_cluster_dim(); }
__WARPLOOM_DEVICE dim3 __clusterRelativeBlockIdx() { return __warploom_block_index_in_cluster(); }
__WARPLOOM_DEVICE unsigned __clusterRelativeBlockRank() { return __warploom_block_rank_in_cluster(); }
__WARPLOOM_DEVICE dim3 __clusterIdx() { return __warploom_cluster_index(); }
__WARPLOOM_DEVICE dim3 __clusterGridDimInClusters() { return __warploom_grid_dim_in_clusters(); }
__WARPLOOM_DEVICE unsigned __clusterSizeInBlocks() { return __warploom_cluster_size(); }
__WARPLOOM_DEVICE int __clusterDimIsSpecified() { return __warploom_cluster_size() > 1; }
// An arrival is not counted until its wait, which is the barrier: stricter than hardware, never weaker.
__WARPLOOM_DEVICE void __cluster_barrier_arrive() {}
__WARPLOOM_DEVICE void __cluster_barrier_arrive_relaxed() {}
__WARPLOOM_DEVICE void __cluster_barrier_wait(__WARPLOOM_WHERE) { __warploom_cluster_sync(__file, __line); }
__WARPLOOM_DEVICE unsigned __cluster_query_shared_rank(const void *address) {
  return static_cast<unsigned>(__warploom_cluster_rank_of(address));
}
__WARPLOOM_DEVICE void *__cluster_map_shared_rank(const void *address, unsigned rank) {
  return __warploom_map_shared_rank(const_cast<void *>(address), rank);
}

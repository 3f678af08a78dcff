// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools: accounts over the one allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"

struct CUmemPoolHandle_st {
  int device = 0;
  std::size_t max_size = 0;  // 0: no limit of its own
  cudaMemAllocationHandleType handle_type = cudaMemHandleTypeNone;
  std::uint64_t shared_id = 0;  // of one that is shared: the same number in all processes
  bool imported = false;
  std::atomic<std::uint64_t> release_threshold = 0;
  std::atomic<int> reuse_flags[3] = {1, 1, 1};
  std::atomic<std::uint64_t> used = 0, used_high = 0;
};

namespace warploom {

// The pool that cudaMallocAsync takes from.
CUmemPoolHandle_st *current_pool();
bool is_pool(const CUmemPoolHandle_st *pool);
void enter_pool(CUmemPoolHandle_st *pool);
void pool_taken(CUmemPoolHandle_st *pool, std::size_t size);
void pool_released(CUmemPoolHandle_st *pool, std::size_t size);

}  // namespace warploom

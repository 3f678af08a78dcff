// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Copies `size` bytes (4, 8 or 16), of which the last `zero_fill` become zero.
__device__ __forceinline__ void __pipeline_memcpy_async(void *target, const void *source, std::size_t size,
                                                        std::size_t zero_fill = 0) {
  __builtin_memcpy(target, source, size - zero_fill);
  if (zero_fill != 0) __builtin_memset(static_cast<char *>(target) + (size - zero_fill), 0, zero_fill);
}
__device__ __forceinline__ void __pipeline_commit() {}
__device__ __forceinline__ void __pipeline_wait_prior(std::size_t) {}

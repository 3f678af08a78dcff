// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies into shared memory, from C: __pipeline_memcpy_async and nvcuda::experimental::pipeline. A copy is
// done when the call returns.
#pragma once

#include "cuda_pipeline_primitives.h"

namespace nvcuda {
namespace experimental {

class pipeline {
 public:
  pipeline() = default;
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;

  __device__ unsigned long commit() { return committed_++; }
  __device__ void commit_and_wait() { ++committed_; }
  __device__ void wait(unsigned long) {}
  template <unsigned Prior>
  __device__ void wait_prior() {}

 private:
  unsigned long committed_ = 0;
};

template <class T>
__device__ __forceinline__ void memcpy_async(T &target, const T &source, pipeline &) {
  __builtin_memcpy(&target, &source, sizeof(T));
}
template <class T>
__device__ __forceinline__ void memcpy_async(T *target, const T *source, unsigned long count, pipeline &) {
  __builtin_memcpy(target, source, count * sizeof(T));
}

}  // namespace experimental
}  // namespace nvcuda

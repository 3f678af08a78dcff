// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::latch: threads count down, and wait for zero; it cannot be used again.
#pragma once

#include "atomic.h"

namespace cuda {

template <thread_scope Scope>
class latch {
 public:
  __host__ __device__ constexpr explicit latch(::std::ptrdiff_t expected) : missing_(expected) {}
  latch(const latch &) = delete;
  latch &operator=(const latch &) = delete;

  __host__ __device__ __forceinline__ void count_down(::std::ptrdiff_t update = 1) {
    __atomic_fetch_sub(&missing_, update, __ATOMIC_SEQ_CST);
  }
  [[nodiscard]] __host__ __device__ __forceinline__ bool try_wait() const noexcept {
    return __atomic_load_n(&missing_, __ATOMIC_SEQ_CST) == 0;
  }
  __host__ __device__ __forceinline__ void wait() const {
    while (!try_wait()) {
    }
  }
  __host__ __device__ __forceinline__ void arrive_and_wait(::std::ptrdiff_t update = 1) {
    count_down(update);
    wait();
  }
  __host__ __device__ static constexpr ::std::ptrdiff_t max() noexcept { return PTRDIFF_MAX; }

 private:
  ::std::ptrdiff_t missing_;
};

namespace std {
using latch = ::cuda::latch<thread_scope_system>;
}  // namespace std
}  // namespace cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::barrier: arrivals counted in memory. The thread that completes a phase runs the completion function, refills
// the count and opens the next phase; waiting threads watch the phase.
#pragma once

#include "../copy_shape.h"

#if __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/atomic>
#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>
#else
#include "atomic.h"
#endif

namespace cuda {
namespace std {

struct __empty_completion {
  __host__ __device__ void operator()() const {}
};

}  // namespace std

template <thread_scope Scope, class Completion = std::__empty_completion>
class barrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;

   private:
    __host__ __device__ explicit arrival_token(unsigned phase) : phase_(phase) {}
    unsigned phase_;
    friend class barrier;
  };

  barrier() = default;
  __host__ __device__ explicit barrier(::std::ptrdiff_t expected, Completion completion = Completion()) {
    start(expected, completion);
  }
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;

  [[nodiscard]] __host__ __device__ __forceinline__ arrival_token arrive(::std::ptrdiff_t count = 1) {
    const arrival_token token(phase());
    settle(static_cast<unsigned>(count));
    return token;
  }
  __host__ __device__ __forceinline__ void wait(arrival_token &&token) const { wait_while(~0u, token.phase_); }
  __host__ __device__ __forceinline__ void wait_parity(bool parity) const {
    wait_while(1, static_cast<unsigned>(parity));
  }
  [[nodiscard]] __host__ __device__ __forceinline__ bool try_wait(arrival_token &&token) const {
    return phase() != token.phase_;
  }
  [[nodiscard]] __host__ __device__ __forceinline__ bool try_wait_parity(bool parity) const {
    return (phase() & 1u) != static_cast<unsigned>(parity);
  }
  __host__ __device__ __forceinline__ void arrive_and_wait() { wait(arrive()); }
  // This thread takes no part in later phases.
  __host__ __device__ __forceinline__ void arrive_and_drop() {
    __atomic_fetch_sub(&expected_, 1u, __ATOMIC_SEQ_CST);
    settle(1);
  }
  __host__ __device__ static constexpr ::std::ptrdiff_t max() { return (1 << 20) - 1; }

  friend __host__ __device__ __forceinline__ void init(barrier *target, ::std::ptrdiff_t expected,
                                                       Completion completion = Completion()) {
    target->start(expected, completion);
  }

 private:
  __host__ __device__ __forceinline__ void start(::std::ptrdiff_t expected, Completion completion) {
    expected_ = pending_ = static_cast<unsigned>(expected);
    completion_ = completion;
    __atomic_store_n(&phase_, 0u, __ATOMIC_SEQ_CST);
  }
  __host__ __device__ __forceinline__ unsigned phase() const { return __atomic_load_n(&phase_, __ATOMIC_SEQ_CST); }
  __host__ __device__ __forceinline__ void wait_while(unsigned mask, unsigned old) const {
#ifdef __CUDA_ARCH__
    __warploom_phase_wait(&phase_, mask, old);
#else
    while ((phase() & mask) == old) {
    }
#endif
  }
  __host__ __device__ __forceinline__ void settle(unsigned count) {
    if (__atomic_sub_fetch(&pending_, count, __ATOMIC_SEQ_CST) != 0) return;
    completion_();
    __atomic_store_n(&pending_, __atomic_load_n(&expected_, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&phase_, 1u, __ATOMIC_SEQ_CST);
  }

  unsigned expected_;
  unsigned pending_;
  unsigned phase_;
  [[no_unique_address]] Completion completion_;
};

namespace std {
template <class Completion = __empty_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}  // namespace std

// The copy is done when the call returns; the barrier has nothing to wait for.
template <class Size, thread_scope Scope, class Completion>
__device__ __forceinline__ void memcpy_async(void *target, const void *source, Size size,
                                             barrier<Scope, Completion> &) {
  __builtin_memcpy(target, source, static_cast<::std::size_t>(size));
}
template <class T, class Size, thread_scope Scope, class Completion>
__device__ __forceinline__ void memcpy_async(T *target, const T *source, Size size, barrier<Scope, Completion> &) {
  __builtin_memcpy(target, source, static_cast<::std::size_t>(size));
}

namespace details {

// Each thread of the group copies its share.
template <class Group>
__device__ __forceinline__ void copy_share(const Group &group, void *target, const void *source, ::std::size_t size) {
  const ::std::size_t rank = group.thread_rank(), count = group.size(), words = size / 16;
  char *to = static_cast<char *>(target);
  const char *from = static_cast<const char *>(source);
  for (::std::size_t word = rank; word < words; word += count) __builtin_memcpy(to + word * 16, from + word * 16, 16);
  for (::std::size_t at = words * 16 + rank; at < size; at += count) to[at] = from[at];
}

}  // namespace details

template <class Group, class T, class Size, thread_scope Scope, class Completion>
__device__ __forceinline__ void memcpy_async(const Group &group, T *target, const T *source, Size size,
                                             barrier<Scope, Completion> &) {
  details::copy_share(group, target, source, static_cast<::std::size_t>(size));
}
template <class Group, class Size, thread_scope Scope, class Completion>
__device__ __forceinline__ void memcpy_async(const Group &group, void *target, const void *source, Size size,
                                             barrier<Scope, Completion> &) {
  details::copy_share(group, target, source, static_cast<::std::size_t>(size));
}

}  // namespace cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::counting_semaphore: a number of permits that threads take, waiting for one, and give back.
#pragma once

#include <chrono>

#include "atomic.h"

namespace cuda {

template <thread_scope Scope, ::std::ptrdiff_t LeastMax = PTRDIFF_MAX>
class counting_semaphore {
 public:
  __host__ __device__ constexpr explicit counting_semaphore(::std::ptrdiff_t count = 0) : count_(count) {}
  counting_semaphore(const counting_semaphore &) = delete;
  counting_semaphore &operator=(const counting_semaphore &) = delete;

  __host__ __device__ __forceinline__ void release(::std::ptrdiff_t update = 1) {
    __atomic_fetch_add(&count_, update, __ATOMIC_SEQ_CST);
  }
  __host__ __device__ __forceinline__ bool try_acquire() noexcept {
    ::std::ptrdiff_t count = __atomic_load_n(&count_, __ATOMIC_SEQ_CST);
    while (count > 0) {
      if (__atomic_compare_exchange_n(&count_, &count, count - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        return true;
      }
    }
    return false;
  }
  __host__ __device__ __forceinline__ void acquire() {
    while (!try_acquire()) {
    }
  }
  // Gives up when the time has passed.
  template <class Rep, class Period>
  __host__ __device__ bool try_acquire_for(const ::std::chrono::duration<Rep, Period> &time) {
    const long long start = now(), most = ::std::chrono::duration_cast<::std::chrono::nanoseconds>(time).count();
    do {
      if (try_acquire()) return true;
    } while (now() - start < most);
    return false;
  }
  template <class Clock, class Duration>
  __host__ __device__ bool try_acquire_until(const ::std::chrono::time_point<Clock, Duration> &time) {
    return try_acquire_for(time.time_since_epoch() - ::std::chrono::nanoseconds(now()));
  }
  __host__ __device__ static constexpr ::std::ptrdiff_t max() noexcept { return LeastMax; }

 private:
  // Nanoseconds since 1970.
  __host__ __device__ static long long now() {
#ifdef __CUDA_ARCH__
    return static_cast<long long>(__warploom_globaltimer());
#else
    return ::std::chrono::duration_cast<::std::chrono::nanoseconds>(
               ::std::chrono::system_clock::now().time_since_epoch())
        .count();
#endif
  }
  ::std::ptrdiff_t count_;
};

template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {
template <::std::ptrdiff_t LeastMax = PTRDIFF_MAX>
using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, LeastMax>;
using binary_semaphore = ::cuda::binary_semaphore<thread_scope_system>;
}  // namespace std
}  // namespace cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::experimental::awbarrier: the class over __mbarrier_t.
#pragma once

#include "cuda_awbarrier_primitives.h"

namespace nvcuda {
namespace experimental {

class awbarrier {
 public:
  class arrival_token {
   public:
    arrival_token() = default;
    __device__ std::uint32_t pending_count() const { return __mbarrier_token_pending_count(token_); }

   private:
    __device__ explicit arrival_token(__mbarrier_token_t token) : token_(token) {}
    __mbarrier_token_t token_;
    friend class awbarrier;
  };

  awbarrier() = default;
  awbarrier(const awbarrier &) = delete;
  awbarrier &operator=(const awbarrier &) = delete;

  __device__ arrival_token arrive() { return arrival_token(__mbarrier_arrive(&barrier_)); }
  __device__ arrival_token arrive_and_drop() { return arrival_token(__mbarrier_arrive_and_drop(&barrier_)); }
  // Whether the phase is over; within the time given, or as soon as that is known.
  __device__ bool timed_wait(arrival_token token, std::uint32_t) { return test(token); }
  __device__ bool timed_wait_parity(bool phase, std::uint32_t) { return __mbarrier_test_wait_parity(&barrier_, phase); }
  __device__ bool try_wait(arrival_token token, std::uint32_t) { return test(token); }
  __device__ bool try_wait_parity(bool phase, std::uint32_t) { return __mbarrier_test_wait_parity(&barrier_, phase); }
  __device__ void wait(arrival_token token) {
    const unsigned phase = 7u << 29;  // warploom/ptx/mbarrier.h
    __warploom_phase_wait(reinterpret_cast<const unsigned *>(&barrier_) + 1, phase,
                          static_cast<unsigned>(token.token_ >> 32) & phase);
  }
  __device__ void arrive_and_wait() { wait(arrive()); }
  __host__ __device__ static constexpr std::uint32_t max() { return __mbarrier_maximum_count(); }

 private:
  __device__ bool test(arrival_token token) { return __mbarrier_test_wait(&barrier_, token.token_); }
  __mbarrier_t barrier_;

  friend __device__ void init(awbarrier *barrier, std::uint32_t expected);
};

__device__ __forceinline__ void init(awbarrier *barrier, std::uint32_t expected) {
  __mbarrier_init(&barrier->barrier_, expected);
}

}  // namespace experimental
}  // namespace nvcuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __mbarrier_init, __mbarrier_arrive, __mbarrier_test_wait and their kin: barriers in shared memory, arrival and
// waiting apart.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "warploom/ptx/mbarrier.h"

typedef std::uint64_t __mbarrier_t;
typedef std::uint64_t __mbarrier_token_t;

__host__ __device__ constexpr std::uint32_t __mbarrier_maximum_count() { return 16383; }

__WARPLOOM_DEVICE void __mbarrier_init(__mbarrier_t *barrier, std::uint32_t expected) {
  *barrier = warploom::ptx::mbarrier_of(expected);
}
__WARPLOOM_DEVICE void __mbarrier_inval(__mbarrier_t *) {}
__WARPLOOM_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return warploom::ptx::mbarrier_arrive<false>(barrier, 1);
}
// This thread takes no part in later phases.
__WARPLOOM_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return warploom::ptx::mbarrier_arrive<true>(barrier, 1);
}
// The arrivals that were still missing when the token was given, the one that gave it among them.
__WARPLOOM_DEVICE std::uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return static_cast<std::uint32_t>(token >> warploom::ptx::pending_at & warploom::ptx::count_mask);
}
// Whether the phase that the token was given in is over.
__WARPLOOM_DEVICE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return warploom::ptx::mbarrier_test(barrier, token);
}
__WARPLOOM_DEVICE bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity) {
  return warploom::ptx::mbarrier_test_parity(barrier, phase_parity);
}
// The same; it may wait for some time first, or not.
__WARPLOOM_DEVICE bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, std::uint32_t) {
  return __mbarrier_test_wait(barrier, token);
}
__WARPLOOM_DEVICE bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool phase_parity, std::uint32_t) {
  return __mbarrier_test_wait_parity(barrier, phase_parity);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers, and the copies and stores that count bytes into them. What is copied asynchronously is copied at once:
// that it is done before anybody waits for it, nobody can tell.
//
// An mbarrier is 64 bits: bits 0-19 the arrivals of a phase, 20-39 those still missing, 40-60 the bytes still missing
// (below zero while more have come than are expected), the rest the number of the phase, whose lowest bit is its
// parity.
#pragma once

#include "memory.h"

namespace warploom {
namespace ptx {

inline constexpr int pending_at = 20, bytes_at = 40, phase_at = 61;
inline constexpr u64 count_mask = (1ull << 20) - 1, bytes_mask = (1ull << 21) - 1;
WARPLOOM_PTX u64 mbarrier_of(u64 count) { return count | count << pending_at; }
// After `count` arrivals that will not come again (`drop`) or will, and `bytes` more to wait for.
WARPLOOM_PTX u64 mbarrier_next(u64 state, u64 count, bool drop, s64 bytes) {
  if (drop) state -= count;
  const u64 pending = (state >> pending_at & count_mask) - count;
  const u64 missing = ((state >> bytes_at) + static_cast<u64>(bytes)) & bytes_mask;
  const u64 phase = state >> phase_at;
  if ((pending | missing) == 0) return (phase + 1) << phase_at | mbarrier_of(state & count_mask);
  return phase << phase_at | missing << bytes_at | pending << pending_at | (state & count_mask);
}
template <bool Drop>
WARPLOOM_PTX u64 mbarrier_arrive(void *barrier, u32 count, u32 bytes = 0) {
  return atomic_loop<u64>(barrier, [=](u64 old) { return mbarrier_next(old, count, Drop, bytes); });
}
WARPLOOM_PTX void mbarrier_expect(void *barrier, s64 bytes) {
  atomic_loop<u64>(barrier, [=](u64 old) { return mbarrier_next(old, 0, false, bytes); });
}
WARPLOOM_PTX bool mbarrier_test(void *barrier, u64 state) {
  __warploom_spin_point();
  return __atomic_load_n(static_cast<u64 *>(barrier), __ATOMIC_ACQUIRE) >> phase_at != state >> phase_at;
}
WARPLOOM_PTX bool mbarrier_test_parity(void *barrier, u32 parity) {
  __warploom_spin_point();
  return (__atomic_load_n(static_cast<u64 *>(barrier), __ATOMIC_ACQUIRE) >> phase_at & 1) != (parity & 1);
}

// `size` bytes, a multiple of 16, between addresses that are multiples of 16.
WARPLOOM_PTX void copy_bulk(void *target, const void *source, u32 size) {
  __builtin_memcpy(__builtin_assume_aligned(target, 16), __builtin_assume_aligned(source, 16), size);
}

}  // namespace ptx
}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp instructions. `file` and `line` are those of the asm statement.
#pragma once

#include "memory.h"

#define WARPLOOM_PTX_WARP WARPLOOM_PTX __attribute__((convergent))
#define WARPLOOM_PTX_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace warploom {
namespace ptx {

inline constexpr u32 whole_warp = 0xffffffffu;

// What another lane of a whole warp has.
template <class W>
WARPLOOM_PTX_WARP W from_lane(W value, u32 lane, const char *file, int line) {
  const auto bits = __builtin_bit_cast(bits_of<W>, value);
  const auto found = __warploom_shfl_idx(whole_warp, bits, static_cast<int>(lane), 32, file, line);
  return __builtin_bit_cast(W, static_cast<bits_of<W>>(found));
}

enum direction { up, down, bfly, idx };

// `clamp`: bits 0-4 the last lane of a segment, bits 8-12 the bits of a lane that number its segment.
template <direction How>
WARPLOOM_PTX_WARP u32 shfl(u32 value, u32 operand, u32 clamp, u32 mask, bool &inside, WARPLOOM_PTX_HERE) {
  const u32 lane = __warploom_lane_id(), segment = clamp >> 8 & 31, last = clamp & 31;
  const u32 first = lane & segment, most = first | (last & ~segment);
  operand &= 31;
  const int from = How == up     ? static_cast<int>(lane) - static_cast<int>(operand)
                   : How == down ? static_cast<int>(lane + operand)
                   : How == bfly ? static_cast<int>(lane ^ operand)
                                 : static_cast<int>(first | (operand & ~segment));
  inside = How == up ? from >= static_cast<int>(most) : from <= static_cast<int>(most);
  const int source = inside ? from : static_cast<int>(lane);
  return static_cast<u32>(__warploom_shfl_idx(mask, value, source, 32, file, line));
}
// The forms that CUDA's own shuffles of a whole warp make: the collectives that every pass knows.
WARPLOOM_PTX_WARP u32 shfl_warp_bfly(u32 value, u32 operand, u32 mask, WARPLOOM_PTX_HERE) {
  return static_cast<u32>(__warploom_shfl_xor(mask, value, static_cast<int>(operand & 31), 32, file, line));
}
WARPLOOM_PTX_WARP u32 shfl_warp_idx(u32 value, u32 operand, u32 mask, WARPLOOM_PTX_HERE) {
  return static_cast<u32>(__warploom_shfl_idx(mask, value, static_cast<int>(operand & 31), 32, file, line));
}
WARPLOOM_PTX_WARP u32 shfl_warp_down(u32 value, u32 operand, u32 mask, WARPLOOM_PTX_HERE) {
  return static_cast<u32>(__warploom_shfl_down(mask, value, operand & 31, 32, file, line));
}
WARPLOOM_PTX_WARP u32 shfl_warp_up(u32 value, u32 operand, u32 mask, WARPLOOM_PTX_HERE) {
  return static_cast<u32>(__warploom_shfl_up(mask, value, operand & 31, 32, file, line));
}
WARPLOOM_PTX_WARP u32 activemask(WARPLOOM_PTX_HERE) { return __warploom_activemask(file, line); }
WARPLOOM_PTX_WARP u32 vote_ballot(bool a, u32 mask, WARPLOOM_PTX_HERE) {
  return __warploom_ballot(mask, a, file, line);
}
WARPLOOM_PTX_WARP bool vote_all(bool a, u32 mask, WARPLOOM_PTX_HERE) { return __warploom_all(mask, a, file, line); }
WARPLOOM_PTX_WARP bool vote_any(bool a, u32 mask, WARPLOOM_PTX_HERE) { return __warploom_any(mask, a, file, line); }
WARPLOOM_PTX_WARP bool vote_uni(bool a, u32 mask, WARPLOOM_PTX_HERE) { return __uni_sync(mask, a, file, line) != 0; }
WARPLOOM_PTX_WARP u32 match_any(u64 a, u32 mask, WARPLOOM_PTX_HERE) {
  return __warploom_match_any(mask, a, file, line);
}
WARPLOOM_PTX_WARP u32 match_all(u64 a, u32 mask, bool &same, WARPLOOM_PTX_HERE) {
  int all = 0;
  const u32 lanes = __warploom_match_all(mask, a, &all, file, line);
  same = all != 0;
  return lanes;
}
#define WARPLOOM_PTX_REDUX(NAME, T, ABI) \
  WARPLOOM_PTX_WARP T NAME(T a, u32 mask, WARPLOOM_PTX_HERE) { return static_cast<T>(ABI(mask, a, file, line)); }
WARPLOOM_PTX_REDUX(redux_add, u32, __warploom_reduce_add)
WARPLOOM_PTX_REDUX(redux_add, s32, __warploom_reduce_add)
WARPLOOM_PTX_REDUX(redux_min, u32, __warploom_reduce_min_u)
WARPLOOM_PTX_REDUX(redux_min, s32, __warploom_reduce_min_s)
WARPLOOM_PTX_REDUX(redux_max, u32, __warploom_reduce_max_u)
WARPLOOM_PTX_REDUX(redux_max, s32, __warploom_reduce_max_s)
WARPLOOM_PTX_REDUX(redux_and, u32, __warploom_reduce_and)
WARPLOOM_PTX_REDUX(redux_or, u32, __warploom_reduce_or)
WARPLOOM_PTX_REDUX(redux_xor, u32, __warploom_reduce_xor)
#undef WARPLOOM_PTX_REDUX
WARPLOOM_PTX_WARP void syncwarp(u32 mask, WARPLOOM_PTX_HERE) { __warploom_syncwarp(mask, file, line); }
// One lane of the mask, the same each time: the first.
WARPLOOM_PTX_WARP u32 elect(u32 mask, bool &elected, WARPLOOM_PTX_HERE) {
  __warploom_syncwarp(mask, file, line);
  const u32 leader = static_cast<u32>(__builtin_ctz(mask));
  elected = __warploom_lane_id() == leader;
  return leader;
}

WARPLOOM_PTX_WARP void barrier(WARPLOOM_PTX_HERE) { __warploom_barrier(file, line); }
WARPLOOM_PTX_WARP void barrier_named(u32 id, u32 count, WARPLOOM_PTX_HERE) {
  __warploom_barrier_named(id, count, file, line);
}
WARPLOOM_PTX_WARP void barrier_arrive(u32 id, u32 count, WARPLOOM_PTX_HERE) {
  __warploom_barrier_arrive(id, count, file, line);
}
WARPLOOM_PTX_WARP void cluster_barrier(WARPLOOM_PTX_HERE) { __warploom_cluster_sync(file, line); }
WARPLOOM_PTX_WARP u32 barrier_popc(bool a, WARPLOOM_PTX_HERE) {
  return static_cast<u32>(__warploom_barrier_count(a, file, line));
}
WARPLOOM_PTX_WARP bool barrier_and(bool a, WARPLOOM_PTX_HERE) { return __warploom_barrier_and(a, file, line) != 0; }
WARPLOOM_PTX_WARP bool barrier_or(bool a, WARPLOOM_PTX_HERE) { return __warploom_barrier_or(a, file, line) != 0; }

}  // namespace ptx
}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix and movmatrix: 8x8 matrices of 16-bit elements, of which lane 4 r + t has two of row r, or of
// column r when they are transposed.
#pragma once

#include "warp.h"

namespace warploom {
namespace ptx {

// 8x8 matrices of 16-bit elements: lane 8m + r gives the address of row r of matrix m.
template <bool Transposed>
WARPLOOM_PTX_WARP u32 load_matrix(u64 address, int index, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), base = static_cast<u32>(index) * 8;
  if constexpr (Transposed) {
    const u32 upper = base + (lane & 3u) * 2, column = lane / 4;
    const u64 first = from_lane(address, upper, file, line), second = from_lane(address, upper + 1, file, line);
    return static_cast<const u16 *>(shared_pointer(first))[column] |
           static_cast<u32>(static_cast<const u16 *>(shared_pointer(second))[column]) << 16;
  } else {
    const u64 row = from_lane(address, base + lane / 4, file, line);
    return static_cast<const u32 *>(shared_pointer(row))[lane & 3u];
  }
}
template <bool Transposed>
WARPLOOM_PTX_WARP void store_matrix(u64 address, int index, u32 value, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), base = static_cast<u32>(index) * 8;
  if constexpr (Transposed) {
    const u32 upper = base + (lane & 3u) * 2, column = lane / 4;
    const u64 first = from_lane(address, upper, file, line), second = from_lane(address, upper + 1, file, line);
    static_cast<u16 *>(shared_pointer(first))[column] = static_cast<u16>(value);
    static_cast<u16 *>(shared_pointer(second))[column] = static_cast<u16>(value >> 16);
  } else {
    const u64 row = from_lane(address, base + lane / 4, file, line);
    static_cast<u32 *>(shared_pointer(row))[lane & 3u] = value;
  }
}
WARPLOOM_PTX_WARP u32 transpose_matrix(u32 value, WARPLOOM_PTX_HERE) {
  const u32 lane = __warploom_lane_id(), half = lane / 4 & 1u, word = lane / 8;
  const u32 upper = from_lane(value, (lane & 3u) * 8 + word, file, line);
  const u32 lower = from_lane(value, (lane & 3u) * 8 + 4 + word, file, line);
  return (upper >> 16 * half & 0xffff) | (lower >> 16 * half) << 16;
}

}  // namespace ptx
}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: what every group type is built from: where a call stands in the user's source, lane masks, and
// the transport of a value of any size through the 64-bit warp collectives.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "../device_abi.h"

namespace cooperative_groups {
namespace details {

// The user's source line: what a group operation that can block hands to the engine.
struct call_site {
  const char *file;
  int line;
};

__device__ __forceinline__ constexpr call_site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}

constexpr unsigned warp_size = 32;

__device__ __forceinline__ unsigned lane_id() { return __warploom_lane_id(); }

__device__ __forceinline__ unsigned lanes_below(unsigned lane) { return (1u << lane) - 1u; }

__device__ __forceinline__ unsigned block_size() {
  return __warploom_block_dim_x() * __warploom_block_dim_y() * __warploom_block_dim_z();
}

__device__ __forceinline__ unsigned rank_in_block() {
  return (__warploom_thread_idx_z() * __warploom_block_dim_y() + __warploom_thread_idx_y()) * __warploom_block_dim_x() +
         __warploom_thread_idx_x();
}

__device__ __forceinline__ unsigned long long grid_blocks() {
  return static_cast<unsigned long long>(__warploom_grid_dim_x()) * __warploom_grid_dim_y() * __warploom_grid_dim_z();
}

__device__ __forceinline__ unsigned long long rank_of_block() {
  const unsigned long long row =
      static_cast<unsigned long long>(__warploom_block_idx_z()) * __warploom_grid_dim_y() + __warploom_block_idx_y();
  return row * __warploom_grid_dim_x() + __warploom_block_idx_x();
}

// The lane of the warp whose rank among the lanes of `mask` is `rank`; the caller's own lane when there is none.
__device__ __forceinline__ unsigned lane_of_rank(unsigned mask, unsigned rank) {
  if (rank >= static_cast<unsigned>(__builtin_popcount(mask))) return lane_id();
  for (; rank != 0; --rank) mask &= mask - 1;
  return static_cast<unsigned>(__builtin_ctz(mask));
}

// The bits of `lanes` that stand where `mask` has ones, moved together: bit i of the result belongs to rank i.
__device__ __forceinline__ unsigned pack_lanes(unsigned mask, unsigned lanes) {
  if (mask == 0xffffffffu) return lanes;
  unsigned packed = 0;
  for (unsigned rank = 0; mask != 0; ++rank, mask &= mask - 1) {
    packed |= ((lanes >> __builtin_ctz(mask)) & 1u) << rank;
  }
  return packed;
}

template <unsigned Size>
struct bytes_of {
  unsigned char data[Size];
};

// The bits of a value of 1 to 8 bytes, zero-extended.
template <class T>
__device__ __forceinline__ unsigned long long to_bits(const T &value) {
  static_assert(sizeof(T) <= 8);
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(unsigned long long, value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(unsigned, value);
  } else {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
  }
}

template <class T>
__device__ __forceinline__ T from_bits(unsigned long long bits) {
  static_assert(sizeof(T) <= 8);
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<unsigned>(bits));
  } else {
    bytes_of<sizeof(T)> bytes;
    __builtin_memcpy(bytes.data, &bits, sizeof(T));
    return __builtin_bit_cast(T, bytes);
  }
}

// Sends `value` through `move`, a collective on 64 bits, in pieces of at most 8 bytes.
template <class T, class Move>
__device__ __forceinline__ T by_pieces(const T &value, Move move) {
  static_assert(std::is_trivially_copyable<T>::value, "a group exchanges values of trivially copyable types");
  if constexpr (sizeof(T) <= 8) {
    return from_bits<T>(move(to_bits(value)));
  } else {
    bytes_of<sizeof(T)> bytes = __builtin_bit_cast(bytes_of<sizeof(T)>, value);
    for (unsigned at = 0; at < sizeof(T); at += 8) {
      const unsigned size = sizeof(T) - at < 8 ? static_cast<unsigned>(sizeof(T) - at) : 8u;
      unsigned long long piece = 0;
      __builtin_memcpy(&piece, bytes.data + at, size);
      piece = move(piece);
      __builtin_memcpy(bytes.data + at, &piece, size);
    }
    return __builtin_bit_cast(T, bytes);
  }
}

// match_any and match_all compare 4- or 8-byte values, as the warp instruction does.
template <class T>
__device__ __forceinline__ unsigned long long match_bits(const T &value) {
  static_assert(std::is_trivially_copyable<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                "match_any and match_all take values of 4 or 8 bytes");
  return to_bits(value);
}

}  // namespace details
}  // namespace cooperative_groups

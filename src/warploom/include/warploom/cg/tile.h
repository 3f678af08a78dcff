// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// thread_block_tile<Size, Parent>: aligned power-of-two pieces of a block. Up to 32 threads a tile lies within one warp
// and its operations are warp collectives under the tile's own mask; wider tiles are in wide_tile.h.
#pragma once

#include "block.h"
#include "wide_tile.h"

namespace cooperative_groups {
namespace details {

constexpr bool is_tile_size(unsigned size) { return size != 0 && size <= 1024 && (size & (size - 1)) == 0; }

template <unsigned Size>
class warp_tile : public thread_group {
 public:
  __device__ __forceinline__ void sync(call_site at = here()) const { __warploom_syncwarp(mask(), at.file, at.line); }
  [[nodiscard]] static constexpr __device__ __forceinline__ unsigned size() { return Size; }
  [[nodiscard]] static constexpr __device__ __forceinline__ unsigned num_threads() { return Size; }
  static __device__ __forceinline__ unsigned thread_rank() { return lane_id() & (Size - 1); }

  template <class T>
  __device__ __forceinline__ T shfl(T value, int rank, call_site at = here()) const {
    return by_pieces(value, [rank, at](unsigned long long bits) {
      return __warploom_shfl_idx(mask(), bits, rank, static_cast<int>(Size), at.file, at.line);
    });
  }
  template <class T>
  __device__ __forceinline__ T shfl_up(T value, unsigned delta, call_site at = here()) const {
    return by_pieces(value, [delta, at](unsigned long long bits) {
      return __warploom_shfl_up(mask(), bits, delta, static_cast<int>(Size), at.file, at.line);
    });
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T value, unsigned delta, call_site at = here()) const {
    return by_pieces(value, [delta, at](unsigned long long bits) {
      return __warploom_shfl_down(mask(), bits, delta, static_cast<int>(Size), at.file, at.line);
    });
  }
  template <class T>
  __device__ __forceinline__ T shfl_xor(T value, unsigned lane_mask, call_site at = here()) const {
    return by_pieces(value, [lane_mask, at](unsigned long long bits) {
      return __warploom_shfl_xor(mask(), bits, static_cast<int>(lane_mask), static_cast<int>(Size), at.file, at.line);
    });
  }

  __device__ __forceinline__ int any(int predicate, call_site at = here()) const {
    return __warploom_any(mask(), predicate, at.file, at.line);
  }
  __device__ __forceinline__ int all(int predicate, call_site at = here()) const {
    return __warploom_all(mask(), predicate, at.file, at.line);
  }
  // Bit i belongs to the thread of rank i.
  __device__ __forceinline__ unsigned ballot(int predicate, call_site at = here()) const {
    return __warploom_ballot(mask(), predicate, at.file, at.line) >> first_lane();
  }
  template <class T>
  __device__ __forceinline__ unsigned match_any(T value, call_site at = here()) const {
    return __warploom_match_any(mask(), match_bits(value), at.file, at.line) >> first_lane();
  }
  template <class T>
  __device__ __forceinline__ unsigned match_all(T value, int &predicate, call_site at = here()) const {
    return __warploom_match_all(mask(), match_bits(value), &predicate, at.file, at.line) >> first_lane();
  }

  // The lanes of the warp that form the group, for the group functions.
  static __device__ __forceinline__ unsigned __warploom_mask() { return mask(); }

 protected:
  __device__ __forceinline__ warp_tile() : thread_group(group_kind::tile, mask(), Size) {}

 private:
  static __device__ __forceinline__ unsigned first_lane() { return lane_id() & ~(Size - 1); }
  static __device__ __forceinline__ unsigned mask() { return (0xffffffffu >> (32 - Size)) << first_lane(); }
};

template <unsigned Size>
struct tile_base {
  using type = wide_tile<Size>;
};
template <>
struct tile_base<1> {
  using type = warp_tile<1>;
};
template <>
struct tile_base<2> {
  using type = warp_tile<2>;
};
template <>
struct tile_base<4> {
  using type = warp_tile<4>;
};
template <>
struct tile_base<8> {
  using type = warp_tile<8>;
};
template <>
struct tile_base<16> {
  using type = warp_tile<16>;
};
template <>
struct tile_base<32> {
  using type = warp_tile<32>;
};

// Where a tile stands among the tiles of its parent.
struct meta_position {
  unsigned rank;
  unsigned size;
};

struct tile_maker;

}  // namespace details

template <unsigned Size, class Parent = void>
class thread_block_tile;

// A tile that has forgotten the type of its parent, not its place in it.
template <unsigned Size>
class thread_block_tile<Size, void> : public details::tile_base<Size>::type {
  static_assert(details::is_tile_size(Size), "the size of a tile is a power of two, at most 1024");

 public:
  __device__ __forceinline__ unsigned meta_group_rank() const { return meta_.rank; }
  __device__ __forceinline__ unsigned meta_group_size() const { return meta_.size; }

 protected:
  __device__ __forceinline__ explicit thread_block_tile(details::meta_position meta) : meta_(meta) {}

 private:
  details::meta_position meta_;

  friend struct details::tile_maker;
};

template <unsigned Size, class Parent>
class thread_block_tile : public thread_block_tile<Size, void> {
 private:
  __device__ __forceinline__ explicit thread_block_tile(details::meta_position meta)
      : thread_block_tile<Size, void>(meta) {}

  friend struct details::tile_maker;
};

namespace details {

struct tile_maker {
  template <class Tile>
  static __device__ __forceinline__ Tile make(meta_position meta) {
    return Tile(meta);
  }
};

}  // namespace details
}  // namespace cooperative_groups

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dividing a group: tiled_partition, labeled_partition, binary_partition.
#pragma once

#include "coalesced.h"
#include "tile.h"

namespace cooperative_groups {
namespace details {

template <unsigned Size>
__device__ __forceinline__ meta_position tile_of_block() {
  return {rank_in_block() / Size, (block_size() + Size - 1) / Size};
}

template <unsigned Size, unsigned ParentSize>
__device__ __forceinline__ meta_position tile_of_tile() {
  static_assert(Size <= ParentSize, "a tile is not larger than the tile it divides");
  return {(rank_in_block() & (ParentSize - 1)) / Size, ParentSize / Size};
}

// The lanes of `mask` with ranks in [first, first + size).
__device__ __forceinline__ unsigned lanes_of_ranks(unsigned mask, unsigned first, unsigned size) {
  for (; first != 0; --first) mask &= mask - 1;
  unsigned lanes = 0;
  for (; size != 0 && mask != 0; --size, mask &= mask - 1) lanes |= mask & -mask;
  return lanes;
}

// Threads of one label, of all threads that call with the same mask. Groups are numbered by their first thread.
__device__ __forceinline__ coalesced_group same_label(unsigned mask, unsigned own, call_site at) {
  const unsigned leader = own & -own;
  const unsigned leaders = __warploom_ballot(mask, leader == (1u << lane_id()), at.file, at.line);
  return coalesced_group_maker::make(own, static_cast<unsigned>(__builtin_popcount(leaders & (leader - 1))),
                                     static_cast<unsigned>(__builtin_popcount(leaders)));
}

template <class Group, class Label>
__device__ __forceinline__ coalesced_group by_label(const Group &group, Label label, call_site at) {
  static_assert(std::is_integral<Label>::value, "a label is of an integral type");
  const unsigned mask = group.__warploom_mask();
  const unsigned long long bits = to_bits(label);
  return same_label(mask, __warploom_match_any(mask, bits, at.file, at.line), at);
}

template <class Group>
__device__ __forceinline__ coalesced_group by_predicate(const Group &group, bool predicate, call_site at) {
  const unsigned mask = group.__warploom_mask();
  const unsigned yes = __warploom_ballot(mask, predicate, at.file, at.line);
  return coalesced_group_maker::make(predicate ? yes : mask & ~yes, predicate ? 0 : 1, 2);
}

}  // namespace details

template <unsigned Size>
__device__ __forceinline__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
  return details::tile_maker::make<thread_block_tile<Size, thread_block>>(details::tile_of_block<Size>());
}

template <unsigned Size, unsigned ParentSize, class Parent>
__device__ __forceinline__ thread_block_tile<Size, thread_block_tile<ParentSize, Parent>> tiled_partition(
    const thread_block_tile<ParentSize, Parent> &) {
  using tile = thread_block_tile<Size, thread_block_tile<ParentSize, Parent>>;
  return details::tile_maker::make<tile>(details::tile_of_tile<Size, ParentSize>());
}

__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
  const unsigned rank = parent.thread_rank();
  const unsigned total = parent.size();
  const unsigned lanes = details::lanes_of_ranks(parent.__warploom_mask(), rank / size * size, size);
  return details::coalesced_group_maker::make(lanes, rank / size, (total + size - 1) / size);
}

template <unsigned Size>
__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &parent) {
  static_assert(details::is_tile_size(Size) && Size <= details::warp_size,
                "the size of a tile of a coalesced group is a power of two, at most 32");
  return tiled_partition(parent, Size);
}

// Sizes known only at run time: up to a warp.
__device__ __forceinline__ thread_group tiled_partition(const thread_group &parent, unsigned size) {
  using details::group_kind;
  if (size == 0 || size > details::warp_size) return thread_group();
  if (parent.kind_ == group_kind::coalesced) {
    const unsigned lanes = details::lanes_of_ranks(parent.mask_, parent.lane_rank() / size * size, size);
    return thread_group(group_kind::coalesced, lanes, static_cast<unsigned>(__builtin_popcount(lanes)));
  }
  if (!details::is_tile_size(size)) return thread_group();
  const unsigned mask = (0xffffffffu >> (32 - size)) << (details::lane_id() & ~(size - 1));
  return thread_group(group_kind::tile, mask, size);
}

__device__ __forceinline__ thread_group tiled_partition(const thread_block &parent, unsigned size) {
  return tiled_partition(static_cast<const thread_group &>(parent), size);
}

// A group of the calling thread alone.
__device__ __forceinline__ thread_group this_thread() {
  return thread_group(details::group_kind::tile, 1u << details::lane_id(), 1);
}

template <class Label>
__device__ __forceinline__ coalesced_group labeled_partition(const coalesced_group &group, Label label,
                                                             details::call_site at = details::here()) {
  return details::by_label(group, label, at);
}

template <unsigned Size, class Parent, class Label>
__device__ __forceinline__ coalesced_group labeled_partition(const thread_block_tile<Size, Parent> &group, Label label,
                                                             details::call_site at = details::here()) {
  static_assert(Size <= details::warp_size, "labeled_partition divides tiles of at most a warp");
  return details::by_label(group, label, at);
}

// Threads whose predicate holds form group 0, the others group 1.
__device__ __forceinline__ coalesced_group binary_partition(const coalesced_group &group, bool predicate,
                                                            details::call_site at = details::here()) {
  return details::by_predicate(group, predicate, at);
}

template <unsigned Size, class Parent>
__device__ __forceinline__ coalesced_group binary_partition(const thread_block_tile<Size, Parent> &group,
                                                            bool predicate, details::call_site at = details::here()) {
  static_assert(Size <= details::warp_size, "binary_partition divides tiles of at most a warp");
  return details::by_predicate(group, predicate, at);
}

}  // namespace cooperative_groups

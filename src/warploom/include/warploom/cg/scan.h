// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inclusive_scan, exclusive_scan, inclusive_scan_update, exclusive_scan_update over tiles and coalesced groups.
#pragma once

#include "functions.h"
#include "operators.h"
#include "reduce.h"

namespace cooperative_groups {
namespace details {

template <class T>
using plain_t = std::remove_cv_t<std::remove_reference_t<T>>;

// Both scans of one value.
template <class T>
struct scanned {
  T inclusive;
  T exclusive;
};

// Rank 0's exclusive result is a value-initialised T.
template <class Group, class T, class Operator>
__device__ __forceinline__ scanned<T> scan_warp(const Group &group, T value, Operator &op, call_site at) {
  const unsigned rank = group.thread_rank();
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const T other = group.shfl_up(value, step, at);
    if (rank >= step) value = op(other, value);
  }
  const T before = group.shfl_up(value, 1, at);
  return {value, rank == 0 ? T{} : before};
}

template <class Group, class T, class Operator>
__device__ __forceinline__ scanned<T> scan(const Group &group, T value, Operator &op, call_site at) {
  return scan_warp(group, value, op, at);
}

// Every warp first, then what the warps before this one hold.
template <unsigned Size, class Parent, class T, class Operator>
__device__ __forceinline__ scanned<T> scan(const thread_block_tile<Size, Parent> &group, T value, Operator &op,
                                           call_site at) {
  if constexpr (Size <= warp_size) {
    return scan_warp(group, value, op, at);
  } else {
    const auto warp = tiled_partition<warp_size>(group);
    const scanned<T> own = scan_warp(warp, value, op, at);
    T before{};
    for (unsigned other = 0; other < Size / warp_size; ++other) {
      const T total = group.shfl(own.inclusive, static_cast<int>(other * warp_size + warp_size - 1), at);
      if (other < warp.meta_group_rank()) before = other == 0 ? total : op(before, total);
    }
    if (warp.meta_group_rank() == 0) return own;
    return {op(before, own.inclusive), warp.thread_rank() == 0 ? before : op(before, own.exclusive)};
  }
}

// The last thread adds the group's total to `target`; everyone learns what was there before.
template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ T claim(const Group &group, Atomic &target, T inclusive, Operator &op, call_site at) {
  const int last = static_cast<int>(group.size()) - 1;
  T old = inclusive;
  if (static_cast<int>(group.thread_rank()) == last) old = atomic_update(target, inclusive, op);
  return group.shfl(old, last, at);
}

}  // namespace details

template <class Group, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> inclusive_scan(const Group &group, T &&value, Operator &&op,
                                                              details::call_site at = details::here()) {
  return details::scan(group, static_cast<details::plain_t<T>>(value), op, at).inclusive;
}

template <class Group, class T>
__device__ __forceinline__ details::plain_t<T> inclusive_scan(const Group &group, T &&value) {
  plus<details::plain_t<T>> op;
  return details::scan(group, static_cast<details::plain_t<T>>(value), op, details::here()).inclusive;
}

template <class Group, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> exclusive_scan(const Group &group, T &&value, Operator &&op,
                                                              details::call_site at = details::here()) {
  return details::scan(group, static_cast<details::plain_t<T>>(value), op, at).exclusive;
}

template <class Group, class T>
__device__ __forceinline__ details::plain_t<T> exclusive_scan(const Group &group, T &&value) {
  return exclusive_scan(group, value, plus<details::plain_t<T>>());
}

template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> inclusive_scan_update(const Group &group, Atomic &target, T &&value,
                                                                     Operator &&op,
                                                                     details::call_site at = details::here()) {
  const auto own = details::scan(group, static_cast<details::plain_t<T>>(value), op, at);
  return op(details::claim(group, target, own.inclusive, op, at), own.inclusive);
}

template <class Group, class Atomic, class T>
__device__ __forceinline__ details::plain_t<T> inclusive_scan_update(const Group &group, Atomic &target, T &&value) {
  return inclusive_scan_update(group, target, value, plus<details::plain_t<T>>());
}

template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> exclusive_scan_update(const Group &group, Atomic &target, T &&value,
                                                                     Operator &&op,
                                                                     details::call_site at = details::here()) {
  const auto own = details::scan(group, static_cast<details::plain_t<T>>(value), op, at);
  const auto old = details::claim(group, target, own.inclusive, op, at);
  return group.thread_rank() == 0 ? old : op(old, own.exclusive);
}

template <class Group, class Atomic, class T>
__device__ __forceinline__ details::plain_t<T> exclusive_scan_update(const Group &group, Atomic &target, T &&value) {
  return exclusive_scan_update(group, target, value, plus<details::plain_t<T>>());
}

}  // namespace cooperative_groups

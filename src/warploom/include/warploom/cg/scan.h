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

template <class Group, class T, class Operator>
__device__ __forceinline__ T scan_inclusive(const Group &group, T value, Operator &op, call_site at) {
  const unsigned size = static_cast<unsigned>(group.size());
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  for (unsigned step = 1; step < size; step *= 2) {
    const T other = group.shfl_up(value, step, at);
    if (rank >= step) value = op(other, value);
  }
  return value;
}

// Rank 0 gets a value-initialised T.
template <class Group, class T>
__device__ __forceinline__ T shift_up(const Group &group, T inclusive, call_site at) {
  const T before = group.shfl_up(inclusive, 1, at);
  return group.thread_rank() == 0 ? T{} : before;
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
  return details::scan_inclusive(group, static_cast<details::plain_t<T>>(value), op, at);
}

template <class Group, class T>
__device__ __forceinline__ details::plain_t<T> inclusive_scan(const Group &group, T &&value) {
  plus<details::plain_t<T>> op;
  return details::scan_inclusive(group, static_cast<details::plain_t<T>>(value), op, details::here());
}

template <class Group, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> exclusive_scan(const Group &group, T &&value, Operator &&op,
                                                              details::call_site at = details::here()) {
  return details::shift_up(group, details::scan_inclusive(group, static_cast<details::plain_t<T>>(value), op, at), at);
}

template <class Group, class T>
__device__ __forceinline__ details::plain_t<T> exclusive_scan(const Group &group, T &&value) {
  return exclusive_scan(group, value, plus<details::plain_t<T>>());
}

template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> inclusive_scan_update(const Group &group, Atomic &target, T &&value,
                                                                     Operator &&op,
                                                                     details::call_site at = details::here()) {
  const auto inclusive = details::scan_inclusive(group, static_cast<details::plain_t<T>>(value), op, at);
  return op(details::claim(group, target, inclusive, op, at), inclusive);
}

template <class Group, class Atomic, class T>
__device__ __forceinline__ details::plain_t<T> inclusive_scan_update(const Group &group, Atomic &target, T &&value) {
  return inclusive_scan_update(group, target, value, plus<details::plain_t<T>>());
}

template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ details::plain_t<T> exclusive_scan_update(const Group &group, Atomic &target, T &&value,
                                                                     Operator &&op,
                                                                     details::call_site at = details::here()) {
  const auto inclusive = details::scan_inclusive(group, static_cast<details::plain_t<T>>(value), op, at);
  const auto old = details::claim(group, target, inclusive, op, at);
  const auto before = group.shfl_up(inclusive, 1, at);
  return group.thread_rank() == 0 ? old : op(old, before);
}

template <class Group, class Atomic, class T>
__device__ __forceinline__ details::plain_t<T> exclusive_scan_update(const Group &group, Atomic &target, T &&value) {
  return exclusive_scan_update(group, target, value, plus<details::plain_t<T>>());
}

}  // namespace cooperative_groups

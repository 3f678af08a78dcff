// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce, reduce_update_async, reduce_store_async. Every thread of the group gets the same bits: tiles combine in a
// butterfly, which needs a commutative operator as CUDA does, other groups towards rank 0 and back.
#pragma once

#include "functions.h"
#include "operators.h"

namespace cooperative_groups {
namespace details {

template <class T>
inline constexpr bool is_word_v = std::is_integral<T>::value && sizeof(T) == 4;

// The engine reduces words under the plain operators in one collective instead of five.
template <class T, class Operator>
inline constexpr bool is_word_reduction_v =
    is_word_v<T> &&
    (is_operator_v<plus, Operator> || is_operator_v<less, Operator> || is_operator_v<greater, Operator> ||
     is_operator_v<bit_and, Operator> || is_operator_v<bit_or, Operator> || is_operator_v<bit_xor, Operator>);

template <class Operator, class T>
__device__ __forceinline__ T reduce_word(unsigned mask, T value, call_site at) {
  if constexpr (is_operator_v<plus, Operator>) {
    return static_cast<T>(__warploom_reduce_add(mask, static_cast<unsigned>(value), at.file, at.line));
  } else if constexpr (is_operator_v<bit_and, Operator>) {
    return static_cast<T>(__warploom_reduce_and(mask, static_cast<unsigned>(value), at.file, at.line));
  } else if constexpr (is_operator_v<bit_or, Operator>) {
    return static_cast<T>(__warploom_reduce_or(mask, static_cast<unsigned>(value), at.file, at.line));
  } else if constexpr (is_operator_v<bit_xor, Operator>) {
    return static_cast<T>(__warploom_reduce_xor(mask, static_cast<unsigned>(value), at.file, at.line));
  } else if constexpr (is_operator_v<less, Operator> && std::is_signed<T>::value) {
    return __warploom_reduce_min_s(mask, value, at.file, at.line);
  } else if constexpr (is_operator_v<less, Operator>) {
    return __warploom_reduce_min_u(mask, value, at.file, at.line);
  } else if constexpr (std::is_signed<T>::value) {
    return __warploom_reduce_max_s(mask, value, at.file, at.line);
  } else {
    return __warploom_reduce_max_u(mask, value, at.file, at.line);
  }
}

template <unsigned Size, class Parent, class T, class Operator>
__device__ __forceinline__ T reduce_tile(const thread_block_tile<Size, Parent> &group, T value, Operator &op,
                                         call_site at) {
  if constexpr (Size <= warp_size && is_word_reduction_v<T, Operator>) {
    return reduce_word<Operator>(group.__warploom_mask(), value, at);
  } else if constexpr (Size <= warp_size) {
    for (unsigned step = Size / 2; step != 0; step /= 2) value = op(value, group.shfl_xor(value, step, at));
    return value;
  } else {
    // Every warp first, then the warps' results in order.
    const auto warp = tiled_partition<warp_size>(group);
    const T partial = reduce_tile(warp, value, op, at);
    T total = group.shfl(partial, 0, at);
    for (unsigned first = warp_size; first < Size; first += warp_size) {
      total = op(total, group.shfl(partial, static_cast<int>(first), at));
    }
    return total;
  }
}

template <class T, class Operator>
__device__ __forceinline__ T reduce_coalesced(const coalesced_group &group, T value, Operator &op, call_site at) {
  if constexpr (is_word_reduction_v<T, Operator>) {
    return reduce_word<Operator>(group.__warploom_mask(), value, at);
  } else {
    const unsigned size = group.size();
    const unsigned rank = group.thread_rank();
    for (unsigned step = warp_size / 2; step != 0; step /= 2) {
      const T other = group.shfl_down(value, step, at);
      if (rank + step < size) value = op(value, other);
    }
    return group.shfl(value, 0, at);
  }
}

}  // namespace details

template <unsigned Size, class Parent, class T, class Operator>
__device__ __forceinline__ auto reduce(const thread_block_tile<Size, Parent> &group, T &&value, Operator &&op,
                                       details::call_site at = details::here())
    -> std::remove_cv_t<std::remove_reference_t<T>> {
  using type = std::remove_cv_t<std::remove_reference_t<T>>;
  return details::reduce_tile(group, static_cast<type>(value), op, at);
}

template <class T, class Operator>
__device__ __forceinline__ auto reduce(const coalesced_group &group, T &&value, Operator &&op,
                                       details::call_site at = details::here())
    -> std::remove_cv_t<std::remove_reference_t<T>> {
  using type = std::remove_cv_t<std::remove_reference_t<T>>;
  return details::reduce_coalesced(group, static_cast<type>(value), op, at);
}

namespace details {

// target = op(target, value) in one atomic step.
template <class Atomic, class T, class Operator>
__device__ __forceinline__ T atomic_update(Atomic &target, const T &value, Operator &op) {
  T old = target.load();
  while (!target.compare_exchange_weak(old, op(old, value))) {
  }
  return old;
}

}  // namespace details

// The group's result is combined into `target`, a cuda::atomic or cuda::atomic_ref. Done when the call returns.
template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ void reduce_update_async(const Group &group, Atomic &target, T &&value, Operator &&op,
                                                    details::call_site at = details::here()) {
  const auto result = reduce(group, value, op, at);
  if (group.thread_rank() == 0) details::atomic_update(target, result, op);
}

// The group's result is stored to `target`. Done when the call returns.
template <class Group, class Target, class T, class Operator>
__device__ __forceinline__ void reduce_store_async(const Group &group, Target *target, T &&value, Operator &&op,
                                                   details::call_site at = details::here()) {
  const auto result = reduce(group, value, op, at);
  if (group.thread_rank() == 0) *target = result;
}

template <class Group, class Atomic, class T, class Operator>
__device__ __forceinline__ auto reduce_store_async(const Group &group, Atomic &target, T &&value, Operator &&op,
                                                   details::call_site at = details::here())
    -> decltype(target.store(value)) {
  const auto result = reduce(group, value, op, at);
  if (group.thread_rank() == 0) target.store(result);
}

}  // namespace cooperative_groups

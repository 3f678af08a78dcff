// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that take any group: sync, thread_rank, group_size, invoke_one, invoke_one_broadcast.
#pragma once

#include <utility>

#include "partition.h"

namespace cooperative_groups {

template <class Group>
__device__ __forceinline__ void sync(const Group &group, details::call_site at = details::here()) {
  group.sync(at);
}

template <class Group>
__device__ __forceinline__ auto thread_rank(const Group &group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}

template <class Group>
__device__ __forceinline__ auto group_size(const Group &group) -> decltype(group.size()) {
  return group.size();
}

namespace details {

// Any thread may be the one; the first keeps results the same in every run.
template <class Group>
__device__ __forceinline__ bool is_chosen(const Group &group) {
  return group.thread_rank() == 0;
}

}  // namespace details

// One thread of the group calls; the others go on.
template <class Group, class Function, class... Arguments>
__device__ __forceinline__ void invoke_one(const Group &group, Function &&function, Arguments &&...arguments) {
  if (details::is_chosen(group)) std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
}

// One thread of the group calls; all get its result.
template <class Group, class Function, class... Arguments>
__device__ __forceinline__ auto invoke_one_broadcast(const Group &group, Function &&function,
                                                     Arguments &&...arguments) {
  using result =
      std::remove_reference_t<decltype(std::forward<Function>(function)(std::forward<Arguments>(arguments)...))>;
  static_assert(std::is_trivially_copyable<result>::value && !std::is_void<result>::value,
                "invoke_one_broadcast returns a trivially copyable value");
  details::bytes_of<sizeof(result)> bytes = {};
  if (details::is_chosen(group)) {
    result value = std::forward<Function>(function)(std::forward<Arguments>(arguments)...);
    bytes = __builtin_bit_cast(details::bytes_of<sizeof(result)>, value);
  }
  return __builtin_bit_cast(result, group.shfl(bytes, 0));
}

}  // namespace cooperative_groups

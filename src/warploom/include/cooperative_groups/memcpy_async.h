// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cooperative_groups::memcpy_async, wait, wait_prior. The group copies at once, each thread its share; wait is the
// group's barrier, after which every thread sees all of it.
#pragma once

#include "../cooperative_groups.h"
#include "../warploom/copy_shape.h"

namespace cooperative_groups {
namespace details {

template <class Group>
__device__ __forceinline__ void copy_bytes(const Group &group, void *target, const void *source, std::size_t size) {
  const std::size_t rank = group.thread_rank(), count = group.size();
  char *to = static_cast<char *>(target);
  const char *from = static_cast<const char *>(source);
  const std::size_t words = size / 16;
  for (std::size_t word = rank; word < words; word += count) __builtin_memcpy(to + word * 16, from + word * 16, 16);
  for (std::size_t at = words * 16 + rank; at < size; at += count) to[at] = from[at];
}

}  // namespace details

// `size` in bytes: a number or a cuda::aligned_size_t.
template <class Group, class Target, class Source, class Size>
__device__ __forceinline__ void memcpy_async(const Group &group, Target *target, const Source *source,
                                             const Size &size) {
  details::copy_bytes(group, target, source, static_cast<std::size_t>(size));
}

// Layouts in elements; the shorter one counts.
template <class Group, class T, class TargetLayout, class SourceLayout>
__device__ __forceinline__ void memcpy_async(const Group &group, T *target, const TargetLayout &target_layout,
                                             const T *source, const SourceLayout &source_layout) {
  const std::size_t to = static_cast<std::size_t>(target_layout), from = static_cast<std::size_t>(source_layout);
  details::copy_bytes(group, target, source, (to < from ? to : from) * sizeof(T));
}

template <class Group>
__device__ __forceinline__ void wait(const Group &group, details::call_site at = details::here()) {
  group.sync(at);
}

// All but the last `Stages` copies have arrived: all have.
template <unsigned Stages, class Group>
__device__ __forceinline__ void wait_prior(const Group &group, details::call_site at = details::here()) {
  group.sync(at);
}

}  // namespace cooperative_groups

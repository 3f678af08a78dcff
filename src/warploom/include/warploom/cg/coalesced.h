// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// coalesced_group: any set of a warp's lanes; ranks follow lane order.
#pragma once

#include "thread_group.h"

namespace cooperative_groups {
namespace details {

struct coalesced_group_maker;

}  // namespace details

class coalesced_group : public thread_group {
 public:
  __device__ __forceinline__ void sync(details::call_site at = details::here()) const {
    __warploom_syncwarp(mask_, at.file, at.line);
  }
  __device__ __forceinline__ unsigned size() const { return size_; }
  __device__ __forceinline__ unsigned num_threads() const { return size_; }
  __device__ __forceinline__ unsigned thread_rank() const { return lane_rank(); }
  __device__ __forceinline__ unsigned meta_group_size() const { return meta_size_; }
  __device__ __forceinline__ unsigned meta_group_rank() const { return meta_rank_; }

  // The value of the thread of rank `rank` in the group; the caller's own when there is none.
  template <class T>
  __device__ __forceinline__ T shfl(T value, unsigned rank, details::call_site at = details::here()) const {
    return from_lane(value, details::lane_of_rank(mask_, rank), at);
  }
  template <class T>
  __device__ __forceinline__ T shfl_up(T value, unsigned delta, details::call_site at = details::here()) const {
    const unsigned rank = lane_rank();
    return from_lane(value, delta > rank ? details::lane_id() : details::lane_of_rank(mask_, rank - delta), at);
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T value, unsigned delta, details::call_site at = details::here()) const {
    const unsigned rank = lane_rank();
    return from_lane(value, delta >= size_ - rank ? details::lane_id() : details::lane_of_rank(mask_, rank + delta),
                     at);
  }

  __device__ __forceinline__ int any(int predicate, details::call_site at = details::here()) const {
    return __warploom_any(mask_, predicate, at.file, at.line);
  }
  __device__ __forceinline__ int all(int predicate, details::call_site at = details::here()) const {
    return __warploom_all(mask_, predicate, at.file, at.line);
  }
  // Bit i belongs to the thread of rank i.
  __device__ __forceinline__ unsigned ballot(int predicate, details::call_site at = details::here()) const {
    return details::pack_lanes(mask_, __warploom_ballot(mask_, predicate, at.file, at.line));
  }
  template <class T>
  __device__ __forceinline__ unsigned match_any(T value, details::call_site at = details::here()) const {
    return details::pack_lanes(mask_, __warploom_match_any(mask_, details::match_bits(value), at.file, at.line));
  }
  template <class T>
  __device__ __forceinline__ unsigned match_all(T value, int &predicate,
                                                details::call_site at = details::here()) const {
    return details::pack_lanes(mask_,
                               __warploom_match_all(mask_, details::match_bits(value), &predicate, at.file, at.line));
  }

  // The lanes of the warp that form the group, for the group functions.
  __device__ __forceinline__ unsigned __warploom_mask() const { return mask_; }

 private:
  __device__ __forceinline__ coalesced_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
      : thread_group(details::group_kind::coalesced, mask, static_cast<unsigned>(__builtin_popcount(mask))),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}

  template <class T>
  __device__ __forceinline__ T from_lane(const T &value, unsigned lane, details::call_site at) const {
    const unsigned mask = mask_;
    return details::by_pieces(value, [mask, lane, at](unsigned long long bits) {
      return __warploom_shfl_idx(mask, bits, static_cast<int>(lane), 32, at.file, at.line);
    });
  }

  unsigned meta_rank_;
  unsigned meta_size_;

  friend struct details::coalesced_group_maker;
};

namespace details {

// The one way for partitions to make groups from masks.
struct coalesced_group_maker {
  static __device__ __forceinline__ coalesced_group make(unsigned mask, unsigned meta_rank, unsigned meta_size) {
    return coalesced_group(mask, meta_rank, meta_size);
  }
};

}  // namespace details

__device__ __forceinline__ coalesced_group coalesced_threads(details::call_site at = details::here()) {
  return details::coalesced_group_maker::make(__warploom_activemask(at.file, at.line), 0, 1);
}

}  // namespace cooperative_groups

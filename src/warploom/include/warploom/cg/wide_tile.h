// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of 64 to 1024 threads: a named barrier of the block for each tile, and shared memory to exchange values.
#pragma once

#include "thread_group.h"

namespace cooperative_groups {
namespace details {

// One slot a thread of the block. Part of a kernel's shared memory only when the kernel exchanges through wide tiles.
__device__ inline unsigned long long *exchange_slots() {
  __shared__ unsigned long long slots[1024];
  return slots;
}

// A named barrier for each tile of each size, from the last of PTX's 16 downwards: a program's own start at 1. A block
// of at most 512 threads has no more than 14 tiles, so each has its own; larger blocks that mix sizes share some.
template <unsigned Size>
__device__ __forceinline__ unsigned barrier_id() {
  unsigned smaller_tiles = 0;
  for (unsigned size = 64; size < Size; size *= 2) smaller_tiles += block_size() / size;
  return 15 - (smaller_tiles + rank_in_block() / Size) % 16;
}

template <unsigned Size>
class wide_tile {
 public:
  __device__ __forceinline__ void sync(call_site at = here()) const {
    if (block_size() <= Size) return __warploom_barrier(at.file, at.line);
    __warploom_barrier_named(barrier_id<Size>(), present(), at.file, at.line);
  }
  [[nodiscard]] static constexpr __device__ __forceinline__ unsigned size() { return Size; }
  [[nodiscard]] static constexpr __device__ __forceinline__ unsigned num_threads() { return Size; }
  static __device__ __forceinline__ unsigned thread_rank() { return rank_in_block() & (Size - 1); }

  template <class T>
  __device__ __forceinline__ T shfl(T value, int rank, call_site at = here()) const {
    return from_rank(value, static_cast<unsigned>(rank) & (Size - 1), at);
  }

  __device__ __forceinline__ int any(int predicate, call_site at = here()) const { return count(predicate, at) != 0; }
  __device__ __forceinline__ int all(int predicate, call_site at = here()) const {
    return count(predicate, at) == present();
  }

 protected:
  __device__ __forceinline__ wide_tile() {}

 private:
  static __device__ __forceinline__ unsigned first_rank() { return rank_in_block() & ~(Size - 1); }
  // The last tile of a block may be cut short.
  static __device__ __forceinline__ unsigned present() {
    const unsigned left = block_size() - first_rank();
    return left < Size ? left : Size;
  }

  template <class T>
  __device__ __forceinline__ T from_rank(const T &value, unsigned source, call_site at) const {
    return by_pieces(value, [source, at, this](unsigned long long bits) {
      unsigned long long *slots = exchange_slots();
      slots[rank_in_block()] = bits;
      sync(at);
      const unsigned from = first_rank() + source;
      const unsigned long long result = from < block_size() ? slots[from] : 0;
      sync(at);
      return result;
    });
  }

  __device__ __forceinline__ unsigned count(int predicate, call_site at) const {
    unsigned long long *slots = exchange_slots();
    slots[rank_in_block()] = predicate != 0;
    sync(at);
    unsigned total = 0;
    for (unsigned rank = first_rank(); rank < first_rank() + present(); ++rank) {
      total += static_cast<unsigned>(slots[rank]);
    }
    sync(at);
    return total;
  }
};

}  // namespace details
}  // namespace cooperative_groups

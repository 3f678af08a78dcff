// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for things of one size that one thread makes and another one ends, again and again: the allocator's lock and
// lists would go from thread to thread with each of them, here batches do.
//
//     thread that makes     current [ . . ]  spare [ ]     <--- a batch ---     shared: [ . . . . ] [ . . . . ]
//     thread that ends      current [ . ]    spare [ . . . . ]   --- a batch --->
#pragma once

#include <pthread.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>

namespace warploom {

template <std::size_t kBytes>
class Recycled {
 public:
  // Throws std::bad_alloc.
  static void *take() {
    Own &mine = own;
    if (mine.current.count == 0) mine.current = mine.spare.count != 0 ? std::exchange(mine.spare, {}) : take_batch();
    if (mine.current.count == 0) return ::operator new(kBytes, std::align_val_t{kLine});
    Piece *const piece = mine.current.first;
    mine.current = {piece->next, mine.current.count - 1};
    if (mine.current.count != 0) bring(mine.current.first);
    return piece;
  }

  static void give(void *memory) {
    Own &mine = own;
    if (mine.current.count == kBatch) {
      if (mine.spare.count != 0) give_batch(mine.spare);
      mine.spare = std::exchange(mine.current, {});
    }
    auto *const piece = static_cast<Piece *>(memory);
    piece->next = mine.current.first;
    mine.current = {piece, mine.current.count + 1};
  }

 private:
  static constexpr unsigned kBatch = 32;
  static constexpr std::size_t kLine = 64;  // of a cache; pieces that share one would go from thread to thread together

  struct Batch;
  struct Piece {
    Piece *next;
    Piece *next_batch;  // of the first one of a batch
    unsigned count;     // in that
  };
  static_assert(kBytes >= sizeof(Piece));

  // What is taken next comes from the cache of the thread that ended it meanwhile.
  static void bring(const Piece *piece) {
    const char *const begin = reinterpret_cast<const char *>(piece);
    for (std::size_t at = 0; at < kBytes; at += kLine) __builtin_prefetch(begin + at, 1);
  }

  struct Batch {
    Piece *first = nullptr;
    unsigned count = 0;
  };
  struct Own {
    Batch current, spare;
    ~Own() {
      for (Batch *const batch : {&current, &spare})
        if (batch->count != 0) give_batch(std::exchange(*batch, {}));
    }
  };
  struct Shared {
    std::mutex mutex;
    Piece *first = nullptr;
  };

  // Never destroyed: threads may run when the process ends. A child of fork() leaves what it finds, which another
  // thread may have been writing.
  static Shared &shared() {
    static Shared *const instance = [] {
      auto *const made = new Shared;
      pthread_atfork(nullptr, nullptr, [] { new (&shared()) Shared; });
      return made;
    }();
    return *instance;
  }
  static void give_batch(const Batch &batch) {
    Shared &all = shared();
    batch.first->count = batch.count;
    const std::lock_guard lock(all.mutex);
    batch.first->next_batch = std::exchange(all.first, batch.first);
  }
  static Batch take_batch() {
    Shared &all = shared();
    const std::lock_guard lock(all.mutex);
    if (all.first == nullptr) return {};
    Piece *const first = std::exchange(all.first, all.first->next_batch);
    return {first, first->count};
  }

  static inline thread_local Own own;
};

// For std::allocate_shared.
template <class T>
struct RecycledAllocator {
  using value_type = T;
  RecycledAllocator() = default;
  template <class Other>
  explicit(false) RecycledAllocator(const RecycledAllocator<Other> &) {}

  T *allocate(std::size_t) { return static_cast<T *>(Recycled<sizeof(T)>::take()); }
  void deallocate(T *memory, std::size_t) { Recycled<sizeof(T)>::give(memory); }
  bool operator==(const RecycledAllocator &) const = default;
};

}  // namespace warploom

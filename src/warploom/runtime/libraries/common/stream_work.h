// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a call of a library becomes an operation of a stream, and how that operation uses all processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../library_calls.h"

namespace warploom::libraries {

// Work of at most this many nanoseconds may run in the call that submits it, and is not worth a second thread.
inline constexpr double kShort = 10'000;

// Gives `body()` to the stream: it owns copies of all that the call's host arguments say, and runs once, or at every
// launch of the graph that the stream is captured into. `name`: of the function that was called, a literal.
// `nanoseconds`: what it takes on one processor, about.
template <class Body>
cudaError_t enqueue(cudaStream_t stream, const char *name, double nanoseconds, Body &&body) {
  using Owned = std::decay_t<Body>;
  auto *const owned = new (std::nothrow) Owned(std::forward<Body>(body));
  if (owned == nullptr) return cudaErrorMemoryAllocation;
  const __warploom_operation operation = {name, [](void *state) { (*static_cast<Owned *>(state))(); },
                                          [](void *state) { delete static_cast<Owned *>(state); }, owned};
  return __warploom_library_submit(stream, &operation, nanoseconds <= kShort ? kShortOperation : kLongOperation);
}

// The most threads that each_tile would use now, for work that takes so many nanoseconds on one. What other streams do
// is in it: whoever cuts by it has to add up each number of the result in the same order, however it is cut.
inline unsigned tile_threads(double nanoseconds) { return nanoseconds <= kShort ? 1 : __warploom_library_threads(); }

// Calls tile(i) for each i below `count`, side by side. Which tiles there are must follow from the shape of the problem
// alone, unless no bit depends on it (tile_threads): then the same bits come out for any number of threads.
// `nanoseconds`: what all take together, about.
template <class Tile>
void each_tile(std::uint64_t count, double nanoseconds, Tile &&tile) {
  if (count <= 1 || nanoseconds <= kShort) {
    for (std::uint64_t i = 0; i < count; ++i) tile(i);
    return;
  }
  using Body = std::remove_reference_t<Tile>;
  __warploom_library_tiles(
      count, [](void *state, unsigned long long i) { (*static_cast<Body *>(state))(i); },
      const_cast<std::remove_const_t<Body> *>(&tile));
}

}  // namespace warploom::libraries

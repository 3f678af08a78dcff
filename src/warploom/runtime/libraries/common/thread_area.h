// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a thread for a piece of a library's work.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace warploom {

// `count` elements of the calling thread, whatever they held, that begin a line of a cache; they stay for the next
// piece. `Use` keeps areas apart that one piece needs together.
template <class T, class Use>
T *thread_area(std::size_t count) {
  constexpr std::size_t kLine = 64;
  struct Free {
    void operator()(void *area) const { std::free(area); }
  };
  thread_local std::unique_ptr<void, Free> area;
  thread_local std::size_t size = 0;
  if (size < count) {
    area.reset(std::aligned_alloc(kLine, (count * sizeof(T) + kLine - 1) / kLine * kLine));
    size = area == nullptr ? 0 : count;
    if (area == nullptr) throw std::bad_alloc();
  }
  return static_cast<T *>(area.get());
}

}  // namespace warploom

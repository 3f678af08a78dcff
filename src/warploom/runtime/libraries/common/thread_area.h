// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a thread for a piece of a library's work.
#pragma once

#include <cstddef>
#include <memory>

namespace warploom {

// `count` elements of the calling thread, whatever they held; they stay for the next piece. `Use` keeps areas apart
// that one piece needs together.
template <class T, class Use>
T *thread_area(std::size_t count) {
  thread_local std::unique_ptr<T[]> area;
  thread_local std::size_t size = 0;
  if (size < count) {
    area.reset(new T[count]);
    size = count;
  }
  return area.get();
}

}  // namespace warploom

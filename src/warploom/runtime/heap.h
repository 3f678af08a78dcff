// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device heap: malloc and free in device code.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "fork_lock.h"

namespace warploom {

// Best fit over memory reserved at the first allocation. The bookkeeping is apart from the blocks: a kernel that writes
// past a block spoils other blocks, as on a device, but not the heap.
class DeviceHeap {
 public:
  static DeviceHeap &instance();

  std::size_t limit();
  // Takes effect at the next allocation; the heap never shrinks.
  void set_limit(std::size_t bytes);

  // 16-byte aligned; null when the heap has no room.
  void *allocate(std::size_t bytes);
  // False when `pointer` is not an allocation (or no longer).
  bool release(void *pointer);
  // Reserves its memory now: a copy of the process has the heap at the same addresses.
  void prepare();
  // What is allocated: start and size of each.
  std::vector<std::pair<char *, std::size_t>> blocks();

 private:
  bool reserve();
  void add_free(char *start, std::size_t size);
  void remove_free(std::map<char *, std::size_t>::iterator block);

  Forkable<std::mutex> mutex_;
  std::size_t limit_ = 8 << 20;
  std::size_t reserved_ = 0;
  std::map<char *, std::size_t> free_;
  std::multimap<std::size_t, char *> free_by_size_;
  std::map<char *, std::size_t> used_;
};

}  // namespace warploom

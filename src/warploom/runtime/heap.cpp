// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "engine.h"
#include "own_pages.h"

namespace warploom {
namespace {

constexpr std::size_t kAlignment = 16;

std::size_t rounded(std::size_t bytes) {
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

DeviceHeap &DeviceHeap::instance() {
  static auto *const heap = new DeviceHeap;  // never destroyed: the host may read device memory at exit
  return *heap;
}

std::size_t DeviceHeap::limit() {
  const std::lock_guard lock(mutex_);
  return limit_;
}

void DeviceHeap::set_limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

// Reserves what the limit allows and has not been reserved yet.
bool DeviceHeap::reserve() {
  const std::size_t wanted = limit_ / 4096 * 4096;
  if (wanted <= reserved_) return true;
  const std::size_t size = wanted - reserved_;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  reserved_ = wanted;
  note_own_pages(memory, size);
  add_free(static_cast<char *>(memory), size);
  return true;
}

void *DeviceHeap::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > limit_ || !reserve()) return nullptr;
  const std::size_t size = rounded(bytes);
  const auto fit = free_by_size_.lower_bound(size);
  if (fit == free_by_size_.end()) return nullptr;
  char *const start = fit->second;
  const std::size_t available = fit->first;
  remove_free(free_.find(start));
  if (available > size) add_free(start + size, available - size);
  used_.emplace(start, size);
  return start;
}

bool DeviceHeap::release(void *pointer) {
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(static_cast<char *>(pointer));
  if (block == used_.end()) return false;
  add_free(block->first, block->second);
  used_.erase(block);
  return true;
}

void DeviceHeap::prepare() {
  const std::lock_guard lock(mutex_);
  reserve();
}

std::vector<std::pair<char *, std::size_t>> DeviceHeap::blocks() {
  const std::lock_guard lock(mutex_);
  return {used_.begin(), used_.end()};
}

// Adds a free block, joined with its free neighbours.
void DeviceHeap::add_free(char *start, std::size_t size) {
  const auto after = free_.lower_bound(start);
  if (after != free_.end() && start + size == after->first) {
    size += after->second;
    remove_free(after);
  }
  const auto next = free_.lower_bound(start);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
      remove_free(before);
    }
  }
  free_.emplace(start, size);
  free_by_size_.emplace(size, start);
}

void DeviceHeap::remove_free(std::map<char *, std::size_t>::iterator block) {
  auto [first, last] = free_by_size_.equal_range(block->second);
  first = std::find_if(first, last, [&](const auto &entry) { return entry.second == block->first; });
  free_by_size_.erase(first);
  free_.erase(block);
}

void set_device_heap_size(std::size_t bytes) { DeviceHeap::instance().set_limit(bytes); }
std::size_t device_heap_size() { return DeviceHeap::instance().limit(); }

}  // namespace warploom

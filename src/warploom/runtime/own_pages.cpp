// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own_pages.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "fork_lock.h"

namespace warploom {
namespace {

struct OwnPages {
  Forkable<std::shared_mutex> mutex;
  std::map<std::uintptr_t, std::size_t> sizes;  // by where they begin
};

OwnPages &own_pages() {
  static auto *const instance = new OwnPages;  // never destroyed: a launch may come from a destructor at exit
  return *instance;
}

}  // namespace

void note_own_pages(const void *base, std::size_t size) {
  const std::unique_lock lock(own_pages().mutex);
  own_pages().sizes[reinterpret_cast<std::uintptr_t>(base)] = size;
}

void forget_own_pages(const void *base) {
  const std::unique_lock lock(own_pages().mutex);
  own_pages().sizes.erase(reinterpret_cast<std::uintptr_t>(base));
}

bool is_in_own_pages(const void *address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const std::shared_lock lock(own_pages().mutex);
  const auto next = own_pages().sizes.upper_bound(value);
  if (next == own_pages().sizes.begin()) return false;
  const auto &[base, size] = *std::prev(next);
  return value - base < size;
}

}  // namespace warploom

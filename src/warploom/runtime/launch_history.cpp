// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_history.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace warploom {
namespace {

// A key and a cost, each written by itself: what is read while another thread writes is a wrong guess at worst.
struct Entry {
  std::atomic<std::uint64_t> key{0}, nanoseconds{0};
};

std::array<Entry, 4096> entries;

std::uint64_t key_of(const void *body, std::uint64_t blocks, std::uint64_t threads) {
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(body);
  for (const std::uint64_t number : {blocks, threads}) key = (key ^ number) * 0x9e3779b97f4a7c15;
  return key | 1;
}

Entry &entry_of(std::uint64_t key) { return entries[key >> 52]; }

}  // namespace

std::uint64_t measured_cost(const void *body, std::uint64_t blocks, std::uint64_t threads) {
  const std::uint64_t key = key_of(body, blocks, threads);
  const Entry &entry = entry_of(key);
  return entry.key.load(std::memory_order_relaxed) == key ? entry.nanoseconds.load(std::memory_order_relaxed) : 0;
}

// Half of it is the latest cost: one slow launch, which the system has interrupted, is soon forgotten.
void remember_cost(const void *body, std::uint64_t blocks, std::uint64_t threads, std::uint64_t nanoseconds) {
  const std::uint64_t key = key_of(body, blocks, threads);
  Entry &entry = entry_of(key);
  const bool is_known = entry.key.load(std::memory_order_relaxed) == key;
  const std::uint64_t before = is_known ? entry.nanoseconds.load(std::memory_order_relaxed) : nanoseconds;
  entry.nanoseconds.store(std::max<std::uint64_t>((before + nanoseconds) / 2, 1), std::memory_order_relaxed);
  entry.key.store(key, std::memory_order_relaxed);
}

}  // namespace warploom

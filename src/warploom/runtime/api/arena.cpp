// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arena.h"

#include <sys/mman.h>

namespace warploom {
namespace {

constexpr std::size_t kSmallUnit = 512;         // alignment of what cudaMalloc returns on current devices
constexpr std::size_t kLargeUnit = 2UL << 20;   // a device page; also the size of a huge page
constexpr std::size_t kSmallLimit = 1UL << 20;  // blocks below this share chunks
constexpr std::size_t kChunk = 32UL << 20;
constexpr int kReserveFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void RangeSet::insert(std::uintptr_t base, std::size_t size) {
  by_base_.emplace(base, size);
  by_size_.emplace(size, base);
}

void RangeSet::erase(std::uintptr_t base, std::size_t size) {
  by_base_.erase(base);
  by_size_.erase({size, base});
}

void RangeSet::add(std::uintptr_t base, std::size_t size) {
  auto next = by_base_.lower_bound(base);
  if (next != by_base_.end() && base + size == next->first) {
    const std::size_t next_size = next->second;
    erase(next->first, next_size);
    size += next_size;
  }
  auto previous = by_base_.lower_bound(base);
  if (previous != by_base_.begin() && (--previous)->first + previous->second == base) {
    const auto [previous_base, previous_size] = *previous;
    erase(previous_base, previous_size);
    base = previous_base;
    size += previous_size;
  }
  insert(base, size);
}

std::uintptr_t RangeSet::take(std::size_t size) {
  const auto fit = by_size_.lower_bound({size, 0});
  if (fit == by_size_.end()) return 0;
  const auto [fit_size, base] = *fit;
  erase(base, fit_size);
  if (fit_size > size) insert(base + size, fit_size - size);
  return base;
}

Arena::Arena(std::size_t bytes) {
  for (bytes = round_up(bytes, kLargeUnit); bytes >= kChunk; bytes = round_up(bytes / 2, kLargeUnit)) {
    void *start = mmap(nullptr, bytes + kLargeUnit, PROT_NONE, kReserveFlags, -1, 0);
    if (start == MAP_FAILED) continue;
    base_ = round_up(reinterpret_cast<std::uintptr_t>(start), kLargeUnit);
    size_ = bytes;
    reserved_.add(base_, size_);
    return;
  }
}

std::uintptr_t Arena::take_mapped(std::size_t size) {
  const std::uintptr_t base = reserved_.take(size);
  if (!base) return 0;
  void *start = reinterpret_cast<void *>(base);
  if (mprotect(start, size, PROT_READ | PROT_WRITE) != 0) {
    reserved_.add(base, size);
    return 0;
  }
  madvise(start, size, MADV_HUGEPAGE);  // a hint: kernels without huge pages refuse it
  return base;
}

void *Arena::take(std::size_t size) {
  if (size >= kSmallLimit) return reinterpret_cast<void *>(take_mapped(round_up(size, kLargeUnit)));
  size = round_up(size, kSmallUnit);
  std::uintptr_t base = small_.take(size);
  if (!base) {
    const std::uintptr_t chunk = take_mapped(kChunk);
    if (!chunk) return nullptr;
    small_.add(chunk, kChunk);
    base = small_.take(size);
  }
  return reinterpret_cast<void *>(base);
}

void Arena::give_back(void *base, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  if (size < kSmallLimit) {
    small_.add(address, round_up(size, kSmallUnit));
    return;
  }
  size = round_up(size, kLargeUnit);
  // Mapping afresh drops the pages and takes access away in one call.
  if (mmap(base, size, PROT_NONE, kReserveFlags | MAP_FIXED, -1, 0) != MAP_FAILED) reserved_.add(address, size);
}

}  // namespace warploom

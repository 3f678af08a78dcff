// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address range of all memory that CUDA's allocators hand out. It is reserved once, so that an address in it is
// never an address of anything else: a pointer that was freed is known as such for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warploom {

// Free address ranges, best fit, neighbours merged.
class RangeSet {
 public:
  void add(std::uintptr_t base, std::size_t size);
  // Takes `size` bytes from the smallest range that holds them; 0 when none does.
  std::uintptr_t take(std::size_t size);

 private:
  void insert(std::uintptr_t base, std::size_t size);
  void erase(std::uintptr_t base, std::size_t size);

  std::map<std::uintptr_t, std::size_t> by_base_;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size_;
};

// Pages that other processes can map: the whole of what a file holds.
struct SharedPages {
  int file;
  std::uintptr_t base;
  std::size_t size;
};

// Small blocks share chunks that stay mapped; large ones are mapped when taken and unmapped when given back, so that
// a stray access to a freed one faults. Not thread-safe: the allocation table locks.
//
// With guards (WARPLOOM_GUARD) every block has pages of its own and ends where they end, as far as its alignment lets
// it; the page behind has no access. Addresses of freed blocks come back only when there are no others.
//
//     | no access |      [ block ] | no access |
class Arena {
 public:
  // Reserves at most `bytes` of address space, less when the system has less. `guard`: 0: no guards; else what blocks
  // are aligned to at least, a power of two: 1: as the largest power of two that divides their size.
  explicit Arena(std::size_t bytes, std::size_t guard = 0);

  bool contains(const void *address) const {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    return value >= base_ && value < base_ + size_;
  }
  // Null when address space or memory is exhausted.
  void *take(std::size_t size);
  void give_back(void *base, std::size_t size);
  // With guards: whether a block may be read and written.
  void set_access(void *base, std::size_t size, bool allowed) const;
  // Moves the pages under a block into a file, once: all later stores go there. Stores while they move would be lost,
  // and fault instead.
  std::optional<SharedPages> share(void *base, std::size_t size);

  // Address space without memory, aligned to a power of two and to device pages; null when there is none.
  void *reserve(std::size_t size, std::size_t alignment);
  // Drops the mappings in a reserved range.
  static bool unmap(void *base, std::size_t size);
  void give_back_reserved(void *base, std::size_t size);

 private:
  std::uintptr_t take_mapped(std::size_t size);
  std::uintptr_t take_reserved(std::size_t size);
  void *take_large(std::size_t size);
  void *take_guarded(std::size_t size);
  std::pair<std::uintptr_t, std::size_t> pages_of(std::uintptr_t address, std::size_t size) const;
  std::size_t unit() const;

  std::uintptr_t base_ = 0;
  std::size_t size_ = 0;
  std::size_t large_taken_ = 0;
  std::size_t guard_;
  RangeSet reserved_;                                            // in units of unit()
  std::vector<std::pair<std::uintptr_t, std::size_t>> retired_;  // with guards: freed, and not to be used again yet
  RangeSet small_;                                               // in units of kSmallUnit, mapped
  std::set<std::uintptr_t> chunks_;
  std::map<std::uintptr_t, int> files_;  // of shared pages, by where they begin
};

}  // namespace warploom

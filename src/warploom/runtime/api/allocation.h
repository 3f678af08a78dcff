// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of live allocations: what a pointer points to, and whether a copy may touch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "arena.h"
#include "caller.h"
#include "cuda_runtime_api.h"

namespace warploom {

// kMapped: pages of a file, of this process or another; whoever mapped them unmaps them.
enum class MemoryKind { kDevice, kManaged, kPinned, kRegistered, kArray, kMapped };

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
  unsigned flags = 0;
  CUmemPoolHandle_st *pool = nullptr;
  Caller made_by{};
  long long stream = kAllStreams;  // managed memory: the one that it is attached to
  bool is_hidden = false;          // from the host: it has no access rights

  static constexpr long long kAllStreams = -1;
  bool holds(const void *pointer, std::size_t bytes) const {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return address >= base && bytes <= size && address - base <= size - bytes;
  }
};

// One that is gone.
struct FreedAllocation {
  Allocation allocation;
  Caller freed_by;
};

struct MemoryTotals {
  std::size_t free, total;
};

// Device memory of the current device's limit; null when there is not enough. Zero-sized requests are the caller's.
void *allocate(std::size_t size, MemoryKind kind, unsigned flags = 0, CUmemPoolHandle_st *pool = nullptr);
// Frees the allocation that starts at `pointer` if its kind is `kind` or `other`; false when there is none such.
bool release(void *pointer, MemoryKind kind, MemoryKind other);
// Counts memory against the device's limit (or takes it off) that is not allocated here; false when there is not
// enough.
bool count_memory(std::size_t size);
void uncount_memory(std::size_t size);

// Address space of the arena, for mappings.
void *reserve_addresses(std::size_t size, std::size_t alignment);
void free_addresses(void *base, std::size_t size);
// Enters mapped pages into the table, and takes them out of it.
void enter_mapping(void *base, std::size_t size, unsigned flags = 0);
void forget_mapping(void *base);
// The file of an allocation's pages, for other processes to map; nothing when the system has no more files.
std::optional<SharedPages> share_allocation(const Allocation &allocation);

// Pins memory of the program's own.
cudaError_t register_host(void *pointer, std::size_t size, unsigned flags);
cudaError_t unregister_host(void *pointer);

std::optional<Allocation> find_allocation(const void *pointer);
// Whether an allocation, or mappings side by side, hold all of [pointer, pointer + size).
bool holds_all(const Allocation &allocation, const void *pointer, std::size_t size);
// True for every address that was ever handed out, freed ones included.
bool is_runtime_address(const void *pointer);
MemoryTotals memory_totals();
// Whether WARPLOOM_GUARD is set.
bool has_guards();
// Bytes from the aligned address at or below `pointer` to it. With guards allocations begin anywhere: counted from
// there.
std::size_t misalignment(const void *pointer, std::size_t alignment);
// What of the program's memory the host must not touch (WARPLOOM_STRICT).
struct HiddenMemory {
  bool device = false;
  std::set<unsigned long long> busy_streams{};  // ids: of managed memory, what they may use

  bool covers(const Allocation &allocation) const;
};
// Takes access rights away, and gives back those that were taken, for what there is and what is allocated from now on.
void hide_memory(const HiddenMemory &hidden);
// Attaches managed memory to a stream, all or the host; false when `pointer` is no allocation of that kind.
bool attach(const void *pointer, unsigned flags, long long stream);
// Every live allocation, by address.
std::vector<Allocation> live_allocations();
// Those that were freed last, the latest at the end.
std::vector<FreedAllocation> freed_allocations();
// Bytes that can be touched without swapping.
std::size_t available_memory();
// Frees everything (cudaDeviceReset).
void release_all();

}  // namespace warploom

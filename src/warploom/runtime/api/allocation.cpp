// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocation.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "arena.h"
#include "../fork_lock.h"
#include "../message.h"
#include "device.h"
#include "queue.h"
#include "pool.h"
#include "strict.h"

namespace warploom {
namespace {

constexpr std::size_t kAddressSpacePerByte = 8;  // room for pinned memory, arrays and fragmentation
// At least. An emulator of another processor keeps something for each page that is reserved: programs start faster
// there with a small WARPLOOM_DEVICE_MEMORY.
constexpr std::size_t kLeastAddressSpace = 16UL << 30;
constexpr std::size_t kLeastDeviceMemory = 64UL << 10;
constexpr std::size_t kCheckAvailable = 256UL
                                        << 20;  // requests from here on are held against what the machine has left

constexpr std::size_t kStrictAlignment = 256;  // of cudaMalloc, as documented

constexpr std::size_t kRememberedFreed = 4096;  // for messages

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// WARPLOOM_DEVICE_MEMORY: a number of bytes, or of KiB, MiB, GiB or TiB with one of the letters K, M, G and T behind
// it.
std::size_t device_memory_limit() {
  const char *const text = std::getenv("WARPLOOM_DEVICE_MEMORY");
  if (text == nullptr || *text == '\0') return physical_memory();
  constexpr std::string_view kUnits = "kmgt";
  char *end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  unsigned shift = 0;
  if (const std::size_t unit = kUnits.find(static_cast<char>(*end | 0x20)); unit != kUnits.npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    ++end;
  }
  const std::size_t bytes = number << shift;
  if (*end == '\0' && *text != '-' && bytes >= kLeastDeviceMemory && bytes >> shift == number) return bytes;
  write_error(std::string("WARPLOOM_DEVICE_MEMORY=") + text +
              " ignored: expected bytes, 64K at least, as 8589934592 or 8G");
  return physical_memory();
}

// WARPLOOM_GUARD: see Arena.
std::size_t guard_alignment() {
  constexpr unsigned long long kMost = 4096;
  const char *const text = std::getenv("WARPLOOM_GUARD");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "0") return 0;
  char *end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (*end == '\0' && std::has_single_bit(value) && value <= kMost) return value;
  write_error(std::string("WARPLOOM_GUARD=") + text +
              ": 1, or the alignment that allocations keep, a power of two up to 4096; taken for 1");
  return 1;
}

struct Table {
  const std::size_t limit = device_memory_limit();
  const std::size_t guard = std::max(guard_alignment(), strict::is_on ? kStrictAlignment : 0);
  Arena arena{std::max(limit * kAddressSpacePerByte, kLeastAddressSpace), guard};
  std::map<std::uintptr_t, Allocation> live;
  std::deque<FreedAllocation> freed;
  std::size_t used = 0;  // of the limit
  HiddenMemory hidden;
  Forkable<std::shared_mutex> mutex;
};

// Never destroyed: programs free memory in destructors of globals.
Table &table() {
  static Table *const instance = new Table;
  return *instance;
}

bool counts(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged || kind == MemoryKind::kArray;
}

void apply_hiding(Table &memory, Allocation &allocation) {
  const bool hides = memory.hidden.covers(allocation);
  if (hides == allocation.is_hidden) return;
  memory.arena.set_access(reinterpret_cast<void *>(allocation.base), allocation.size, !hides);
  allocation.is_hidden = hides;
}

void forget(Table &memory, std::map<std::uintptr_t, Allocation>::iterator entry) {
  const Allocation &allocation = entry->second;
  if (allocation.kind != MemoryKind::kRegistered) memory.freed.push_back({allocation, current_caller});
  if (memory.freed.size() > kRememberedFreed) memory.freed.pop_front();
  if (counts(allocation.kind)) memory.used -= allocation.size;
  if (allocation.pool) pool_released(allocation.pool, allocation.size);
  if (allocation.kind != MemoryKind::kRegistered && allocation.kind != MemoryKind::kMapped)
    memory.arena.give_back(reinterpret_cast<void *>(allocation.base), allocation.size);
  memory.live.erase(entry);
}

}  // namespace

// MemAvailable of /proc/meminfo.
std::size_t available_memory() {
  std::size_t kibibytes = 0;
  if (std::FILE *file = std::fopen("/proc/meminfo", "r")) {
    char line[128];
    while (std::fgets(line, sizeof line, file))
      if (std::sscanf(line, "MemAvailable: %zu", &kibibytes) == 1) break;
    std::fclose(file);
  }
  return kibibytes ? kibibytes * 1024 : physical_memory();
}

void *allocate(std::size_t size, MemoryKind kind, unsigned flags, CUmemPoolHandle_st *pool) {
  Table &memory = table();
  if (size >= kCheckAvailable && size > available_memory()) return nullptr;
  const std::unique_lock lock(memory.mutex);
  if (counts(kind) && (size > memory.limit || memory.used > memory.limit - size)) return nullptr;
  void *base = memory.arena.take(size);
  if (!base && memory.guard != 0) {
    write_error("WARPLOOM_GUARD: no page for an allocation of " + with_commas(size) +
                " bytes; the system may allow no more mappings: `sysctl vm.max_map_count=1048576` allows more");
  }
  if (!base) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  if (kind == MemoryKind::kManaged || kind == MemoryKind::kPinned) expect_writes_from_outside();
  memory.live[address] = {address, size, kind, current_device(), flags, pool, current_caller};
  apply_hiding(memory, memory.live[address]);
  if (counts(kind)) memory.used += size;
  if (pool) pool_taken(pool, size);
  return base;
}

bool release(void *pointer, MemoryKind kind, MemoryKind other) {
  Table &memory = table();
  const std::unique_lock lock(memory.mutex);
  const auto entry = memory.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (entry == memory.live.end()) return false;
  if (entry->second.kind != kind && entry->second.kind != other) return false;
  forget(memory, entry);
  return true;
}

bool count_memory(std::size_t size) {
  Table &memory = table();
  if (size >= kCheckAvailable && size > available_memory()) return false;
  const std::unique_lock lock(memory.mutex);
  if (size > memory.limit || memory.used > memory.limit - size) return false;
  memory.used += size;
  return true;
}

void uncount_memory(std::size_t size) {
  const std::unique_lock lock(table().mutex);
  table().used -= size;
}

void *reserve_addresses(std::size_t size, std::size_t alignment) {
  const std::unique_lock lock(table().mutex);
  return table().arena.reserve(size, alignment);
}

void free_addresses(void *base, std::size_t size) {
  const std::unique_lock lock(table().mutex);
  table().arena.give_back_reserved(base, size);
}

void enter_mapping(void *base, std::size_t size, unsigned flags) {
  const std::unique_lock lock(table().mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  table().live[address] = {address, size, MemoryKind::kMapped, current_device(), flags, nullptr, current_caller};
}

void forget_mapping(void *base) { release(base, MemoryKind::kMapped, MemoryKind::kMapped); }

std::optional<SharedPages> share_allocation(const Allocation &allocation) {
  const strict::MemoryAccess access;
  const std::unique_lock lock(table().mutex);
  return table().arena.share(reinterpret_cast<void *>(allocation.base), allocation.size);
}

cudaError_t register_host(void *pointer, std::size_t size, unsigned flags) {
  if (!pointer || size == 0) return cudaErrorInvalidValue;
  Table &memory = table();
  const std::unique_lock lock(memory.mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  auto next = memory.live.lower_bound(address);
  if (next != memory.live.end() && next->first < address + size) return cudaErrorHostMemoryAlreadyRegistered;
  if (next != memory.live.begin() && std::prev(next)->second.holds(pointer, 1))
    return cudaErrorHostMemoryAlreadyRegistered;
  expect_writes_from_outside();
  memory.live[address] = {address, size, MemoryKind::kRegistered, current_device(), flags, nullptr, current_caller};
  return cudaSuccess;
}

cudaError_t unregister_host(void *pointer) {
  return release(pointer, MemoryKind::kRegistered, MemoryKind::kRegistered) ? cudaSuccess
                                                                            : cudaErrorHostMemoryNotRegistered;
}

std::optional<Allocation> find_allocation(const void *pointer) {
  Table &memory = table();
  const std::shared_lock lock(memory.mutex);
  auto next = memory.live.upper_bound(reinterpret_cast<std::uintptr_t>(pointer));
  if (next == memory.live.begin()) return std::nullopt;
  const Allocation &candidate = std::prev(next)->second;
  if (!candidate.holds(pointer, 1)) return std::nullopt;
  return candidate;
}

bool holds_all(const Allocation &allocation, const void *pointer, std::size_t size) {
  if (allocation.holds(pointer, size)) return true;
  if (allocation.kind != MemoryKind::kMapped) return false;
  Table &memory = table();
  const std::shared_lock lock(memory.mutex);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(pointer) + size;
  std::uintptr_t held = allocation.base + allocation.size;
  for (auto next = memory.live.find(held); held < end; next = memory.live.find(held)) {
    if (next == memory.live.end() || next->second.kind != MemoryKind::kMapped) return false;
    held += next->second.size;
  }
  return true;
}

bool has_guards() { return table().guard != 0; }

std::size_t misalignment(const void *pointer, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto allocation = has_guards() ? find_allocation(pointer) : std::nullopt;
  return (address - (allocation ? allocation->base : 0)) % alignment;
}

bool is_runtime_address(const void *pointer) { return table().arena.contains(pointer); }

MemoryTotals memory_totals() {
  Table &memory = table();
  const std::shared_lock lock(memory.mutex);
  return {std::min(memory.limit - memory.used, available_memory()), memory.limit};
}

bool HiddenMemory::covers(const Allocation &allocation) const {
  if (allocation.kind == MemoryKind::kDevice) return device;
  if (allocation.kind != MemoryKind::kManaged || allocation.flags == cudaMemAttachHost) return false;
  if (allocation.stream == Allocation::kAllStreams) return !busy_streams.empty();
  return busy_streams.contains(static_cast<unsigned long long>(allocation.stream));
}

void hide_memory(const HiddenMemory &hidden) {
  Table &memory = table();
  const std::unique_lock lock(memory.mutex);
  memory.hidden = hidden;
  for (auto &[base, allocation] : memory.live) apply_hiding(memory, allocation);
}

bool attach(const void *pointer, unsigned flags, long long stream) {
  Table &memory = table();
  const std::unique_lock lock(memory.mutex);
  const auto entry = memory.live.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (entry == memory.live.end() || entry->second.kind != MemoryKind::kManaged) return false;
  entry->second.flags = flags;
  entry->second.stream = stream;
  apply_hiding(memory, entry->second);
  return true;
}

std::vector<Allocation> live_allocations() {
  Table &memory = table();
  const std::shared_lock lock(memory.mutex);
  std::vector<Allocation> found;
  for (const auto &[base, allocation] : memory.live) found.push_back(allocation);
  return found;
}

std::vector<FreedAllocation> freed_allocations() {
  Table &memory = table();
  const std::shared_lock lock(memory.mutex);
  return {memory.freed.begin(), memory.freed.end()};
}

void release_all() {
  Table &memory = table();
  const std::unique_lock lock(memory.mutex);
  while (!memory.live.empty()) forget(memory, memory.live.begin());
}

}  // namespace warploom

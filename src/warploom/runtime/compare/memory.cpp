// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "../api/allocation.h"
#include "../engine.h"
#include "../heap.h"

namespace warploom {
namespace {

// A line of /proc/self/maps.
struct Mapped {
  std::uintptr_t base, end;
  char access[5];
  unsigned long offset;
  std::string file;  // device and inode
};

std::vector<Mapped> mapped_memory() {
  std::vector<Mapped> found;
  std::FILE *const file = std::fopen("/proc/self/maps", "r");
  if (file == nullptr) return found;
  char line[4352], device[16];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    Mapped each{};
    unsigned long inode;
    if (std::sscanf(line, "%lx-%lx %4s %lx %15s %lu", &each.base, &each.end, each.access, &each.offset, device,
                    &inode) != 6) {
      continue;
    }
    each.file = device + (' ' + std::to_string(inode));
    found.push_back(each);
  }
  std::fclose(file);
  return found;
}

bool can_be_read(const std::vector<Mapped> &mapped, std::uintptr_t base, std::size_t size) {
  for (const Mapped &each : mapped) {
    if (each.base > base || each.end <= base) continue;
    if (each.access[0] != 'r') return false;
    if (each.end >= base + size) return true;
    size -= each.end - base;
    base = each.end;
  }
  return false;
}

const char *kind_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
      return "device memory";
    case MemoryKind::kManaged:
      return "managed memory";
    case MemoryKind::kPinned:
      return "pinned memory";
    case MemoryKind::kRegistered:
      return "registered memory";
    case MemoryKind::kArray:
      return "array";
    case MemoryKind::kMapped:
      return "mapped memory";
  }
  return "memory";
}

std::string demangled(const char *name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return text != nullptr ? text.get() : name;
}

void add_blocks(ReachableMemory &memory) {
  for (std::size_t region = 0; region < memory.regions.size(); ++region) {
    const std::size_t size = memory.regions[region].size;
    memory.bytes += size;
    for (std::size_t offset = 0; offset < size; offset += kBlockBytes)
      memory.blocks.push_back({region, offset, std::min(kBlockBytes, size - offset)});
  }
}

}  // namespace

ReachableMemory reachable_memory() {
  ReachableMemory memory;
  std::vector<Mapped> mapped;
  for (const Allocation &each : live_allocations()) {
    // The program may have taken access to these away.
    if (each.kind == MemoryKind::kMapped || each.kind == MemoryKind::kRegistered) {
      if (mapped.empty()) mapped = mapped_memory();
      if (!can_be_read(mapped, each.base, each.size)) continue;
    }
    memory.regions.push_back({each.base, each.size, kind_of(each.kind)});
  }
  for (const Variable *const each : all_variables()) {
    memory.regions.push_back(
        {reinterpret_cast<std::uintptr_t>(storage(*each)), each->size, "variable", demangled(each->name)});
  }
  DeviceHeap::instance().prepare();
  for (const auto &[start, size] : DeviceHeap::instance().blocks())
    memory.regions.push_back({reinterpret_cast<std::uintptr_t>(start), size, "memory of device malloc"});
  add_blocks(memory);
  return memory;
}

void own_shared_pages(const ReachableMemory &memory) {
  const auto is_reachable = [&](const Mapped &each) {
    return std::ranges::any_of(memory.regions, [&](const Region &region) {
      return region.base < each.end && region.base + region.size > each.base;
    });
  };
  std::map<std::string, int> copies;
  std::vector<std::pair<Mapped, int>> found;
  for (const Mapped &each : mapped_memory()) {
    if (each.access[3] != 's' || each.access[0] != 'r' || !is_reachable(each)) continue;
    const auto [copy, is_new] = copies.emplace(each.file, -1);
    if (is_new) copy->second = memfd_create("warploom", MFD_CLOEXEC);
    const std::size_t size = each.end - each.base;
    if (pwrite(copy->second, reinterpret_cast<void *>(each.base), size, static_cast<off_t>(each.offset)) !=
        static_cast<ssize_t>(size)) {
      _exit(1);  // no memory: the trial has failed
    }
    found.emplace_back(each, copy->second);
  }
  for (const auto &[each, file] : found) {
    const int access = each.access[1] == 'w' ? PROT_READ | PROT_WRITE : PROT_READ;
    if (mmap(reinterpret_cast<void *>(each.base), each.end - each.base, access, MAP_SHARED | MAP_FIXED, file,
             static_cast<off_t>(each.offset)) == MAP_FAILED) {
      _exit(1);
    }
  }
}

// Four chains of multiplications side by side. The rotation carries high bits, signs say, down to where they spread.
std::uint64_t checksum(const char *data, std::size_t size) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t sums[4] = {size, 1, 2, 3}, words[4];
  const auto add = [&] {
    for (int i = 0; i < 4; ++i) sums[i] = std::rotl(sums[i] ^ words[i], 29) * kFactor;
  };
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words, data + at, sizeof words);
    add();
  }
  std::memset(words, 0, sizeof words);
  std::memcpy(words, data + at, size - at);
  add();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum = (std::rotl(sum, 29) ^ each ^ each >> 32) * kFactor;
  return sum ^ sum >> 32;
}

}  // namespace warploom

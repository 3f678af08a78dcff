// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that the runtime knows a kernel may reach, cut into blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warploom {

// An allocation, a device variable, or a block of the device heap.
struct Region {
  std::uintptr_t base;
  std::size_t size;
  const char *kind;       // "device memory", "variable", ...
  std::string name = {};  // of a variable
};

inline constexpr std::size_t kBlockBytes = 65536;

struct MemoryBlock {
  std::size_t region;
  std::size_t offset;  // in the region
  std::size_t size;    // at most kBlockBytes
};

struct ReachableMemory {
  std::vector<Region> regions;
  std::vector<MemoryBlock> blocks;
  std::size_t bytes = 0;

  const char *at(const MemoryBlock &block) const {
    return reinterpret_cast<const char *>(regions[block.region].base + block.offset);
  }
};

ReachableMemory reachable_memory();

// In a copy of the process: gives it pages of its own where they are shared with others, aliases included.
void own_shared_pages(const ReachableMemory &memory);

// A checksum of 64 bits.
std::uint64_t checksum(const char *data, std::size_t size);

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of other processes. What one shares lies in a file without a name, which others open by its number there, as
// long as that process lives and has it open.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_runtime_api.h"

namespace warploom {

// What a process tells others: what the opaque handles of CUDA hold.
struct SharedAddress {
  std::uint32_t magic;
  std::int32_t process;
  std::int32_t file;
  std::int32_t device;
  std::uint64_t inode;  // tells the file from a later one with its number
  std::uint64_t offset, size;
  std::uint64_t pool;
};

// The allocation that `pointer` lies in, which is made shareable.
cudaError_t export_memory(const void *pointer, SharedAddress *address);
// Maps memory of another process; `pointer` is where its allocation begins here. The same memory once only.
cudaError_t import_memory(const SharedAddress &address, void **pointer);
// The opposite of one import, of a pool's memory or not; false when nothing such begins there.
bool close_imported(void *pointer, bool of_pool);

}  // namespace warploom

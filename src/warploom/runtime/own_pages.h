// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages that the runtime maps for device code: stacks, shared memory, what outlives a barrier, the device heap.
#pragma once

#include <cstddef>

namespace warploom {

void note_own_pages(const void *base, std::size_t size);
void forget_own_pages(const void *base);
bool is_in_own_pages(const void *address);

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that code compiled with WARPLOOM_STRICT asks about before it makes them (backend/strict_accesses.py).
#pragma once

namespace warploom {

// Whether an address is memory of the host that no device reaches, as the CUDA API knows it. For the thread of a grid.
using IsHostMemory = bool (*)(const void *address);
void set_host_memory_test(IsHostMemory test);

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups.
#pragma once

#ifdef __CUDACC__

#include "warploom/cg/functions.h"

namespace cooperative_groups {
// Names that were experimental once.
namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::thread_block_tile;
using cooperative_groups::tiled_partition;
}  // namespace experimental
}  // namespace cooperative_groups

#endif  // __CUDACC__

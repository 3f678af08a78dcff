// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.h"

#include <cstddef>
#include <iterator>

namespace warploom {

const char *operation_name(Operation operation) {
  static constexpr const char *kNames[] = {
      "__syncthreads()",
      "__syncthreads_count()",
      "__syncthreads_and()",
      "__syncthreads_or()",
      "bar.sync",
      "grid.sync()",
      "cluster.sync()",
      "__activemask()",
      "__syncwarp()",
      "__shfl_sync()",
      "__shfl_up_sync()",
      "__shfl_down_sync()",
      "__shfl_xor_sync()",
      "__ballot_sync()",
      "__any_sync()",
      "__all_sync()",
      "__match_any_sync()",
      "__match_all_sync()",
      "__reduce_add_sync()",
      "__reduce_min_sync()",
      "__reduce_max_sync()",
      "__reduce_min_sync()",
      "__reduce_max_sync()",
      "__reduce_and_sync()",
      "__reduce_or_sync()",
      "__reduce_xor_sync()",
  };
  static_assert(std::size(kNames) == static_cast<std::size_t>(Operation::kReduceXor) + 1);
  return kNames[static_cast<std::size_t>(operation)];
}

}  // namespace warploom

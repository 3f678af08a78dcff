// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

#include "../common/kernel_levels.h"

namespace warploom::nccl {

#define WARPLOOM_KERNELS_OF(LEVEL) \
  namespace LEVEL {                \
  ReduceFunction reduce;           \
  }
WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
#undef WARPLOOM_KERNELS_OF

ReduceFunction *reduce_function() {
  static ReduceFunction *const chosen = &WARPLOOM_CHOOSE_LEVEL(reduce);
  return chosen;
}

}  // namespace warploom::nccl

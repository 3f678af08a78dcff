// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

namespace warploom::nccl {

#if defined(__x86_64__)
namespace v2 {
ReduceFunction reduce;
}
namespace v3 {
ReduceFunction reduce;
}
namespace v4 {
ReduceFunction reduce;
}

ReduceFunction *reduce_function() {
  static ReduceFunction *const chosen = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return v4::reduce;
    return __builtin_cpu_supports("x86-64-v3") ? v3::reduce : v2::reduce;
  }();
  return chosen;
}
#else
namespace base {
ReduceFunction reduce;
}
ReduceFunction *reduce_function() { return base::reduce; }
#endif

}  // namespace warploom::nccl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are compiled once for each level of x86-64, in namespaces v2, v3 and v4, and once (base) for other machines.
//
//     #define WARPLOOM_KERNELS_OF(LEVEL) namespace LEVEL { extern const Kernels kKernels; }
//     WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
//     static const Kernels &chosen = WARPLOOM_CHOOSE_LEVEL(kKernels);      the best that this processor runs
#pragma once

namespace warploom {

#if defined(__x86_64__)

#define WARPLOOM_AT_EACH_LEVEL(DECLARE) DECLARE(v2) DECLARE(v3) DECLARE(v4)
#define WARPLOOM_CHOOSE_LEVEL(NAME) ::warploom::choose_level(v4::NAME, v3::NAME, v2::NAME)

// Of tables, or of functions.
template <class Kernels>
Kernels &choose_level(Kernels &newest, Kernels &middle, Kernels &oldest) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return newest;
  return __builtin_cpu_supports("x86-64-v3") ? middle : oldest;
}

#else

#define WARPLOOM_AT_EACH_LEVEL(DECLARE) DECLARE(base)
#define WARPLOOM_CHOOSE_LEVEL(NAME) base::NAME

#endif

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

namespace warploom::blas {
namespace {

#if defined(__x86_64__)
template <class Table>
const Table &choose(const Table &newest, const Table &middle, const Table &oldest) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return newest;
  return __builtin_cpu_supports("x86-64-v3") ? middle : oldest;
}
#define WARPLOOM_CHOOSE(TABLE) choose(v4::TABLE, v3::TABLE, v2::TABLE)
#else
#define WARPLOOM_CHOOSE(TABLE) base::TABLE
#endif

}  // namespace

const VectorKernels<float> &float_kernels() {
  static const VectorKernels<float> &chosen = WARPLOOM_CHOOSE(kFloat);
  return chosen;
}
const VectorKernels<double> &double_kernels() {
  static const VectorKernels<double> &chosen = WARPLOOM_CHOOSE(kDouble);
  return chosen;
}
const ConversionKernels &conversion_kernels() {
  static const ConversionKernels &chosen = WARPLOOM_CHOOSE(kConversions);
  return chosen;
}
const LaneKernels &lane_kernels() {
  static const LaneKernels &chosen = WARPLOOM_CHOOSE(kLanes);
  return chosen;
}

}  // namespace warploom::blas

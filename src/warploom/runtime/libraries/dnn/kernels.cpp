// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

namespace warploom::dnn {
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

template <>
const ConvolutionKernels<float> &convolution_kernels() {
  static const ConvolutionKernels<float> &chosen = WARPLOOM_CHOOSE(kFloatProduct);
  return chosen;
}
template <>
const ConvolutionKernels<double> &convolution_kernels() {
  static const ConvolutionKernels<double> &chosen = WARPLOOM_CHOOSE(kDoubleProduct);
  return chosen;
}
template <>
const LineKernels<float> &line_kernels() {
  static const LineKernels<float> &chosen = WARPLOOM_CHOOSE(kFloatLines);
  return chosen;
}
template <>
const LineKernels<double> &line_kernels() {
  static const LineKernels<double> &chosen = WARPLOOM_CHOOSE(kDoubleLines);
  return chosen;
}

}  // namespace warploom::dnn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

namespace warploom::dnn {

template <>
const ConvolutionKernels<float> &convolution_kernels() {
  static const ConvolutionKernels<float> &chosen = WARPLOOM_CHOOSE_LEVEL(kFloatProduct);
  return chosen;
}
template <>
const ConvolutionKernels<double> &convolution_kernels() {
  static const ConvolutionKernels<double> &chosen = WARPLOOM_CHOOSE_LEVEL(kDoubleProduct);
  return chosen;
}
template <>
const LineKernels<float> &line_kernels() {
  static const LineKernels<float> &chosen = WARPLOOM_CHOOSE_LEVEL(kFloatLines);
  return chosen;
}
template <>
const LineKernels<double> &line_kernels() {
  static const LineKernels<double> &chosen = WARPLOOM_CHOOSE_LEVEL(kDoubleLines);
  return chosen;
}

}  // namespace warploom::dnn

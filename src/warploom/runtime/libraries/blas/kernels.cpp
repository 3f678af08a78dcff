// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

namespace warploom::blas {

const VectorKernels<float> &float_kernels() {
  static const VectorKernels<float> &chosen = WARPLOOM_CHOOSE_LEVEL(kFloat);
  return chosen;
}
const VectorKernels<double> &double_kernels() {
  static const VectorKernels<double> &chosen = WARPLOOM_CHOOSE_LEVEL(kDouble);
  return chosen;
}
const ConversionKernels &conversion_kernels() {
  static const ConversionKernels &chosen = WARPLOOM_CHOOSE_LEVEL(kConversions);
  return chosen;
}
const LaneKernels &lane_kernels() {
  static const LaneKernels &chosen = WARPLOOM_CHOOSE_LEVEL(kLaneProducts);
  return chosen;
}
const ProductKernels<float> &float_products() {
  static const ProductKernels<float> &chosen = WARPLOOM_CHOOSE_LEVEL(kFloatProducts);
  return chosen;
}
const ProductKernels<double> &double_products() {
  static const ProductKernels<double> &chosen = WARPLOOM_CHOOSE_LEVEL(kDoubleProducts);
  return chosen;
}

}  // namespace warploom::blas

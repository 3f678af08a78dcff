// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of float and double. Each number of C is the sum over pieces whose length follows from k, each
// in the order of k: the same for any cut into tiles, and whether operands are packed or not. Vectors of 256 bits go
// with so few columns that operands in their place would be read too often.
#include "../kernels.h"

#if defined(__AVX2__)
#include "packed.h"
#endif
#if defined(__AVX512F__)
#include "tile.h"
#endif

namespace warploom::blas::WARPLOOM_LEVEL {

extern const ProductKernels<float> kFloatProducts;
extern const ProductKernels<double> kDoubleProducts;
#if defined(__AVX512F__)
const ProductKernels<float> kFloatProducts = {multiply_tile<float>, kPacking<float>, pack<float>,
                                              multiply_packed<float>};
const ProductKernels<double> kDoubleProducts = {multiply_tile<double>, kPacking<double>, pack<double>,
                                                multiply_packed<double>};
#elif defined(__AVX2__)
const ProductKernels<float> kFloatProducts = {nullptr, kPacking<float>, pack<float>, multiply_packed<float>};
const ProductKernels<double> kDoubleProducts = {nullptr, kPacking<double>, pack<double>, multiply_packed<double>};
#else
const ProductKernels<float> kFloatProducts = {};
const ProductKernels<double> kDoubleProducts = {};
#endif

}  // namespace warploom::blas::WARPLOOM_LEVEL

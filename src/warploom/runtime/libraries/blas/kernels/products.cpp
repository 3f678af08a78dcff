// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of float and double with vectors of 512 bits; with vectors of half that width OpenBLAS is faster
// (.8 to 1.0 of its time on a Zen 4). Each number of C is the sum over pieces whose length follows
// from k, each in the order of k: the same for any cut into tiles, and whether operands are packed or not.
#include "../kernels.h"

#if defined(__AVX512F__)
#include "packed.h"
#include "tile.h"
#endif

namespace warploom::blas::WARPLOOM_LEVEL {

extern const ProductKernels<float> kFloatProducts;
extern const ProductKernels<double> kDoubleProducts;
#if defined(__AVX512F__)
const ProductKernels<float> kFloatProducts = {multiply_tile<float>, {pack<float>, multiply_packed<float>}};
const ProductKernels<double> kDoubleProducts = {multiply_tile<double>, {pack<double>, multiply_packed<double>}};
#else
const ProductKernels<float> kFloatProducts = {};
const ProductKernels<double> kDoubleProducts = {};
#endif

}  // namespace warploom::blas::WARPLOOM_LEVEL

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From cuDNN's descriptors to convolutions.
#pragma once

#include "convolution.h"
#include "descriptors.h"

namespace warploom::dnn {

// A tensor or filter of 3 to 5 dimensions.
Images images_of(const Layout &layout, const char *what);
// A convolution's shape, all of which fits together.
Convolution convolution_of(const Layout &x, const cudnnFilterStruct &w, const cudnnConvolutionStruct &descriptor,
                           const Layout &y);
Convolution convolution_of(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                           cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t y);
Curve curve_of(const cudnnActivationStruct &activation);
double coefficient_of(const cudnnActivationStruct &activation);

}  // namespace warploom::dnn

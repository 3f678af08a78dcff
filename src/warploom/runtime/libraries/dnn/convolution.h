// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and their gradients, by tiles side by side.
#pragma once

#include <memory>
#include <vector>

#include "kernels.h"

namespace warploom::dnn {

// A tensor of images: strides in elements, dimensions that it lacks have extent 1.
struct Images {
  Kind kind;
  Size n, c;
  Triple size;
  Size stride_n, stride_c;
  Triple stride;
};

struct Convolution {
  Images x, w, y;  // w: n are the filters, c the channels of a group
  Triple pad, step, dilation;
  Size groups;
  bool flipped;  // CUDNN_CONVOLUTION

  double nanoseconds() const;
};

// What becomes of the sums: out = curve(alpha sum + beta old + bias).
struct Ending {
  double alpha, beta;
  const void *old;    // null: what the result holds
  Images old_images;  // where `old` is given
  const void *bias;
  Kind bias_kind;
  Curve curve;
  double coefficient;
};

void convolve(const Convolution &shape, const void *x, const void *w, void *y, const Ending &ending);
void convolve_back_to_data(const Convolution &shape, const void *w, const void *dy, void *dx, const Ending &ending);
void convolve_back_to_filter(const Convolution &shape, const void *x, const void *dy, void *dw, const Ending &ending);

}  // namespace warploom::dnn

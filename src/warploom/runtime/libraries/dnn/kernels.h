// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as products of matrices whose operands are never made whole: panels of them are gathered from tensors
// when a tile of the result needs them. Compiled for each level of the processor (kernels/).
//
//     forward          y[m, p]   = sum over (c, tap)  w[m, c, tap] x[c, pixel p moved by tap]
//     gradient of x    dx[c, q]  = sum over (m, tap)  w[m, c, tap] dy[m, pixel q moved by tap], once for each remainder
//                                                                                   of q by the stride
//     gradient of w    dw[m, (c, tap)] = sum over p   dy[m, p] x[c, pixel p moved by tap]
#pragma once

#include <cstdint>

#include "../common/kernel_levels.h"

namespace warploom::dnn {

using Size = std::int64_t;

enum class Kind : int { kFloat, kDouble, kHalf, kBfloat };
inline Size bytes_of(Kind kind) { return kind == Kind::kDouble ? 8 : kind == Kind::kFloat ? 4 : 2; }

// Three dimensions of an image: depth, height, width.
struct Triple {
  Size d, h, w;
};

// A tensor as a matrix of pixels by channels and taps. Pixel number p is element (n, d, h, w) of the grid; with a tap
// it is the image's element grid * step + tap, which is zero outside of the image.
struct Image {
  void *data;
  Kind kind;
  Size stride_n, stride_c;
  Triple stride;  // between elements
  Triple size;    // of the image
  Triple grid, step;
  const Triple *taps;
  Size tap_count, channels;
  bool channels_inner;  // number k of a channel and tap is tap * channels + channel, else channel * tap_count + tap
};

// Element (i, k) is data[i * step + offsets[k]].
struct Matrix {
  const void *data;
  Kind kind;
  Size step;
  const Size *offsets;
  bool contiguous;  // offsets[k] is offsets[0] + k
};

struct Operand {
  enum class Form : int { kPixels, kTaps, kMatrix } form;  // what the index is; the sum is over the other one
  Image image;
  Matrix matrix;
};

enum class Curve : int { kNone, kSigmoid, kRelu, kTanh, kClipped, kElu, kSwish };

// Where the sums go: out = curve(alpha sum + beta old + bias), by pixels and channels or as a plain matrix.
struct Sink {
  enum class Form : int { kPixelColumns, kPixelRows, kMatrix } form;
  Image image;      // without taps; of a matrix, `stride_c` lies between rows
  const void *old;  // as `image` says, or with strides of its own
  Size old_stride_n, old_stride_c;
  Triple old_stride;
  double alpha, beta;  // `old` is not read where beta is 0
  const void *bias;    // by channel, in `bias_kind`; null: none
  Kind bias_kind;
  Curve curve;
  double coefficient;
};

struct Product {
  Size rows, columns, depth;
  Operand a, b;
  Sink sink;
};
struct Tile {
  Size row, rows, column, columns, first, depth;
};

// How results are cut: balanced tiles of at most this size.
inline constexpr Size kTileRows = 168, kTileColumns = 256, kTileDepth = 384;

template <class T>
struct ConvolutionKernels {
  int width;  // of a vector panel; columns of tiles are a multiple of it
  // Computes a tile in `area`, which has room for `area_size` numbers.
  void (*multiply)(const Product &product, const Tile &tile, T *area);
  Size area_size;
  // Row i of the sink from column `column` on gets `count` sums.
  void (*finish)(const Sink &sink, Size row, Size column, Size count, T *sums);
};

// Numbers that lie a step apart (0: one for all), to float or double and back.
template <class T>
struct LineKernels {
  void (*read)(Kind kind, const void *from, Size step, Size count, T *to);
  void (*write)(Kind kind, const T *from, void *to, Size step, Size count);
};

#define WARPLOOM_KERNELS_OF(LEVEL)                        \
  namespace LEVEL {                                       \
  extern const ConvolutionKernels<float> kFloatProduct;   \
  extern const ConvolutionKernels<double> kDoubleProduct; \
  extern const LineKernels<float> kFloatLines;            \
  extern const LineKernels<double> kDoubleLines;          \
  }
WARPLOOM_AT_EACH_LEVEL(WARPLOOM_KERNELS_OF)
#undef WARPLOOM_KERNELS_OF

template <class T>
const ConvolutionKernels<T> &convolution_kernels();
template <>
const ConvolutionKernels<float> &convolution_kernels();
template <>
const ConvolutionKernels<double> &convolution_kernels();

template <class T>
const LineKernels<T> &line_kernels();
template <>
const LineKernels<float> &line_kernels();
template <>
const LineKernels<double> &line_kernels();

}  // namespace warploom::dnn

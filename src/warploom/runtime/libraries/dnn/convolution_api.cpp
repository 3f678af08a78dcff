// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's descriptors of convolutions, and the functions that compute them.
#include "convolution_api.h"

#include <algorithm>

namespace warploom::dnn {
namespace {

const cudnnConvolutionStruct &set_convolution(cudnnConvolutionDescriptor_t descriptor) {
  const cudnnConvolutionStruct &result = object_of(descriptor, "the convolution's descriptor");
  need(result.rank > 0, "the convolution's descriptor has not been set");
  return result;
}

void set(cudnnConvolutionDescriptor_t descriptor, int rank, const int *pad, const int *stride, const int *dilation,
         cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
  cudnnConvolutionStruct &to = object_of(descriptor, "the descriptor");
  need(pad != nullptr && stride != nullptr && dilation != nullptr, "an array is null");
  need(rank >= 1, "the number of dimensions is not positive");
  support(rank <= 3, "more than three dimensions");
  need(mode == CUDNN_CONVOLUTION || mode == CUDNN_CROSS_CORRELATION, "there is no such mode");
  need(compute >= CUDNN_DATA_FLOAT && compute <= CUDNN_DATA_UINT32, "there is no such data type");
  for (int i = 0; i < rank; ++i) {
    need(pad[i] >= 0, "the padding is negative");
    need(stride[i] > 0, "a stride is not positive");
    need(dilation[i] > 0, "a dilation is not positive");
  }
  to.rank = rank;
  std::copy_n(pad, rank, to.pad);
  std::copy_n(stride, rank, to.stride);
  std::copy_n(dilation, rank, to.dilation);
  to.mode = mode;
  to.compute = compute;
}

Triple triple_of(const Size *values, int count, Size rest) {
  const Size d = count > 2 ? values[count - 3] : rest, h = count > 1 ? values[count - 2] : rest;
  return {d, h, values[count - 1]};
}

// Extents of the result; throws if the operands do not fit together.
void result_dims(const cudnnConvolutionStruct &descriptor, const Layout &x, const Layout &w, Size *dims) {
  need(x.rank == w.rank && x.rank == descriptor.rank + 2,
       "tensor, filter and convolution do not have the same number of dimensions");
  need(x.dims[1] == w.dims[1] * descriptor.groups, "the tensor has " + std::to_string(x.dims[1]) +
                                                       " channels, the filter " + std::to_string(w.dims[1]) + " for " +
                                                       std::to_string(descriptor.groups) + " group(s)");
  need(w.dims[0] % descriptor.groups == 0, "the number of filters is not a multiple of the number of groups");
  dims[0] = x.dims[0];
  dims[1] = w.dims[0];
  for (int i = 0; i < descriptor.rank; ++i) {
    const Size reach = (w.dims[i + 2] - 1) * descriptor.dilation[i] + 1;
    const Size room = x.dims[i + 2] + 2 * descriptor.pad[i] - reach;
    need(room >= 0, "the filter is larger than the padded tensor");
    dims[i + 2] = room / descriptor.stride[i] + 1;
  }
}

bool is_compute_type(cudnnDataType_t compute, Kind kind) {
  if (kind == Kind::kDouble) return compute == CUDNN_DATA_DOUBLE;
  return compute == CUDNN_DATA_FLOAT || (compute == CUDNN_DATA_HALF && kind == Kind::kHalf) ||
         (compute == CUDNN_DATA_BFLOAT16 && kind == Kind::kBfloat);
}

Ending plain_ending(const void *alpha, const void *beta, Kind kind) {
  Ending ending = {};
  ending.alpha = factor(alpha, kind, "alpha");
  ending.beta = factor(beta, kind, "beta");
  return ending;
}

void need_algorithm(int algorithm, int count) {
  need(algorithm >= 0 && algorithm < count, "there is no such algorithm");
}
void need_data(const void *first, const void *second, const void *third) {
  need(first != nullptr && second != nullptr && third != nullptr, "a pointer to data is null");
}

// What is added before the curve: alpha2 z, and the bias of each channel.
void add_addends(Ending &ending, Kind kind, const void *alpha2, cudnnTensorDescriptor_t z_desc, const void *z,
                 const Layout &y, cudnnTensorDescriptor_t bias_desc, const void *bias) {
  ending.beta = factor(alpha2, kind, "alpha2");
  if (ending.beta != 0) {
    const Layout &addend = layout_of(z_desc, "z's descriptor");
    need(z != nullptr && addend.has_dims_of(y) && addend.type == y.type, "z is null, or not of y's shape and type");
    ending.old = z;
    ending.old_images = images_of(addend, "z");
  }
  const Layout &channels = layout_of(bias_desc, "the bias's descriptor");
  need(bias != nullptr && channels.count() == y.dims[1] && channels.rank >= 2 && channels.dims[1] == y.dims[1],
       "the bias is null, or does not have y's channels");
  ending.bias = bias;
  ending.bias_kind = kind_of(channels.type, "the bias");
}

}  // namespace

Images images_of(const Layout &layout, const char *what) {
  need(layout.rank >= 3 && layout.rank <= 5, std::string(what) + " does not have 3 to 5 dimensions");
  const Size *const dims = layout.dims + 2, *const strides = layout.strides + 2;
  const int space = layout.rank - 2;
  return {kind_of(layout.type, what),  layout.dims[0],    layout.dims[1],
          triple_of(dims, space, 1),   layout.strides[0], layout.strides[1],
          triple_of(strides, space, 0)};
}

Convolution convolution_of(const Layout &x, const cudnnFilterStruct &w, const cudnnConvolutionStruct &descriptor,
                           const Layout &y) {
  Size dims[kMaxRank];
  result_dims(descriptor, x, w, dims);
  need(y.rank == x.rank && std::equal(dims, dims + y.rank, y.dims), "y does not have the convolution's extents");
  const Kind kind = kind_of(x.type, "x");
  support(w.type == x.type && y.type == x.type, "x, w and y of different types");
  support(is_compute_type(descriptor.compute, kind), "this type for the computation");
  const int rank = descriptor.rank;
  return {images_of(x, "x"),
          images_of(w, "w"),
          images_of(y, "y"),
          triple_of(descriptor.pad, rank, 0),
          triple_of(descriptor.stride, rank, 1),
          triple_of(descriptor.dilation, rank, 1),
          descriptor.groups,
          descriptor.mode == CUDNN_CONVOLUTION};
}
Convolution convolution_of(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                           cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t y) {
  return convolution_of(layout_of(x, "x's descriptor"), filter_of(w, "w's descriptor"), set_convolution(descriptor),
                        layout_of(y, "y's descriptor"));
}

Curve curve_of(const cudnnActivationStruct &activation) {
  constexpr Curve kCurves[] = {Curve::kSigmoid, Curve::kRelu, Curve::kTanh, Curve::kClipped,
                               Curve::kElu,     Curve::kNone, Curve::kSwish};
  return kCurves[activation.mode];
}
double coefficient_of(const cudnnActivationStruct &activation) {
  return activation.mode == CUDNN_ACTIVATION_SWISH ? activation.swish_beta : activation.coefficient;
}

}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h, int pad_w, int u,
                                              int v, int dilation_h, int dilation_w, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  return guarded(__func__, [&] {
    const int pad[] = {pad_h, pad_w}, stride[] = {u, v}, dilation[] = {dilation_h, dilation_w};
    set(descriptor, 2, pad, stride, dilation, mode, compute);
  });
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t descriptor, int rank, const int *pad,
                                              const int *stride, const int *dilation, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute) {
  return guarded(__func__, [&] { set(descriptor, rank, pad, stride, dilation, mode, compute); });
}
cudnnStatus_t cudnnGetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int *pad_h, int *pad_w, int *u,
                                              int *v, int *dilation_h, int *dilation_w, cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *compute) {
  return guarded(__func__, [&] {
    const cudnnConvolutionStruct &from = set_convolution(descriptor);
    need(from.rank == 2, "the convolution does not have two dimensions");
    int *const to[] = {pad_h, pad_w, u, v, dilation_h, dilation_w};
    for (int i = 0; i < 2; ++i) {
      give(to[i], from.pad[i]);
      give(to[2 + i], from.stride[i]);
      give(to[4 + i], from.dilation[i]);
    }
    give(mode, from.mode);
    give(compute, from.compute);
  });
}
cudnnStatus_t cudnnGetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t descriptor, int asked, int *rank, int *pad,
                                              int *stride, int *dilation, cudnnConvolutionMode_t *mode,
                                              cudnnDataType_t *compute) {
  return guarded(__func__, [&] {
    const cudnnConvolutionStruct &from = set_convolution(descriptor);
    need(asked >= 0, "the number of dimensions asked for is negative");
    give(rank, from.rank);
    for (int i = 0; i < std::min(asked, from.rank); ++i) {
      if (pad != nullptr) give(pad + i, from.pad[i]);
      if (stride != nullptr) give(stride + i, from.stride[i]);
      if (dilation != nullptr) give(dilation + i, from.dilation[i]);
    }
    give(mode, from.mode);
    give(compute, from.compute);
  });
}
cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t x,
                                                    cudnnFilterDescriptor_t w, int rank, int *dims) {
  return guarded(__func__, [&] {
    Size found[kMaxRank];
    const Layout &layout = layout_of(x, "x's descriptor");
    need(dims != nullptr && rank == layout.rank, "the array of extents is null, or not as long as x has dimensions");
    result_dims(set_convolution(descriptor), layout, filter_of(w, "w's descriptor"), found);
    for (int i = 0; i < rank; ++i) dims[i] = static_cast<int>(found[i]);
  });
}
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t x,
                                                    cudnnFilterDescriptor_t w, int *n, int *c, int *height,
                                                    int *width) {
  return guarded(__func__, [&] {
    Size found[kMaxRank];
    const cudnnConvolutionStruct &from = set_convolution(descriptor);
    need(from.rank == 2, "the convolution does not have two dimensions");
    result_dims(from, layout_of(x, "x's descriptor"), filter_of(w, "w's descriptor"), found);
    int *const to[] = {n, c, height, width};
    for (int i = 0; i < 4; ++i) give(to[i], found[i]);
  });
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int count) {
  return guarded(__func__, [&] {
    need(count > 0, "the number of groups is not positive");
    object_of(descriptor, "the descriptor").groups = count;
  });
}
cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int *count) {
  return guarded(__func__, [&] { give(count, object_of(descriptor, "the descriptor").groups); });
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
  return guarded(__func__, [&] {
    need(math >= CUDNN_DEFAULT_MATH && math <= CUDNN_FMA_MATH, "there is no such type of mathematics");
    object_of(descriptor, "the descriptor").math = math;
  });
}
cudnnStatus_t cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t *math) {
  return guarded(__func__, [&] { give(math, object_of(descriptor, "the descriptor").math); });
}
cudnnStatus_t cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t descriptor, cudnnReorderType_t reorder) {
  return guarded(__func__, [&] {
    need(reorder == CUDNN_DEFAULT_REORDER || reorder == CUDNN_NO_REORDER, "there is no such order");
    object_of(descriptor, "the descriptor").reorder = reorder;
  });
}
cudnnStatus_t cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t descriptor, cudnnReorderType_t *reorder) {
  return guarded(__func__, [&] { give(reorder, object_of(descriptor, "the descriptor").reorder); });
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
                                      const void *x, cudnnFilterDescriptor_t w_desc, const void *w,
                                      cudnnConvolutionDescriptor_t conv_desc, cudnnConvolutionFwdAlgo_t algo, void *,
                                      size_t, const void *beta, cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_algorithm(algo, CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
    const Convolution shape = convolution_of(x_desc, w_desc, conv_desc, y_desc);
    need_data(x, w, y);
    const Ending ending = plain_ending(alpha, beta, shape.y.kind);
    run(handle, name, shape.nanoseconds(), [=] { convolve(shape, x, w, y, ending); });
  });
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, cudnnTensorDescriptor_t x_desc, const void *x,
    cudnnFilterDescriptor_t w_desc, const void *w, cudnnConvolutionDescriptor_t conv_desc,
    cudnnConvolutionFwdAlgo_t algo, void *, size_t, const void *alpha2, cudnnTensorDescriptor_t z_desc, const void *z,
    cudnnTensorDescriptor_t bias_desc, const void *bias, cudnnActivationDescriptor_t activation_desc,
    cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_algorithm(algo, CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
    const Convolution shape = convolution_of(x_desc, w_desc, conv_desc, y_desc);
    need_data(x, w, y);
    Ending ending = {};
    ending.alpha = factor(alpha1, shape.y.kind, "alpha1");
    add_addends(ending, shape.y.kind, alpha2, z_desc, z, *y_desc, bias_desc, bias);
    const cudnnActivationStruct &activation = object_of(activation_desc, "the activation's descriptor");
    support(activation.mode == CUDNN_ACTIVATION_RELU || activation.mode == CUDNN_ACTIVATION_IDENTITY,
            "an activation other than ReLU and the identity");
    ending.curve = curve_of(activation);
    run(handle, name, shape.nanoseconds(), [=] { convolve(shape, x, w, y, ending); });
  });
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void *alpha, cudnnFilterDescriptor_t w_desc,
                                           const void *w, cudnnTensorDescriptor_t dy_desc, const void *dy,
                                           cudnnConvolutionDescriptor_t conv_desc, cudnnConvolutionBwdDataAlgo_t algo,
                                           void *, size_t, const void *beta, cudnnTensorDescriptor_t dx_desc,
                                           void *dx) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_algorithm(algo, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
    const Convolution shape = convolution_of(dx_desc, w_desc, conv_desc, dy_desc);
    need_data(w, dy, dx);
    const Ending ending = plain_ending(alpha, beta, shape.y.kind);
    run(handle, name, shape.nanoseconds(), [=] { convolve_back_to_data(shape, w, dy, dx, ending); });
  });
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
                                             const void *x, cudnnTensorDescriptor_t dy_desc, const void *dy,
                                             cudnnConvolutionDescriptor_t conv_desc,
                                             cudnnConvolutionBwdFilterAlgo_t algo, void *, size_t, const void *beta,
                                             cudnnFilterDescriptor_t dw_desc, void *dw) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_algorithm(algo, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
    const Convolution shape = convolution_of(x_desc, dw_desc, conv_desc, dy_desc);
    need_data(x, dy, dw);
    const Ending ending = plain_ending(alpha, beta, shape.y.kind);
    run(handle, name, shape.nanoseconds(), [=] { convolve_back_to_filter(shape, x, dy, dw, ending); });
  });
}

}  // extern "C"
#pragma GCC visibility pop

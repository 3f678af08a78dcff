// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuDNN's descriptors hold. A rank of 0: not set yet.
#pragma once

#include "handle.h"
#include "kernels.h"

namespace warploom::dnn {

inline constexpr int kMaxRank = CUDNN_DIM_MAX;

// Extents and strides, in elements, of a tensor or filter.
struct Layout {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int rank = 0;
  Size dims[kMaxRank] = {}, strides[kMaxRank] = {};

  Size count() const {
    Size result = 1;
    for (int i = 0; i < rank; ++i) result *= dims[i];
    return result;
  }
  bool has_dims_of(const Layout &other) const {
    bool same = rank == other.rank;
    for (int i = 0; same && i < rank; ++i) same = dims[i] == other.dims[i];
    return same;
  }
};

}  // namespace warploom::dnn

struct cudnnTensorStruct : warploom::dnn::Layout {};
struct cudnnFilterStruct : warploom::dnn::Layout {
  cudnnTensorFormat_t format = CUDNN_TENSOR_NCHW;
};
struct cudnnConvolutionStruct {
  int rank = 0;  // of the space: 1 to 3
  warploom::dnn::Size pad[3] = {}, stride[3] = {}, dilation[3] = {};
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnReorderType_t reorder = CUDNN_DEFAULT_REORDER;
  int groups = 1;
};
struct cudnnPoolingStruct {
  int rank = 0;
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  warploom::dnn::Size window[3] = {}, pad[3] = {}, stride[3] = {};
};
struct cudnnActivationStruct {
  cudnnActivationMode_t mode = CUDNN_ACTIVATION_IDENTITY;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  double coefficient = 0, swish_beta = 1;
};
struct cudnnLRNStruct {
  unsigned n = 5;
  double alpha = 1e-4, beta = 0.75, k = 2;
};
struct cudnnOpTensorStruct {
  cudnnOpTensorOp_t operation = CUDNN_OP_TENSOR_ADD;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
};
struct cudnnReduceTensorStruct {
  cudnnReduceTensorOp_t operation = CUDNN_REDUCE_TENSOR_ADD;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnReduceTensorIndices_t indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  cudnnIndicesType_t index_type = CUDNN_32BIT_INDICES;
};
struct cudnnDropoutStruct {
  float rate = 0;
  void *states = nullptr;
  unsigned long long seed = 0;
};
struct cudnnCTCLossStruct {
  cudnnLossNormalizationMode_t normalization = CUDNN_LOSS_NORMALIZATION_NONE;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  cudnnNanPropagation_t nan = CUDNN_NOT_PROPAGATE_NAN;
  cudnnCTCGradMode_t gradients = CUDNN_CTC_ZERO_OOB_GRADIENTS;
  int longest = 0;  // of the labels; 0: not said
};
struct cudnnSpatialTransformerStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int rank = 0;
  warploom::dnn::Size dims[4] = {};  // of the output
};

namespace warploom::dnn {

// A descriptor that has been set.
const Layout &layout_of(cudnnTensorDescriptor_t tensor, const char *what);
const cudnnFilterStruct &filter_of(cudnnFilterDescriptor_t filter, const char *what);

// The kind of the numbers; throws NOT_SUPPORTED for types that no operation here computes with.
Kind kind_of(cudnnDataType_t type, const char *what);
// Bytes of an element, 0 for an unknown type.
Size bytes_of(cudnnDataType_t type);

// A factor that the user gives by address: double for tensors of doubles, else float.
double factor(const void *address, Kind kind, const char *what);

}  // namespace warploom::dnn

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of tensors and filters.
#include "descriptors.h"

#include <algorithm>

namespace warploom::dnn {

const Layout &layout_of(cudnnTensorDescriptor_t tensor, const char *what) {
  const Layout &layout = object_of(tensor, what);
  need(layout.rank > 0, std::string(what) + " has not been set");
  return layout;
}
const cudnnFilterStruct &filter_of(cudnnFilterDescriptor_t filter, const char *what) {
  const cudnnFilterStruct &result = object_of(filter, what);
  need(result.rank > 0, std::string(what) + " has not been set");
  return result;
}

Kind kind_of(cudnnDataType_t type, const char *what) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return Kind::kFloat;
    case CUDNN_DATA_DOUBLE:
      return Kind::kDouble;
    case CUDNN_DATA_HALF:
      return Kind::kHalf;
    case CUDNN_DATA_BFLOAT16:
      return Kind::kBfloat;
    default:
      throw Wrong{CUDNN_STATUS_NOT_SUPPORTED, std::string(what) + " is neither of float, double, half nor bfloat16"};
  }
}

Size bytes_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
      return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_UINT32:
      return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
      return 1;
    default:
      return 0;
  }
}

double factor(const void *address, Kind kind, const char *what) {
  need(address != nullptr, std::string(what) + " is null");
  return kind == Kind::kDouble ? *static_cast<const double *>(address) : *static_cast<const float *>(address);
}

namespace {

// The layout of packed data, in memory's order given by the format.
void set_packed(Layout &layout, cudnnTensorFormat_t format, cudnnDataType_t type, int rank, const int *dims) {
  need(dims != nullptr, "the array of extents is null");
  need(rank >= 1 && rank <= kMaxRank, "the number of dimensions is not from 1 to 8");
  need(format == CUDNN_TENSOR_NCHW || format == CUDNN_TENSOR_NHWC || format == CUDNN_TENSOR_NCHW_VECT_C,
       "there is no such format");
  need(type >= CUDNN_DATA_FLOAT && type <= CUDNN_DATA_UINT32, "there is no such data type");
  support(format != CUDNN_TENSOR_NCHW_VECT_C && bytes_of(type) != 0, "elements of several numbers");
  for (int i = 0; i < rank; ++i) need(dims[i] > 0, "an extent is not positive");
  Layout made;
  made.type = type;
  made.rank = rank;
  std::copy_n(dims, rank, made.dims);
  Size step = 1;
  const auto place = [&](int axis) {
    made.strides[axis] = step;
    step *= made.dims[axis];
  };
  const bool channels_last = format == CUDNN_TENSOR_NHWC && rank >= 3;
  if (channels_last) place(1);
  for (int i = rank - 1; i >= 0; --i) {
    if (!channels_last || i != 1) place(i);
  }
  layout = made;
}

void set_strided(Layout &layout, cudnnDataType_t type, int rank, const int *dims, const int *strides) {
  need(strides != nullptr, "the array of strides is null");
  Layout made;
  set_packed(made, CUDNN_TENSOR_NCHW, type, rank, dims);
  for (int i = 0; i < rank; ++i) need(strides[i] > 0, "a stride is not positive");
  std::copy_n(strides, rank, made.strides);
  layout = made;
}

Size bytes_spanned(const Layout &layout) {
  Size last = 0;
  for (int i = 0; i < layout.rank; ++i) last += (layout.dims[i] - 1) * layout.strides[i];
  return (last + 1) * bytes_of(layout.type);
}

void give_all(const Layout &layout, int asked, int *dims, int *strides) {
  for (int i = 0; i < std::min(asked, layout.rank); ++i) {
    if (dims != nullptr) dims[i] = static_cast<int>(layout.dims[i]);
    if (strides != nullptr) strides[i] = static_cast<int>(layout.strides[i]);
  }
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensor) { return create(__func__, tensor); }
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) { return destroy(__func__, tensor); }
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  return guarded(__func__, [&] {
    const int dims[] = {n, c, h, w};
    set_packed(object_of(tensor, "the descriptor"), format, type, 4, dims);
  });
}
cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int n, int c, int h,
                                           int w, int n_stride, int c_stride, int h_stride, int w_stride) {
  return guarded(__func__, [&] {
    const int dims[] = {n, c, h, w}, strides[] = {n_stride, c_stride, h_stride, w_stride};
    set_strided(object_of(tensor, "the descriptor"), type, 4, dims, strides);
  });
}
cudnnStatus_t cudnnGetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t *type, int *n, int *c, int *h,
                                         int *w, int *n_stride, int *c_stride, int *h_stride, int *w_stride) {
  return guarded(__func__, [&] {
    const Layout &layout = object_of(tensor, "the descriptor");
    need(layout.rank == 4, "the tensor does not have four dimensions");
    give(type, layout.type);
    int *const dims[] = {n, c, h, w}, *const strides[] = {n_stride, c_stride, h_stride, w_stride};
    for (int i = 0; i < 4; ++i) {
      give(dims[i], layout.dims[i]);
      give(strides[i], layout.strides[i]);
    }
  });
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int rank,
                                         const int *dims, const int *strides) {
  return guarded(__func__, [&] { set_strided(object_of(tensor, "the descriptor"), type, rank, dims, strides); });
}
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int rank, const int *dims) {
  return guarded(__func__, [&] { set_packed(object_of(tensor, "the descriptor"), format, type, rank, dims); });
}
cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, int asked, cudnnDataType_t *type, int *rank,
                                         int *dims, int *strides) {
  return guarded(__func__, [&] {
    const Layout &layout = object_of(tensor, "the descriptor");
    need(asked >= 0 && asked <= kMaxRank, "the number of dimensions asked for is not from 0 to 8");
    give(type, layout.type);
    give(rank, layout.rank);
    give_all(layout, asked, dims, strides);
  });
}
cudnnStatus_t cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t tensor, size_t *size) {
  return guarded(__func__, [&] {
    need(size != nullptr, "the pointer to the size is null");
    *size = static_cast<size_t>(bytes_spanned(layout_of(tensor, "the descriptor")));
  });
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filter) { return create(__func__, filter); }
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) { return destroy(__func__, filter); }
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank, const int *dims) {
  return guarded(__func__, [&] {
    cudnnFilterStruct &made = object_of(filter, "the descriptor");
    set_packed(made, format, type, rank, dims);
    made.format = format;
  });
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return guarded(__func__, [&] {
    const int dims[] = {k, c, h, w};
    cudnnFilterStruct &made = object_of(filter, "the descriptor");
    set_packed(made, format, type, 4, dims);
    made.format = format;
  });
}
cudnnStatus_t cudnnGetFilter4dDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t *type,
                                         cudnnTensorFormat_t *format, int *k, int *c, int *h, int *w) {
  return guarded(__func__, [&] {
    const cudnnFilterStruct &from = object_of(filter, "the descriptor");
    need(from.rank == 4, "the filter does not have four dimensions");
    give(type, from.type);
    give(format, from.format);
    int *const dims[] = {k, c, h, w};
    for (int i = 0; i < 4; ++i) give(dims[i], from.dims[i]);
  });
}
cudnnStatus_t cudnnGetFilterNdDescriptor(cudnnFilterDescriptor_t filter, int asked, cudnnDataType_t *type,
                                         cudnnTensorFormat_t *format, int *rank, int *dims) {
  return guarded(__func__, [&] {
    const cudnnFilterStruct &from = object_of(filter, "the descriptor");
    need(asked >= 0 && asked <= kMaxRank, "the number of dimensions asked for is not from 0 to 8");
    give(type, from.type);
    give(format, from.format);
    give(rank, from.rank);
    give_all(from, asked, dims, nullptr);
  });
}
cudnnStatus_t cudnnGetFilterSizeInBytes(cudnnFilterDescriptor_t filter, size_t *size) {
  return guarded(__func__, [&] {
    need(size != nullptr, "the pointer to the size is null");
    *size = static_cast<size_t>(bytes_spanned(filter_of(filter, "the descriptor")));
  });
}

}  // extern "C"
#pragma GCC visibility pop

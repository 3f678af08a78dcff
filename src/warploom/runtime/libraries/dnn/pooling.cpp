// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling: the largest number, or the average, of windows.
#include <cmath>
#include <limits>
#include <vector>

#include "convolution_api.h"
#include "maps.h"

namespace warploom::dnn {
namespace {

const cudnnPoolingStruct &set_pooling(cudnnPoolingDescriptor_t descriptor) {
  const cudnnPoolingStruct &result = object_of(descriptor, "the pooling's descriptor");
  need(result.rank > 0, "the pooling's descriptor has not been set");
  return result;
}

void set(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t mode, cudnnNanPropagation_t nan, int rank,
         const int *window, const int *pad, const int *stride) {
  cudnnPoolingStruct &to = object_of(descriptor, "the descriptor");
  need(window != nullptr && pad != nullptr && stride != nullptr, "an array is null");
  need(mode >= CUDNN_POOLING_MAX && mode <= CUDNN_POOLING_MAX_DETERMINISTIC, "there is no such mode");
  need(nan == CUDNN_NOT_PROPAGATE_NAN || nan == CUDNN_PROPAGATE_NAN, "there is no such way to treat NaN");
  need(rank >= 1, "the number of dimensions is not positive");
  support(rank <= 3, "more than three dimensions");
  for (int i = 0; i < rank; ++i) {
    need(window[i] > 0 && pad[i] >= 0 && stride[i] > 0, "a window or stride is not positive, or a padding negative");
    need(pad[i] < window[i], "the padding is not smaller than the window");
  }
  to.rank = rank;
  to.mode = mode;
  to.nan = nan;
  std::copy_n(window, rank, to.window);
  std::copy_n(pad, rank, to.pad);
  std::copy_n(stride, rank, to.stride);
}

void result_dims(const cudnnPoolingStruct &pooling, const Layout &x, Size *dims) {
  need(x.rank == pooling.rank + 2, "tensor and pooling do not have the same number of dimensions");
  dims[0] = x.dims[0];
  dims[1] = x.dims[1];
  for (int i = 0; i < pooling.rank; ++i) {
    const Size room = x.dims[i + 2] + 2 * pooling.pad[i] - pooling.window[i];
    need(room >= 0, "the window is larger than the padded tensor");
    dims[i + 2] = room / pooling.stride[i] + 1;
  }
}

Triple triple_of(const Size *values, int count, Size rest) {
  return {count > 2 ? values[count - 3] : rest, count > 1 ? values[count - 2] : rest, values[count - 1]};
}

struct Pooling {
  Images x, y;
  Triple window, pad, stride;
  bool is_largest, counts_padding, keeps_nan;

  Size planes() const { return x.n * x.c; }
  Size outputs() const { return y.size.d * y.size.h * y.size.w; }
  double time() const { return static_cast<double>(planes() * outputs() * (2 + window.d * window.h * window.w)) + 200; }
};

Pooling pooling_of(cudnnPoolingDescriptor_t descriptor, const Layout &x, const Layout &y) {
  const cudnnPoolingStruct &from = set_pooling(descriptor);
  Size dims[kMaxRank];
  result_dims(from, x, dims);
  need(y.rank == x.rank && std::equal(dims, dims + y.rank, y.dims), "y does not have the pooling's extents");
  support((x.type == CUDNN_DATA_DOUBLE) == (y.type == CUDNN_DATA_DOUBLE), "double with other types");
  return {images_of(x, "x"),
          images_of(y, "y"),
          triple_of(from.window, from.rank, 1),
          triple_of(from.pad, from.rank, 0),
          triple_of(from.stride, from.rank, 1),
          from.mode == CUDNN_POOLING_MAX || from.mode == CUDNN_POOLING_MAX_DETERMINISTIC,
          from.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
          from.nan == CUDNN_PROPAGATE_NAN};
}

// One channel of one image, packed, in float or double.
template <class T>
class Plane {
 public:
  Plane(const Images &images, const void *data, Size plane)
      : images_(images), values_(static_cast<std::size_t>(images.size.d * images.size.h * images.size.w)) {
    const Size offset = plane / images.c * images.stride_n + plane % images.c * images.stride_c;
    data_ = const_cast<char *>(static_cast<const char *>(data)) + offset * bytes_of(images.kind);
  }
  void read() {
    each_row(
        [&](T *row, char *at) { line_kernels<T>().read(images_.kind, at, images_.stride.w, images_.size.w, row); });
  }
  void write() {
    each_row(
        [&](T *row, char *at) { line_kernels<T>().write(images_.kind, row, at, images_.stride.w, images_.size.w); });
  }
  T *values() { return values_.data(); }
  // alpha values + beta of what is there.
  void blend(double alpha, double beta) {
    if (beta == 0) {
      for (T &value : values_) value *= static_cast<T>(alpha);
      return;
    }
    std::vector<T> fresh = values_;
    read();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<T>(alpha) * fresh[i] + static_cast<T>(beta) * values_[i];
    }
  }

 private:
  template <class Each>
  void each_row(const Each &each) {
    T *row = values_.data();
    for (Size d = 0; d < images_.size.d; ++d) {
      for (Size h = 0; h < images_.size.h; ++h, row += images_.size.w) {
        each(row, data_ + (d * images_.stride.d + h * images_.stride.h) * bytes_of(images_.kind));
      }
    }
  }
  const Images &images_;
  std::vector<T> values_;
  char *data_;
};

struct Window {  // of one output: what of it lies in the plane
  Size begin[3], end[3], counted;
};
Window window_at(const Pooling &p, Size out) {
  const Size at[3] = {out / (p.y.size.w * p.y.size.h), out / p.y.size.w % p.y.size.h, out % p.y.size.w};
  const Size window[3] = {p.window.d, p.window.h, p.window.w}, pad[3] = {p.pad.d, p.pad.h, p.pad.w};
  const Size stride[3] = {p.stride.d, p.stride.h, p.stride.w}, size[3] = {p.x.size.d, p.x.size.h, p.x.size.w};
  Window result = {};
  Size inside = 1;
  for (int i = 0; i < 3; ++i) {
    const Size start = at[i] * stride[i] - pad[i];
    result.begin[i] = std::max<Size>(0, start);
    result.end[i] = std::min(size[i], start + window[i]);
    inside *= std::max<Size>(0, result.end[i] - result.begin[i]);
  }
  result.counted = p.counts_padding ? window[0] * window[1] * window[2] : inside;
  return result;
}
template <class Each>
void each_inside(const Pooling &p, const Window &window, const Each &each) {
  for (Size d = window.begin[0]; d < window.end[0]; ++d) {
    for (Size h = window.begin[1]; h < window.end[1]; ++h) {
      for (Size w = window.begin[2]; w < window.end[2]; ++w) each((d * p.x.size.h + h) * p.x.size.w + w);
    }
  }
}

// The place of the largest number of a window: the first one; -1 in an empty window.
template <class T>
Size largest(const Pooling &p, const Window &window, const T *x) {
  Size best = -1;
  each_inside(p, window, [&](Size i) {
    if (best < 0 || (p.keeps_nan ? !(x[i] <= x[best]) && x[best] == x[best] : x[i] > x[best] || x[best] != x[best])) {
      best = i;
    }
  });
  return best;
}

template <class T>
void pool_plane(const Pooling &p, const T *x, T *y) {
  for (Size out = 0; out < p.outputs(); ++out) {
    const Window window = window_at(p, out);
    if (p.is_largest) {
      const Size best = largest(p, window, x);
      const bool has = best >= 0 && (p.keeps_nan || x[best] == x[best]);
      y[out] = has ? x[best] : -std::numeric_limits<T>::max();
    } else {
      T sum = 0;
      each_inside(p, window, [&](Size i) { sum += x[i]; });
      y[out] = window.counted > 0 ? sum / static_cast<T>(window.counted) : T(0);
    }
  }
}
template <class T>
void pool_back(const Pooling &p, const T *x, const T *dy, T *dx) {
  for (Size out = 0; out < p.outputs(); ++out) {
    const Window window = window_at(p, out);
    if (p.is_largest) {
      const Size best = largest(p, window, x);
      if (best >= 0) dx[best] += dy[out];
    } else if (window.counted > 0) {
      const T part = dy[out] / static_cast<T>(window.counted);
      each_inside(p, window, [&](Size i) { dx[i] += part; });
    }
  }
}

template <class T>
void pool(const Pooling &p, const void *x, void *y, double alpha, double beta) {
  each_tile(static_cast<std::uint64_t>(p.planes()), p.time(), [&](std::uint64_t i) {
    Plane<T> in(p.x, x, static_cast<Size>(i)), out(p.y, y, static_cast<Size>(i));
    in.read();
    pool_plane(p, in.values(), out.values());
    out.blend(alpha, beta);
    out.write();
  });
}
template <class T>
void pool_back(const Pooling &p, const void *x, const Images &errors, const void *dy, const Images &result, void *dx,
               double alpha, double beta) {
  each_tile(static_cast<std::uint64_t>(p.planes()), 2 * p.time(), [&](std::uint64_t i) {
    const Size plane = static_cast<Size>(i);
    Plane<T> in(p.x, x, plane), back(errors, dy, plane), out(result, dx, plane);
    in.read();
    back.read();
    pool_back(p, in.values(), back.values(), out.values());
    out.blend(alpha, beta);
    out.write();
  });
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int height, int width, int pad_h, int pad_w,
                                          int stride_h, int stride_w) {
  return guarded(__func__, [&] {
    const int window[] = {height, width}, pad[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w};
    set(descriptor, mode, nan, 2, window, pad, stride);
  });
}
cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int rank, const int *window, const int *pad,
                                          const int *stride) {
  return guarded(__func__, [&] { set(descriptor, mode, nan, rank, window, pad, stride); });
}
cudnnStatus_t cudnnGetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *nan, int *height, int *width, int *pad_h, int *pad_w,
                                          int *stride_h, int *stride_w) {
  return guarded(__func__, [&] {
    const cudnnPoolingStruct &from = set_pooling(descriptor);
    need(from.rank == 2, "the pooling does not have two dimensions");
    if (mode != nullptr) *mode = from.mode;
    if (nan != nullptr) *nan = from.nan;
    int *const to[] = {height, width, pad_h, pad_w, stride_h, stride_w};
    const Size *const values[] = {from.window, from.pad, from.stride};
    for (int i = 0; i < 6; ++i) {
      if (to[i] != nullptr) *to[i] = static_cast<int>(values[i / 2][i % 2]);
    }
  });
}
cudnnStatus_t cudnnGetPoolingNdDescriptor(cudnnPoolingDescriptor_t descriptor, int asked, cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *nan, int *rank, int *window, int *pad, int *stride) {
  return guarded(__func__, [&] {
    const cudnnPoolingStruct &from = set_pooling(descriptor);
    if (mode != nullptr) *mode = from.mode;
    if (nan != nullptr) *nan = from.nan;
    if (rank != nullptr) *rank = from.rank;
    int *const to[] = {window, pad, stride};
    const Size *const values[] = {from.window, from.pad, from.stride};
    for (int i = 0; i < 3 * std::min(asked, from.rank); ++i) {
      if (to[i % 3] != nullptr) to[i % 3][i / 3] = static_cast<int>(values[i % 3][i / 3]);
    }
  });
}
cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(cudnnPoolingDescriptor_t descriptor, cudnnTensorDescriptor_t x,
                                                int rank, int *dims) {
  return guarded(__func__, [&] {
    const Layout &layout = layout_of(x, "x's descriptor");
    need(dims != nullptr && rank == layout.rank, "the array of extents is null, or not as long as x has dimensions");
    Size found[kMaxRank];
    result_dims(set_pooling(descriptor), layout, found);
    for (int i = 0; i < rank; ++i) dims[i] = static_cast<int>(found[i]);
  });
}
cudnnStatus_t cudnnGetPooling2dForwardOutputDim(cudnnPoolingDescriptor_t descriptor, cudnnTensorDescriptor_t x, int *n,
                                                int *c, int *height, int *width) {
  return guarded(__func__, [&] {
    Size found[kMaxRank];
    const cudnnPoolingStruct &from = set_pooling(descriptor);
    need(from.rank == 2, "the pooling does not have two dimensions");
    result_dims(from, layout_of(x, "x's descriptor"), found);
    int *const to[] = {n, c, height, width};
    for (int i = 0; i < 4; ++i) {
      if (to[i] != nullptr) *to[i] = static_cast<int>(found[i]);
    }
  });
}
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, cudnnPoolingDescriptor_t descriptor, const void *alpha,
                                  cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                  cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Pooling p = pooling_of(descriptor, layout_of(x_desc, "x's descriptor"), layout_of(y_desc, "y's descriptor"));
    need(x != nullptr && y != nullptr, "a pointer to data is null");
    const double scale = factor(alpha, p.y.kind, "alpha"), keep = factor(beta, p.y.kind, "beta");
    run(handle, name, p.time(), [=] {
      return p.y.kind == Kind::kDouble ? pool<double>(p, x, y, scale, keep) : pool<float>(p, x, y, scale, keep);
    });
  });
}
cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, cudnnPoolingDescriptor_t descriptor, const void *alpha,
                                   cudnnTensorDescriptor_t y_desc, const void *y, cudnnTensorDescriptor_t dy_desc,
                                   const void *dy, cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                   cudnnTensorDescriptor_t dx_desc, void *dx) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Layout &input = layout_of(x_desc, "x's descriptor"), &output = layout_of(y_desc, "y's descriptor");
    const Layout &errors = layout_of(dy_desc, "dy's descriptor"), &result = layout_of(dx_desc, "dx's descriptor");
    const Pooling p = pooling_of(descriptor, input, output);
    need(errors.has_dims_of(output) && result.has_dims_of(input), "the gradients do not have the extents of x and y");
    support((result.type == CUDNN_DATA_DOUBLE) == (input.type == CUDNN_DATA_DOUBLE), "double with other types");
    need(x != nullptr && y != nullptr && dy != nullptr && dx != nullptr, "a pointer to data is null");
    const Images back = images_of(errors, "dy"), out = images_of(result, "dx");
    const double scale = factor(alpha, p.y.kind, "alpha"), keep = factor(beta, p.y.kind, "beta");
    run(handle, name, 2 * p.time(), [=] {
      return p.y.kind == Kind::kDouble ? pool_back<double>(p, x, back, dy, out, dx, scale, keep)
                                       : pool_back<float>(p, x, back, dy, out, dx, scale, keep);
    });
  });
}

}  // extern "C"
#pragma GCC visibility pop

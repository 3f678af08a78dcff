// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax over the channels of each pixel, or over all of an image.
#include <cmath>
#include <vector>

#include "groups.h"

namespace warploom::dnn {
namespace {

// Numbers whose sum of exponentials is one.
Groups groups_of(cudnnSoftmaxMode_t mode, const Layout &layout) {
  return {layout, [&](int axis) { return mode == CUDNN_SOFTMAX_MODE_CHANNEL ? axis == 1 : axis > 0; }};
}

// Stores alpha values + beta of what is there; `old` is room.
template <class T>
void blend_group(const Groups &groups, const Data &to, Size group, double alpha, double beta, T *values, T *old) {
  if (beta != 0) read_group(groups, to, group, old);
  for (Size i = 0; i < groups.size(); ++i) {
    values[i] *= static_cast<T>(alpha);
    if (beta != 0) values[i] += static_cast<T>(beta) * old[i];
  }
  write_group(groups, to, group, values);
}

template <class T>
void soften(cudnnSoftmaxAlgorithm_t algorithm, T *x, Size count) {
  T most = x[0];
  for (Size i = 1; i < count; ++i) most = x[i] > most ? x[i] : most;
  const T shift = algorithm == CUDNN_SOFTMAX_FAST ? T(0) : most;
  T sum = 0;
  for (Size i = 0; i < count; ++i) {
    const T power = std::exp(x[i] - shift);
    sum += power;
    x[i] = algorithm == CUDNN_SOFTMAX_LOG ? x[i] - shift : power;
  }
  const T logarithm = algorithm == CUDNN_SOFTMAX_LOG ? std::log(sum) : T(0);
  for (Size i = 0; i < count; ++i) x[i] = algorithm == CUDNN_SOFTMAX_LOG ? x[i] - logarithm : x[i] / sum;
}
template <class T>
void soften_back(cudnnSoftmaxAlgorithm_t algorithm, const T *y, T *dy, Size count) {
  T sum = 0;
  for (Size i = 0; i < count; ++i) sum += algorithm == CUDNN_SOFTMAX_LOG ? dy[i] : dy[i] * y[i];
  for (Size i = 0; i < count; ++i) {
    dy[i] = algorithm == CUDNN_SOFTMAX_LOG ? dy[i] - std::exp(y[i]) * sum : y[i] * (dy[i] - sum);
  }
}

void need_known(cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode) {
  need(algorithm >= CUDNN_SOFTMAX_FAST && algorithm <= CUDNN_SOFTMAX_LOG, "there is no such algorithm");
  need(mode == CUDNN_SOFTMAX_MODE_INSTANCE || mode == CUDNN_SOFTMAX_MODE_CHANNEL, "there is no such mode");
}

template <class T>
void forward(cudnnSoftmaxAlgorithm_t algorithm, const Groups &groups, const Data &x, const Data &y, double alpha,
             double beta) {
  groups.tiles(8, [&](Size first, Size last) {
    std::vector<T> values(static_cast<std::size_t>(groups.size())), old(values.size());
    for (Size group = first; group < last; ++group) {
      read_group(groups, x, group, values.data());
      soften(algorithm, values.data(), groups.size());
      blend_group(groups, y, group, alpha, beta, values.data(), old.data());
    }
  });
}
template <class T>
void backward(cudnnSoftmaxAlgorithm_t algorithm, const Groups &groups, const Data &y, const Data &dy, const Data &dx,
              double alpha, double beta) {
  groups.tiles(8, [&](Size first, Size last) {
    std::vector<T> values(static_cast<std::size_t>(groups.size())), out(values.size());
    for (Size group = first; group < last; ++group) {
      read_group(groups, dy, group, values.data());
      read_group(groups, y, group, out.data());
      soften_back(algorithm, out.data(), values.data(), groups.size());
      blend_group(groups, dx, group, alpha, beta, values.data(), out.data());
    }
  });
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                  const void *alpha, cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                  cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_known(algorithm, mode);
    const Data to(y_desc, y, "y"), from(x_desc, x, "x");
    need_alike(std::array{to, from});
    const double scale = factor(alpha, to.kind, "alpha"), keep = factor(beta, to.kind, "beta");
    run(handle, name, 8 * static_cast<double>(to.layout.count()) + 200, [=] {
      const Groups groups = groups_of(mode, to.layout);
      return to.kind == Kind::kDouble ? forward<double>(algorithm, groups, from, to, scale, keep)
                                      : forward<float>(algorithm, groups, from, to, scale, keep);
    });
  });
}
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                   const void *alpha, cudnnTensorDescriptor_t y_desc, const void *y,
                                   cudnnTensorDescriptor_t dy_desc, const void *dy, const void *beta,
                                   cudnnTensorDescriptor_t dx_desc, void *dx) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need_known(algorithm, mode);
    const Data to(dx_desc, dx, "dx"), out(y_desc, y, "y"), errors(dy_desc, dy, "dy");
    need_alike(std::array{to, out, errors});
    const double scale = factor(alpha, to.kind, "alpha"), keep = factor(beta, to.kind, "beta");
    run(handle, name, 8 * static_cast<double>(to.layout.count()) + 200, [=] {
      const Groups groups = groups_of(mode, to.layout);
      return to.kind == Kind::kDouble ? backward<double>(algorithm, groups, out, errors, to, scale, keep)
                                      : backward<float>(algorithm, groups, out, errors, to, scale, keep);
    });
  });
}

}  // extern "C"
#pragma GCC visibility pop

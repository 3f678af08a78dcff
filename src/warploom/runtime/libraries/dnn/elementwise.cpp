// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations, and operations on each element of tensors.
#include <cmath>

#include "convolution_api.h"
#include "maps.h"

namespace warploom::dnn {
namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T, class Each>
void each_number(T *result, Size count, const Each &each) {
  for (Size i = 0; i < count; ++i) result[i] = each(i);
}

// The curve of each number. A number that is not one stays so, unless the curve is to drop it.
template <class T>
void bend(Curve curve, T coefficient, bool keeps_nan, const T *x, T *y, Size count) {
  switch (curve) {
    case Curve::kSigmoid:
      return each_number(y, count, [&](Size i) { return sigmoid(x[i]); });
    case Curve::kRelu:
      if (keeps_nan) return each_number(y, count, [&](Size i) { return x[i] < 0 ? T(0) : x[i]; });
      return each_number(y, count, [&](Size i) { return x[i] > 0 ? x[i] : T(0); });
    case Curve::kTanh:
      return each_number(y, count, [&](Size i) { return std::tanh(x[i]); });
    case Curve::kClipped:
      return each_number(y, count, [&](Size i) {
        const T above = x[i] > 0 || (keeps_nan && x[i] != x[i]) ? x[i] : T(0);
        return above > coefficient ? coefficient : above;
      });
    case Curve::kElu:
      return each_number(y, count, [&](Size i) { return x[i] > 0 ? x[i] : coefficient * std::expm1(x[i]); });
    case Curve::kSwish:
      return each_number(y, count, [&](Size i) { return x[i] * sigmoid(coefficient * x[i]); });
    case Curve::kNone:
      return each_number(y, count, [&](Size i) { return x[i]; });
  }
}

// dx of x, y and dy.
template <class T>
void bend_back(Curve curve, T coefficient, const T *x, const T *y, const T *dy, T *dx, Size count) {
  switch (curve) {
    case Curve::kSigmoid:
      return each_number(dx, count, [&](Size i) { return dy[i] * y[i] * (1 - y[i]); });
    case Curve::kRelu:
      return each_number(dx, count, [&](Size i) { return x[i] > 0 ? dy[i] : T(0); });
    case Curve::kTanh:
      return each_number(dx, count, [&](Size i) { return dy[i] * (1 - y[i] * y[i]); });
    case Curve::kClipped:
      return each_number(dx, count, [&](Size i) { return x[i] > 0 && x[i] <= coefficient ? dy[i] : T(0); });
    case Curve::kElu:
      return each_number(dx, count, [&](Size i) { return x[i] > 0 ? dy[i] : dy[i] * coefficient * std::exp(x[i]); });
    case Curve::kSwish:
      return each_number(dx, count, [&](Size i) {
        const T s = sigmoid(coefficient * x[i]);
        return dy[i] * (s + coefficient * x[i] * s * (1 - s));
      });
    case Curve::kNone:
      return each_number(dx, count, [&](Size i) { return dy[i]; });
  }
}

double time_of(Curve curve) {
  return curve == Curve::kRelu || curve == Curve::kClipped || curve == Curve::kNone ? 0.5 : 8;
}

const cudnnActivationStruct &set_activation(cudnnActivationDescriptor_t descriptor) {
  return object_of(descriptor, "the activation's descriptor");
}

// The identity is for what follows a convolution.
const cudnnActivationStruct &curved(cudnnActivationDescriptor_t descriptor) {
  const cudnnActivationStruct &activation = set_activation(descriptor);
  need(activation.mode != CUDNN_ACTIVATION_IDENTITY, "the identity is no activation of its own");
  return activation;
}

template <class T>
T combine(cudnnOpTensorOp_t operation, bool keeps_nan, T a, T b) {
  switch (operation) {
    case CUDNN_OP_TENSOR_ADD:
      return a + b;
    case CUDNN_OP_TENSOR_MUL:
      return a * b;
    case CUDNN_OP_TENSOR_MIN:
      if (a != a || b != b) return keeps_nan ? a + b : a != a ? b : a;
      return a < b ? a : b;
    case CUDNN_OP_TENSOR_MAX:
      if (a != a || b != b) return keeps_nan ? a + b : a != a ? b : a;
      return a > b ? a : b;
    case CUDNN_OP_TENSOR_SQRT:
      return std::sqrt(a);
    case CUDNN_OP_TENSOR_NOT:
      return 1 - a;
  }
  return a;
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t mode,
                                           cudnnNanPropagation_t nan, double coefficient) {
  return guarded(__func__, [&] {
    need(mode >= CUDNN_ACTIVATION_SIGMOID && mode <= CUDNN_ACTIVATION_SWISH, "there is no such activation");
    need(nan == CUDNN_NOT_PROPAGATE_NAN || nan == CUDNN_PROPAGATE_NAN, "there is no such way to treat NaN");
    cudnnActivationStruct &to = object_of(descriptor, "the descriptor");
    to.mode = mode;
    to.nan = nan;
    to.coefficient = coefficient;
  });
}
cudnnStatus_t cudnnGetActivationDescriptor(cudnnActivationDescriptor_t descriptor, cudnnActivationMode_t *mode,
                                           cudnnNanPropagation_t *nan, double *coefficient) {
  return guarded(__func__, [&] {
    const cudnnActivationStruct &from = set_activation(descriptor);
    need(mode != nullptr && nan != nullptr && coefficient != nullptr, "a pointer to a result is null");
    *mode = from.mode;
    *nan = from.nan;
    *coefficient = from.coefficient;
  });
}
cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor, double beta) {
  return guarded(__func__, [&] { object_of(descriptor, "the descriptor").swish_beta = beta; });
}
cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor, double *beta) {
  return guarded(__func__, [&] {
    need(beta != nullptr, "the pointer to the result is null");
    *beta = set_activation(descriptor).swish_beta;
  });
}

cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor, const void *alpha,
                                     cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                     cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnActivationStruct &activation = curved(descriptor);
    const std::array tensors = {Data(y_desc, y, "y"), Data(x_desc, x, "x")};
    need_alike(tensors);
    const Curve curve = curve_of(activation);
    const double coefficient = coefficient_of(activation);
    const bool keeps_nan = activation.nan == CUDNN_PROPAGATE_NAN;
    const Kind kind = tensors[0].kind;
    map(handle, name, tensors, factor(alpha, kind, "alpha"), factor(beta, kind, "beta"), time_of(curve),
        [=]<class T>(const T *const *in, T *out, Size n) {
          bend(curve, static_cast<T>(coefficient), keeps_nan, in[0], out, n);
        });
  });
}
cudnnStatus_t cudnnActivationBackward(cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor, const void *alpha,
                                      cudnnTensorDescriptor_t y_desc, const void *y, cudnnTensorDescriptor_t dy_desc,
                                      const void *dy, cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                      cudnnTensorDescriptor_t dx_desc, void *dx) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnActivationStruct &activation = curved(descriptor);
    const std::array tensors = {Data(dx_desc, dx, "dx"), Data(x_desc, x, "x"), Data(y_desc, y, "y"),
                                Data(dy_desc, dy, "dy")};
    need_alike(tensors);
    const Curve curve = curve_of(activation);
    const double coefficient = coefficient_of(activation);
    const Kind kind = tensors[0].kind;
    map(handle, name, tensors, factor(alpha, kind, "alpha"), factor(beta, kind, "beta"), time_of(curve) + 0.5,
        [=]<class T>(const T *const *in, T *out, Size n) {
          bend_back(curve, static_cast<T>(coefficient), in[0], in[1], in[2], out, n);
        });
  });
}

cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t a_desc, const void *a,
                             const void *beta, cudnnTensorDescriptor_t c_desc, void *c) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Data to(c_desc, c, "c");
    const std::array tensors = {to, Data(a_desc, a, "a").spread(to.layout, "a")};
    need_alike(tensors);
    map(handle, name, tensors, factor(alpha, to.kind, "alpha"), factor(beta, to.kind, "beta"), 0.5,
        []<class T>(const T *const *in, T *out, Size n) { std::copy_n(in[0], n, out); });
  });
}
cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t x_desc,
                                   const void *x, const void *beta, cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const std::array tensors = {Data(y_desc, y, "y"), Data(x_desc, x, "x")};
    need(tensors[0].layout.has_dims_of(tensors[1].layout), "the tensors have different extents");
    const Kind kind = tensors[1].kind;
    map(handle, name, tensors, factor(alpha, kind, "alpha"), factor(beta, kind, "beta"), 0.7,
        []<class T>(const T *const *in, T *out, Size n) { std::copy_n(in[0], n, out); });
  });
}
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle, cudnnTensorDescriptor_t y_desc, void *y, const void *alpha) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const std::array tensors = {Data(y_desc, y, "y"), Data(y_desc, y, "y")};
    map(handle, name, tensors, factor(alpha, tensors[0].kind, "alpha"), 0, 0.5,
        []<class T>(const T *const *in, T *out, Size n) { std::copy_n(in[0], n, out); });
  });
}
cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle, cudnnTensorDescriptor_t y_desc, void *y, const void *value) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const std::array tensors = {Data(y_desc, y, "y")};
    const double number = factor(value, tensors[0].kind, "the value");
    map(handle, name, tensors, 1, 0, 0.3,
        [=]<class T>(const T *const *, T *out, Size n) { std::fill_n(out, n, static_cast<T>(number)); });
  });
}

cudnnStatus_t cudnnCreateOpTensorDescriptor(cudnnOpTensorDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyOpTensorDescriptor(cudnnOpTensorDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor, cudnnOpTensorOp_t operation,
                                         cudnnDataType_t compute, cudnnNanPropagation_t nan) {
  return guarded(__func__, [&] {
    need(operation >= CUDNN_OP_TENSOR_ADD && operation <= CUDNN_OP_TENSOR_NOT, "there is no such operation");
    need(compute == CUDNN_DATA_FLOAT || compute == CUDNN_DATA_DOUBLE, "the computation is of neither float nor double");
    need(nan == CUDNN_NOT_PROPAGATE_NAN || nan == CUDNN_PROPAGATE_NAN, "there is no such way to treat NaN");
    object_of(descriptor, "the descriptor") = {operation, compute, nan};
  });
}
cudnnStatus_t cudnnGetOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor, cudnnOpTensorOp_t *operation,
                                         cudnnDataType_t *compute, cudnnNanPropagation_t *nan) {
  return guarded(__func__, [&] {
    const cudnnOpTensorStruct &from = object_of(descriptor, "the descriptor");
    need(operation != nullptr && compute != nullptr && nan != nullptr, "a pointer to a result is null");
    *operation = from.operation;
    *compute = from.compute;
    *nan = from.nan;
  });
}
cudnnStatus_t cudnnOpTensor(cudnnHandle_t handle, cudnnOpTensorDescriptor_t descriptor, const void *alpha1,
                            cudnnTensorDescriptor_t a_desc, const void *a, const void *alpha2,
                            cudnnTensorDescriptor_t b_desc, const void *b, const void *beta,
                            cudnnTensorDescriptor_t c_desc, void *c) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnOpTensorStruct from = object_of(descriptor, "the operation's descriptor");
    const Data to(c_desc, c, "c"), first(a_desc, a, "a");
    const bool unary = from.operation == CUDNN_OP_TENSOR_SQRT || from.operation == CUDNN_OP_TENSOR_NOT;
    const std::array tensors = {to, first, unary ? first : Data(b_desc, b, "b").spread(to.layout, "b")};
    need_alike(tensors);
    const double scale1 = factor(alpha1, to.kind, "alpha1"), scale2 = unary ? 1 : factor(alpha2, to.kind, "alpha2");
    const bool keeps_nan = from.nan == CUDNN_PROPAGATE_NAN;
    map(handle, name, tensors, 1, factor(beta, to.kind, "beta"), 1, [=]<class T>(const T *const *in, T *out, Size n) {
      const T s1 = static_cast<T>(scale1), s2 = static_cast<T>(scale2);
      each_number(out, n, [&](Size i) { return combine(from.operation, keeps_nan, s1 * in[0][i], s2 * in[1][i]); });
    });
  });
}

}  // extern "C"
#pragma GCC visibility pop

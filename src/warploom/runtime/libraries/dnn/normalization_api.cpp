// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's functions for batch normalization, under both of their names.
#include "normalization.h"

namespace warploom::dnn {
namespace {

struct Modes {
  bool by_channel;
  Extra extra;
};

Modes modes_of(cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops) {
  need(mode >= CUDNN_BATCHNORM_PER_ACTIVATION && mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT, "there is no such mode");
  need(ops >= CUDNN_BATCHNORM_OPS_BN && ops <= CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, "there is no such operation");
  return {mode != CUDNN_BATCHNORM_PER_ACTIVATION, static_cast<Extra>(ops)};
}
Modes modes_of(cudnnNormMode_t mode, cudnnNormOps_t ops, cudnnNormAlgo_t algorithm, int groups) {
  need(mode == CUDNN_NORM_PER_ACTIVATION || mode == CUDNN_NORM_PER_CHANNEL, "there is no such mode");
  need(ops >= CUDNN_NORM_OPS_NORM && ops <= CUDNN_NORM_OPS_NORM_ADD_ACTIVATION, "there is no such operation");
  need(algorithm == CUDNN_NORM_ALGO_STANDARD || algorithm == CUDNN_NORM_ALGO_PERSIST, "there is no such algorithm");
  need(groups == 1, "the number of groups is not 1");
  return {mode == CUDNN_NORM_PER_CHANNEL, static_cast<Extra>(ops)};
}

void need_curve(Extra extra, cudnnActivationDescriptor_t descriptor) {
  if (extra == Extra::kNone) return;
  const cudnnActivationStruct &activation = object_of(descriptor, "the activation's descriptor");
  support(activation.mode == CUDNN_ACTIVATION_RELU, "an activation other than ReLU after a normalization");
}

// The parameters' extents that a tensor needs.
void derive(Layout &to, const Layout &x, bool by_channel) {
  need(x.rank >= 2, "x has less than two dimensions");
  Layout made;
  made.type = x.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  made.rank = x.rank;
  Size step = 1;
  for (int i = x.rank - 1; i >= 0; --i) {
    made.dims[i] = (by_channel ? i == 1 : i > 0) ? x.dims[i] : 1;
    made.strides[i] = step;
    step *= made.dims[i];
  }
  to = made;
}

void set_parameters(Normalization &n, cudnnTensorDescriptor_t descriptor) {
  const Layout &parameters = layout_of(descriptor, "the parameters' descriptor");
  Layout expected;
  derive(expected, n.x.layout, n.by_channel);
  need(parameters.has_dims_of(expected), "the parameters do not have the extents that x needs");
  need((parameters.type == CUDNN_DATA_DOUBLE) == (n.x.kind == Kind::kDouble), "the parameters' type does not fit x");
  n.parameters = parameters;
  n.parameter_kind = kind_of(parameters.type, "the parameters");
}

Parameter parameter(const void *data, const char *what) {
  need(data != nullptr, std::string(what) + " is null");
  return {const_cast<void *>(data)};
}
Parameter optional(const void *data) { return {const_cast<void *>(data)}; }

Normalization normalization_of(const Modes &modes, const void *alpha, const void *beta, const Data &x, const Data &y,
                               cudnnTensorDescriptor_t parameters, double epsilon) {
  need_alike(std::array{x, y});
  need(epsilon >= CUDNN_BN_MIN_EPSILON, "epsilon is too small");
  Normalization n = {};
  n.by_channel = modes.by_channel;
  n.extra = modes.extra;
  n.alpha = factor(alpha, x.kind, "alpha");
  n.beta = factor(beta, x.kind, "beta");
  n.epsilon = epsilon;
  n.x = x;
  n.y = y;
  set_parameters(n, parameters);
  return n;
}
void set_addend(Normalization &n, cudnnTensorDescriptor_t z_desc, const void *z) {
  if (n.extra != Extra::kAddAndCurve) return;
  n.z = Data(z_desc, z, "z");
  need_alike(std::array{n.x, n.z});
}
double time_of(const Normalization &n) { return 6 * static_cast<double>(n.x.layout.count()) + 300; }

struct Running {
  double factor;
  void *mean, *variance, *saved_mean, *saved_inverse;
};
void train(cudnnHandle_t handle, const char *name, Normalization n, const void *scale, const void *bias,
           const Running &running) {
  n.scale = parameter(scale, "the scale");
  n.bias = parameter(bias, "the bias");
  need((running.mean == nullptr) == (running.variance == nullptr), "one of the running mean and variance is null");
  need((running.saved_mean == nullptr) == (running.saved_inverse == nullptr), "one of the saved numbers is null");
  n.average_factor = running.factor;
  n.mean = optional(running.mean);
  n.variance = optional(running.variance);
  n.saved_mean = optional(running.saved_mean);
  n.saved_inverse = optional(running.saved_inverse);
  run(handle, name, time_of(n), [=] { normalize_in_training(n); });
}

void infer(cudnnHandle_t handle, const char *name, Normalization n, const void *scale, const void *bias,
           const void *mean, const void *variance) {
  n.scale = parameter(scale, "the scale");
  n.bias = parameter(bias, "the bias");
  n.mean = parameter(mean, "the mean");
  n.variance = parameter(variance, "the variance");
  run(handle, name, time_of(n) / 2, [=] { normalize_by_given(n); });
}

struct Factors {
  const void *alpha_data, *beta_data, *alpha_parameters, *beta_parameters;
};
struct Pair {
  cudnnTensorDescriptor_t descriptor;
  const void *data;
};
struct Gradients {
  Pair x, y, dy, dz, dx;
  const void *scale, *saved_mean, *saved_inverse;
  void *scale_gradient, *bias_gradient;
};
void differentiate(cudnnHandle_t handle, const char *name, const Modes &modes, const Factors &factors,
                   const Gradients &from, cudnnTensorDescriptor_t parameters, double epsilon) {
  const Data x(from.x.descriptor, from.x.data, "x");
  NormalizationGradient g = {};
  g.forward = normalization_of(modes, factors.alpha_data, factors.beta_data, x, x, parameters, epsilon);
  g.dy = Data(from.dy.descriptor, from.dy.data, "dy");
  g.dx = Data(from.dx.descriptor, from.dx.data, "dx");
  need_alike(std::array{x, g.dy, g.dx});
  if (modes.extra != Extra::kNone) {
    g.forward.y = Data(from.y.descriptor, from.y.data, "y");
    need_alike(std::array{x, g.forward.y});
  }
  if (modes.extra == Extra::kAddAndCurve) {
    g.dz = Data(from.dz.descriptor, from.dz.data, "dz");
    need_alike(std::array{x, g.dz});
  }
  g.forward.scale = parameter(from.scale, "the scale");
  need((from.saved_mean == nullptr) == (from.saved_inverse == nullptr), "one of the saved numbers is null");
  g.forward.saved_mean = optional(from.saved_mean);
  g.forward.saved_inverse = optional(from.saved_inverse);
  g.scale_gradient = parameter(from.scale_gradient, "the scale's gradient");
  g.bias_gradient = parameter(from.bias_gradient, "the bias's gradient");
  g.alpha_data = g.forward.alpha;
  g.beta_data = g.forward.beta;
  g.alpha_parameters = factor(factors.alpha_parameters, x.kind, "alpha for the parameters");
  g.beta_parameters = factor(factors.beta_parameters, x.kind, "beta for the parameters");
  run(handle, name, 2 * time_of(g.forward), [=] { normalize_back(g); });
}

// Work areas are the library's own, and ReLU's gradient is taken from y.
cudnnStatus_t give_no_size(const char *function, cudnnHandle_t handle, size_t *size) {
  return guarded(function, [&] {
    object_of(handle, "the handle");
    need(size != nullptr, "the pointer to the size is null");
    *size = 0;
  });
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;
using Tensor = cudnnTensorDescriptor_t;
using Activation = cudnnActivationDescriptor_t;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnDeriveBNTensorDescriptor(Tensor derived, Tensor x_desc, cudnnBatchNormMode_t mode) {
  return guarded(__func__, [&] {
    const Modes modes = modes_of(mode, CUDNN_BATCHNORM_OPS_BN);
    derive(object_of(derived, "the derived descriptor"), layout_of(x_desc, "x's descriptor"), modes.by_channel);
  });
}
cudnnStatus_t cudnnDeriveNormTensorDescriptor(Tensor scale_bias, Tensor mean_variance, Tensor x_desc,
                                              cudnnNormMode_t mode, int groups) {
  return guarded(__func__, [&] {
    const Modes modes = modes_of(mode, CUDNN_NORM_OPS_NORM, CUDNN_NORM_ALGO_STANDARD, groups);
    const Layout &x = layout_of(x_desc, "x's descriptor");
    derive(object_of(scale_bias, "the derived descriptor"), x, modes.by_channel);
    derive(object_of(mean_variance, "the derived descriptor"), x, modes.by_channel);
  });
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(cudnnHandle_t handle, cudnnBatchNormMode_t mode,
                                                      const void *alpha, const void *beta, Tensor x_desc, const void *x,
                                                      Tensor y_desc, void *y, Tensor parameters, const void *scale,
                                                      const void *bias, const void *mean, const void *variance,
                                                      double epsilon) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, CUDNN_BATCHNORM_OPS_BN);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    const Normalization n = normalization_of(modes, alpha, beta, from, to, parameters, epsilon);
    infer(handle, name, n, scale, bias, mean, variance);
  });
}
cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
                                                     const void *beta, Tensor x_desc, const void *x, Tensor y_desc,
                                                     void *y, Tensor parameters, const void *scale, const void *bias,
                                                     double average_factor, void *running_mean, void *running_variance,
                                                     double epsilon, void *saved_mean, void *saved_inverse) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, CUDNN_BATCHNORM_OPS_BN);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    const Normalization n = normalization_of(modes, alpha, beta, from, to, parameters, epsilon);
    train(handle, name, n, scale, bias, {average_factor, running_mean, running_variance, saved_mean, saved_inverse});
  });
}
cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const void *alpha, const void *beta,
    Tensor x_desc, const void *x, Tensor z_desc, const void *z, Tensor y_desc, void *y, Tensor parameters,
    const void *scale, const void *bias, double average_factor, void *running_mean, void *running_variance,
    double epsilon, void *saved_mean, void *saved_inverse, Activation activation, void *, size_t, void *, size_t) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, ops);
    need_curve(modes.extra, activation);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    Normalization n = normalization_of(modes, alpha, beta, from, to, parameters, epsilon);
    set_addend(n, z_desc, z);
    train(handle, name, n, scale, bias, {average_factor, running_mean, running_variance, saved_mean, saved_inverse});
  });
}
cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha_data,
                                              const void *beta_data, const void *alpha_parameters,
                                              const void *beta_parameters, Tensor x_desc, const void *x, Tensor dy_desc,
                                              const void *dy, Tensor dx_desc, void *dx, Tensor parameters,
                                              const void *scale, void *scale_gradient, void *bias_gradient,
                                              double epsilon, const void *saved_mean, const void *saved_inverse) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Gradients from = {{x_desc, x},    {},           {dy_desc, dy}, {},
                            {dx_desc, dx},  scale,        saved_mean,    saved_inverse,
                            scale_gradient, bias_gradient};
    differentiate(handle, name, modes_of(mode, CUDNN_BATCHNORM_OPS_BN),
                  {alpha_data, beta_data, alpha_parameters, beta_parameters}, from, parameters, epsilon);
  });
}
cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops, const void *alpha_data,
    const void *beta_data, const void *alpha_parameters, const void *beta_parameters, Tensor x_desc, const void *x,
    Tensor y_desc, const void *y, Tensor dy_desc, const void *dy, Tensor dz_desc, void *dz, Tensor dx_desc, void *dx,
    Tensor parameters, const void *scale, const void *, void *scale_gradient, void *bias_gradient, double epsilon,
    const void *saved_mean, const void *saved_inverse, Activation activation, void *, size_t, void *, size_t) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, ops);
    need_curve(modes.extra, activation);
    const Gradients from = {{x_desc, x}, {y_desc, y}, {dy_desc, dy}, {dz_desc, dz},  {dx_desc, dx},
                            scale,       saved_mean,  saved_inverse, scale_gradient, bias_gradient};
    differentiate(handle, name, modes, {alpha_data, beta_data, alpha_parameters, beta_parameters}, from, parameters,
                  epsilon);
  });
}

cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(cudnnHandle_t handle, cudnnBatchNormMode_t,
                                                                       cudnnBatchNormOps_t, Tensor, Tensor, Tensor,
                                                                       Tensor, Activation, size_t *size) {
  return give_no_size(__func__, handle, size);
}
cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(cudnnHandle_t handle, cudnnBatchNormMode_t,
                                                                cudnnBatchNormOps_t, Tensor, Tensor, Tensor, Tensor,
                                                                Tensor, Tensor, Activation, size_t *size) {
  return give_no_size(__func__, handle, size);
}
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t handle, cudnnBatchNormMode_t,
                                                                   cudnnBatchNormOps_t, Activation, Tensor,
                                                                   size_t *size) {
  return give_no_size(__func__, handle, size);
}
cudnnStatus_t cudnnGetNormalizationForwardTrainingWorkspaceSize(cudnnHandle_t handle, cudnnNormMode_t, cudnnNormOps_t,
                                                                cudnnNormAlgo_t, Tensor, Tensor, Tensor, Tensor,
                                                                Activation, Tensor, size_t *size, int) {
  return give_no_size(__func__, handle, size);
}
cudnnStatus_t cudnnGetNormalizationBackwardWorkspaceSize(cudnnHandle_t handle, cudnnNormMode_t, cudnnNormOps_t,
                                                         cudnnNormAlgo_t, Tensor, Tensor, Tensor, Tensor, Tensor,
                                                         Tensor, Activation, Tensor, size_t *size, int) {
  return give_no_size(__func__, handle, size);
}
cudnnStatus_t cudnnGetNormalizationTrainingReserveSpaceSize(cudnnHandle_t handle, cudnnNormMode_t, cudnnNormOps_t,
                                                            cudnnNormAlgo_t, Activation, Tensor, size_t *size, int) {
  return give_no_size(__func__, handle, size);
}

cudnnStatus_t cudnnNormalizationForwardInference(cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t ops,
                                                 cudnnNormAlgo_t algorithm, const void *alpha, const void *beta,
                                                 Tensor x_desc, const void *x, Tensor parameters, const void *scale,
                                                 const void *bias, Tensor, const void *mean, const void *variance,
                                                 Tensor z_desc, const void *z, Activation activation, Tensor y_desc,
                                                 void *y, double epsilon, int groups) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, ops, algorithm, groups);
    need_curve(modes.extra, activation);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    Normalization n = normalization_of(modes, alpha, beta, from, to, parameters, epsilon);
    set_addend(n, z_desc, z);
    infer(handle, name, n, scale, bias, mean, variance);
  });
}
cudnnStatus_t cudnnNormalizationForwardTraining(cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t ops,
                                                cudnnNormAlgo_t algorithm, const void *alpha, const void *beta,
                                                Tensor x_desc, const void *x, Tensor parameters, const void *scale,
                                                const void *bias, double average_factor, Tensor, void *running_mean,
                                                void *running_variance, double epsilon, void *saved_mean,
                                                void *saved_inverse, Activation activation, Tensor z_desc,
                                                const void *z, Tensor y_desc, void *y, void *, size_t, void *, size_t,
                                                int groups) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, ops, algorithm, groups);
    need_curve(modes.extra, activation);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    Normalization n = normalization_of(modes, alpha, beta, from, to, parameters, epsilon);
    set_addend(n, z_desc, z);
    train(handle, name, n, scale, bias, {average_factor, running_mean, running_variance, saved_mean, saved_inverse});
  });
}
cudnnStatus_t cudnnNormalizationBackward(cudnnHandle_t handle, cudnnNormMode_t mode, cudnnNormOps_t ops,
                                         cudnnNormAlgo_t algorithm, const void *alpha_data, const void *beta_data,
                                         const void *alpha_parameters, const void *beta_parameters, Tensor x_desc,
                                         const void *x, Tensor y_desc, const void *y, Tensor dy_desc, const void *dy,
                                         Tensor dz_desc, void *dz, Tensor dx_desc, void *dx, Tensor parameters,
                                         const void *scale, const void *, void *scale_gradient, void *bias_gradient,
                                         double epsilon, Tensor, const void *saved_mean, const void *saved_inverse,
                                         Activation activation, void *, size_t, void *, size_t, int groups) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const Modes modes = modes_of(mode, ops, algorithm, groups);
    need_curve(modes.extra, activation);
    const Gradients from = {{x_desc, x}, {y_desc, y}, {dy_desc, dy}, {dz_desc, dz},  {dx_desc, dx},
                            scale,       saved_mean,  saved_inverse, scale_gradient, bias_gradient};
    differentiate(handle, name, modes, {alpha_data, beta_data, alpha_parameters, beta_parameters}, from, parameters,
                  epsilon);
  });
}

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch normalization: each channel (or each element of an image) of a batch gets mean 0 and variance 1, then a scale
// and a bias.
#pragma once

#include "groups.h"

namespace warploom::dnn {

enum class Extra : int { kNone, kCurve, kAddAndCurve };  // what follows: ReLU, or z is added and then ReLU

// A parameter of each group; `layout` is of all parameters.
struct Parameter {
  void *data = nullptr;
};

struct Normalization {
  bool by_channel;
  Extra extra;
  double alpha, beta, epsilon;
  Data x, y, z;
  Layout parameters;
  Kind parameter_kind;
  Parameter scale, bias, mean, variance;  // means and variances: given (inference), or running ones, may be null
  Parameter saved_mean, saved_inverse;    // null: not wanted
  double average_factor;

  Groups groups() const {
    const bool channels = by_channel;
    return {x.layout, [channels](int axis) { return channels ? axis != 1 : axis == 0; }};
  }
};
void normalize_by_given(const Normalization &n);
void normalize_in_training(const Normalization &n);

struct NormalizationGradient {
  Normalization forward;  // x, y (for ReLU), scale, saved numbers (or null)
  Data dy, dx, dz;
  double alpha_data, beta_data, alpha_parameters, beta_parameters;
  Parameter scale_gradient, bias_gradient;
};
void normalize_back(const NormalizationGradient &g);

}  // namespace warploom::dnn

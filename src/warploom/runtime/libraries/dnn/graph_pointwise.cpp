// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of graphs on each element. An operand's dimension of extent 1 stands for all of the result's.
#include <cmath>
#include <limits>

#include "graph.h"
#include "maps.h"

namespace warploom::dnn {
namespace {

template <class T, class Each>
void each_number(T *result, Size count, const Each &each) {
  for (Size i = 0; i < count; ++i) result[i] = static_cast<T>(each(i));
}

template <class T>
T tanh_curve(T x) {
  constexpr T kRoot = static_cast<T>(0.7978845608028654);  // of 2 / pi
  return x / 2 * (1 + std::tanh(kRoot * (x + static_cast<T>(0.044715) * x * x * x)));
}
// Both curves of ReLU keep what is no number.
template <class T>
T clipped(T x, const Pointwise &p) {
  const T lower = static_cast<T>(p.lower), upper = static_cast<T>(p.upper);
  return x < lower ? lower + static_cast<T>(p.slope) * (x - lower) : x > upper ? upper : x;
}
template <class T>
T softplus(T x, T beta) {
  const T scaled = beta * x;
  return (scaled > 0 ? scaled + std::log1p(std::exp(-scaled)) : std::log1p(std::exp(scaled))) / beta;
}
template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
bool one_operand(const Pointwise &p, const T *x, T *y, Size n) {
  const auto each = [&](auto &&f) { return each_number(y, n, [&](Size i) { return f(x[i]); }), true; };
  switch (p.mode) {
    case CUDNN_POINTWISE_IDENTITY:
      return each([](T v) { return v; });
    case CUDNN_POINTWISE_ABS:
      return each([](T v) { return std::abs(v); });
    case CUDNN_POINTWISE_CEIL:
      return each([](T v) { return std::ceil(v); });
    case CUDNN_POINTWISE_FLOOR:
      return each([](T v) { return std::floor(v); });
    case CUDNN_POINTWISE_COS:
      return each([](T v) { return std::cos(v); });
    case CUDNN_POINTWISE_SIN:
      return each([](T v) { return std::sin(v); });
    case CUDNN_POINTWISE_TAN:
      return each([](T v) { return std::tan(v); });
    case CUDNN_POINTWISE_EXP:
      return each([](T v) { return std::exp(v); });
    case CUDNN_POINTWISE_LOG:
      return each([](T v) { return std::log(v); });
    case CUDNN_POINTWISE_NEG:
      return each([](T v) { return -v; });
    case CUDNN_POINTWISE_SQRT:
      return each([](T v) { return std::sqrt(v); });
    case CUDNN_POINTWISE_RSQRT:
      return each([](T v) { return 1 / std::sqrt(v); });
    case CUDNN_POINTWISE_RECIPROCAL:
      return each([](T v) { return 1 / v; });
    case CUDNN_POINTWISE_ERF:
      return each([](T v) { return std::erf(v); });
    case CUDNN_POINTWISE_RELU_FWD:
      return each([&](T v) { return clipped(v, p); });
    case CUDNN_POINTWISE_TANH_FWD:
      return each([](T v) { return std::tanh(v); });
    case CUDNN_POINTWISE_SIGMOID_FWD:
      return each([](T v) { return sigmoid(v); });
    case CUDNN_POINTWISE_ELU_FWD:
      return each([&](T v) { return v > 0 ? v : static_cast<T>(p.elu) * std::expm1(v); });
    case CUDNN_POINTWISE_GELU_FWD:
      return each([](T v) { return v / 2 * (1 + std::erf(v * static_cast<T>(0.7071067811865476))); });
    case CUDNN_POINTWISE_GELU_APPROX_TANH_FWD:
      return each([](T v) { return tanh_curve(v); });
    case CUDNN_POINTWISE_SOFTPLUS_FWD:
      return each([&](T v) { return softplus(v, static_cast<T>(p.softplus)); });
    case CUDNN_POINTWISE_SWISH_FWD:
      return each([&](T v) { return v * sigmoid(static_cast<T>(p.swish) * v); });
    default:
      return false;
  }
}

template <class T>
bool two_operands(const Pointwise &p, const T *x, const T *b, T *y, Size n) {
  const auto each = [&](auto &&f) { return each_number(y, n, [&](Size i) { return f(x[i], b[i]); }), true; };
  switch (p.mode) {
    case CUDNN_POINTWISE_ADD:
      return each([](T v, T w) { return v + w; });
    case CUDNN_POINTWISE_ADD_SQUARE:
      return each([](T v, T w) { return v + w * w; });
    case CUDNN_POINTWISE_SUB:
      return each([](T v, T w) { return v - w; });
    case CUDNN_POINTWISE_MUL:
      return each([](T v, T w) { return v * w; });
    case CUDNN_POINTWISE_DIV:
      return each([](T v, T w) { return v / w; });
    case CUDNN_POINTWISE_MIN:
      return each([](T v, T w) { return v != v || v < w ? v : w; });
    case CUDNN_POINTWISE_MAX:
      return each([](T v, T w) { return v != v || v > w ? v : w; });
    case CUDNN_POINTWISE_MOD:
      return each([](T v, T w) { return std::fmod(v, w); });
    case CUDNN_POINTWISE_POW:
      return each([](T v, T w) { return std::pow(v, w); });
    case CUDNN_POINTWISE_ATAN2:
      return each([](T v, T w) { return std::atan2(v, w); });
    default:
      return false;
  }
}

Data data_of(const Tensor &tensor, const void *data) {
  Data made;
  made.layout = tensor.layout;
  made.kind = kind_of(tensor.layout.type, "a tensor");
  made.data = const_cast<void *>(data);
  return made;
}

template <class T>
void scale(double factor, const T *from, T *to, Size n) {
  const T by = static_cast<T>(factor);
  for (Size i = 0; i < n; ++i) to[i] = by == 1 ? from[i] : by * from[i];
}

template <class T>
void apply_as(const Pointwise &p, const Data &y, const Data &x, const Data *b) {
  constexpr double kEach = 2;
  if (b == nullptr) {
    map_as<T, 2>({y, x}, 1, 0, kEach, [&](const T *const *in, T *out, Size n) {
      T own[kLine];
      scale(p.alpha1, in[0], own, n);
      one_operand(p, own, out, n);
    });
  } else {
    map_as<T, 3>({y, x, *b}, 1, 0, kEach, [&](const T *const *in, T *out, Size n) {
      T first[kLine], second[kLine];
      scale(p.alpha1, in[0], first, n);
      scale(p.alpha2, in[1], second, n);
      two_operands(p, first, second, out, n);
    });
  }
}

}  // namespace

bool takes_two(cudnnPointwiseMode_t mode) {
  Pointwise p{};
  p.mode = mode;
  const float nothing = 0;
  float result = 0;
  const bool is_two = two_operands(p, &nothing, &nothing, &result, 0);
  support(is_two || one_operand(p, &nothing, &result, 0), "this operation on each element");
  return is_two;
}

void apply(const Pointwise &what, const Tensor &x, const void *x_data, const Tensor *b, const void *b_data,
           const Tensor &y, void *y_data) {
  const Data result = data_of(y, y_data), left = data_of(x, x_data).spread(y.layout, "an operand");
  const Data right = b == nullptr ? Data() : data_of(*b, b_data).spread(y.layout, "an operand");
  if (result.kind == Kind::kDouble) {
    apply_as<double>(what, result, left, b == nullptr ? nullptr : &right);
  } else {
    apply_as<float>(what, result, left, b == nullptr ? nullptr : &right);
  }
}

}  // namespace warploom::dnn

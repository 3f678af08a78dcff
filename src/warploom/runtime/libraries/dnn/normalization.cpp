// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "normalization.h"

#include <cmath>
#include <vector>

namespace warploom::dnn {
namespace {

constexpr double kEach = 3;  // nanoseconds for a number

// Sums in double, eight at a time, in an order that follows from the number of terms.
struct Sum {
  double parts[8] = {};

  template <class Term>
  void add(Size count, const Term &term) {
    Size i = 0;
    for (; i + 8 <= count; i += 8) {
      for (int lane = 0; lane < 8; ++lane) parts[lane] += term(i + lane);
    }
    for (int lane = 0; i < count; ++i, ++lane) parts[lane] += term(i);
  }
  double total() const {
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
  }
};

double get(const Normalization &n, const Parameter &parameter, Size offset) {
  Data data;
  data.data = parameter.data;
  data.kind = n.parameter_kind;
  return read_number(data, offset);
}
void put(const Normalization &n, const Parameter &parameter, Size offset, double value) {
  if (parameter.data == nullptr) return;
  Data data;
  data.data = parameter.data;
  data.kind = n.parameter_kind;
  write_number(data, offset, value);
}

struct Moments {
  double mean, variance;
};
template <class T>
Moments moments_of(const Groups &groups, const Data &x, Size group) {
  T line[kLine];
  const double count = static_cast<double>(groups.size());
  Sum sum, squares;
  groups.lines(x.layout, group, [&](Size, Size offset, Size step, Size length) {
    line_kernels<T>().read(x.kind, x.at(offset), step, length, line);
    sum.add(length, [&](Size i) { return static_cast<double>(line[i]); });
  });
  const double mean = sum.total() / count;
  groups.lines(x.layout, group, [&](Size, Size offset, Size step, Size length) {
    line_kernels<T>().read(x.kind, x.at(offset), step, length, line);
    squares.add(length, [&](Size i) {
      const double d = static_cast<double>(line[i]) - mean;
      return d * d;
    });
  });
  return {mean, squares.total() / count};
}

// y = (x - mean) factor + addend, and what follows, for a group.
template <class T>
void apply(const Normalization &n, const Groups &groups, Size group, double mean, double factor, double addend) {
  std::vector<T> x(static_cast<std::size_t>(groups.size())), z, old;
  read_group(groups, n.x, group, x.data());
  const T middle = static_cast<T>(mean), scale = static_cast<T>(factor), bias = static_cast<T>(addend);
  for (T &value : x) value = (value - middle) * scale + bias;
  if (n.extra == Extra::kAddAndCurve) {
    z.resize(x.size());
    read_group(groups, n.z, group, z.data());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += z[i];
  }
  if (n.extra != Extra::kNone) {
    for (T &value : x) value = value < 0 ? T(0) : value;
  }
  if (n.alpha != 1) {
    for (T &value : x) value *= static_cast<T>(n.alpha);
  }
  if (n.beta != 0) {
    old.resize(x.size());
    read_group(groups, n.y, group, old.data());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += static_cast<T>(n.beta) * old[i];
  }
  write_group(groups, n.y, group, x.data());
}

template <class T>
void by_given(const Normalization &n) {
  const Groups groups = n.groups();
  groups.tiles(kEach, [&](Size first, Size last) {
    for (Size group = first; group < last; ++group) {
      const Size at = groups.start(n.parameters, group);
      const double factor = get(n, n.scale, at) / std::sqrt(get(n, n.variance, at) + n.epsilon);
      apply<T>(n, groups, group, get(n, n.mean, at), factor, get(n, n.bias, at));
    }
  });
}

template <class T>
void in_training(const Normalization &n) {
  const Groups groups = n.groups();
  const double count = static_cast<double>(groups.size());
  groups.tiles(2 * kEach, [&](Size first, Size last) {
    for (Size group = first; group < last; ++group) {
      const Size at = groups.start(n.parameters, group);
      const Moments found = moments_of<T>(groups, n.x, group);
      const double inverse = 1 / std::sqrt(found.variance + n.epsilon), factor = get(n, n.scale, at) * inverse;
      apply<T>(n, groups, group, found.mean, factor, get(n, n.bias, at));
      put(n, n.saved_mean, at, found.mean);
      put(n, n.saved_inverse, at, inverse);
      if (n.mean.data == nullptr) continue;
      const double fresh = n.average_factor, keep = 1 - fresh;
      const double unbiased = found.variance * count / (count - 1);  // of one number not a number, as on GPUs
      // What is not to count is not read: the first call may find anything there.
      put(n, n.mean, at, fresh * found.mean + (keep != 0 ? keep * get(n, n.mean, at) : 0));
      put(n, n.variance, at, fresh * unbiased + (keep != 0 ? keep * get(n, n.variance, at) : 0));
    }
  });
}

template <class T>
void blend(const Groups &groups, const Data &to, Size group, double alpha, double beta, std::vector<T> &values) {
  for (T &value : values) value *= static_cast<T>(alpha);
  if (beta != 0) {
    std::vector<T> old(values.size());
    read_group(groups, to, group, old.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<T>(beta) * old[i];
  }
  write_group(groups, to, group, values.data());
}

void put_gradient(const NormalizationGradient &g, const Parameter &parameter, Size at, double value) {
  const double old = g.beta_parameters != 0 ? g.beta_parameters * get(g.forward, parameter, at) : 0;
  put(g.forward, parameter, at, g.alpha_parameters * value + old);
}

template <class T>
void back_of_group(const NormalizationGradient &g, const Groups &groups, Size group) {
  const Normalization &n = g.forward;
  const auto size = static_cast<std::size_t>(groups.size());
  const Size at = groups.start(n.parameters, group);
  std::vector<T> x(size), dy(size);
  read_group(groups, n.x, group, x.data());
  read_group(groups, g.dy, group, dy.data());
  if (n.extra != Extra::kNone) {
    std::vector<T> y(size);
    read_group(groups, n.y, group, y.data());
    for (std::size_t i = 0; i < size; ++i) dy[i] = y[i] > 0 ? dy[i] : T(0);
    if (n.extra == Extra::kAddAndCurve) write_group(groups, g.dz, group, dy.data());
  }
  const bool saved = n.saved_mean.data != nullptr;
  const Moments found = saved ? Moments{get(n, n.saved_mean, at), 0} : moments_of<T>(groups, n.x, group);
  const double inverse = saved ? get(n, n.saved_inverse, at) : 1 / std::sqrt(found.variance + n.epsilon);
  Sum sum, products;
  sum.add(groups.size(), [&](Size i) { return static_cast<double>(dy[static_cast<std::size_t>(i)]); });
  products.add(groups.size(), [&](Size i) {
    const auto k = static_cast<std::size_t>(i);
    return static_cast<double>(dy[k]) * ((static_cast<double>(x[k]) - found.mean) * inverse);
  });
  const double bias = sum.total(), scale = products.total(), count = static_cast<double>(size);
  const double factor = get(n, n.scale, at) * inverse;
  for (std::size_t i = 0; i < size; ++i) {
    const double normal = (static_cast<double>(x[i]) - found.mean) * inverse;
    x[i] = static_cast<T>(factor * (static_cast<double>(dy[i]) - (bias + normal * scale) / count));
  }
  blend(groups, g.dx, group, g.alpha_data, g.beta_data, x);
  put_gradient(g, g.scale_gradient, at, scale);
  put_gradient(g, g.bias_gradient, at, bias);
}

template <class T>
void back(const NormalizationGradient &g) {
  const Groups groups = g.forward.groups();
  groups.tiles(2 * kEach, [&](Size first, Size last) {
    for (Size group = first; group < last; ++group) back_of_group<T>(g, groups, group);
  });
}

}  // namespace

void normalize_by_given(const Normalization &n) {
  return n.x.kind == Kind::kDouble ? by_given<double>(n) : by_given<float>(n);
}
void normalize_in_training(const Normalization &n) {
  return n.x.kind == Kind::kDouble ? in_training<double>(n) : in_training<float>(n);
}
void normalize_back(const NormalizationGradient &g) {
  return g.forward.x.kind == Kind::kDouble ? back<double>(g) : back<float>(g);
}

}  // namespace warploom::dnn

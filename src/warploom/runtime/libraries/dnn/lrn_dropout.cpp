// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalization by the neighbouring channels, and dropout.
#include <cmath>
#include <vector>

#include "dropout.h"
#include "groups.h"

namespace warploom::dnn {
namespace {

struct Neighbours {
  unsigned n;
  double alpha, beta, k;

  // k + alpha / n sum of squares, for each channel; the window begins (n - 1) / 2 channels before.
  std::vector<double> scales(const std::vector<double> &x) const {
    const Size count = static_cast<Size>(x.size()), before = (static_cast<Size>(n) - 1) / 2;
    std::vector<double> result(x.size());
    for (Size c = 0; c < count; ++c) {
      double sum = 0;
      for (Size i = std::max<Size>(0, c - before); i < std::min(count, c - before + static_cast<Size>(n)); ++i) {
        sum += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
      }
      result[static_cast<std::size_t>(c)] = k + alpha / n * sum;
    }
    return result;
  }
};

Groups channels_of(const Layout &layout) {
  return {layout, [](int axis) { return axis == 1; }};
}

std::vector<double> read_channels(const Groups &groups, const Data &from, Size group) {
  std::vector<double> result(static_cast<std::size_t>(groups.size()));
  read_group(groups, from, group, result.data());
  return result;
}
void write_channels(const Groups &groups, const Data &to, Size group, double alpha, double beta,
                    std::vector<double> &values) {
  std::vector<double> old;
  if (beta != 0) old = read_channels(groups, to, group);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = alpha * values[i] + (beta != 0 ? beta * old[i] : 0);
  write_group(groups, to, group, values.data());
}

void normalize(const Neighbours &by, const Data &x, const Data &y, double alpha, double beta) {
  const Groups groups = channels_of(x.layout);
  groups.tiles(30, [&](Size first, Size last) {
    for (Size group = first; group < last; ++group) {
      std::vector<double> values = read_channels(groups, x, group);
      const std::vector<double> scales = by.scales(values);
      for (std::size_t c = 0; c < values.size(); ++c) values[c] *= std::pow(scales[c], -by.beta);
      write_channels(groups, y, group, alpha, beta, values);
    }
  });
}
void normalize_back(const Neighbours &by, const Data &x, const Data &dy, const Data &dx, double alpha, double beta) {
  const Groups groups = channels_of(x.layout);
  const Size before = (static_cast<Size>(by.n) - 1) / 2, after = static_cast<Size>(by.n) - 1 - before;
  groups.tiles(50, [&](Size first, Size last) {
    for (Size group = first; group < last; ++group) {
      const std::vector<double> values = read_channels(groups, x, group), errors = read_channels(groups, dy, group);
      const std::vector<double> scales = by.scales(values);
      std::vector<double> result(values.size());
      const Size count = static_cast<Size>(values.size());
      for (Size c = 0; c < count; ++c) {
        double sum = 0;  // over the channels in whose window c is
        for (Size i = std::max<Size>(0, c - after); i <= std::min(count - 1, c + before); ++i) {
          const auto j = static_cast<std::size_t>(i);
          sum += errors[j] * values[j] * std::pow(scales[j], -by.beta - 1);
        }
        const auto at = static_cast<std::size_t>(c);
        result[at] = errors[at] * std::pow(scales[at], -by.beta) - 2 * by.alpha * by.beta / by.n * values[at] * sum;
      }
      write_channels(groups, dx, group, alpha, beta, result);
    }
  });
}

// 24 random bits for number `index` of call `call`: a hash with good mixing of all its inputs.
std::uint32_t random_bits(std::uint64_t seed, std::uint64_t call, std::uint64_t index) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15U * (index + 1) + 0xd1b54a32d192ed03U * call;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 40);
}

// Keeps what the mask's bits say, and scales it; all numbers of a tensor are one group, in the order of dimensions.
void apply_mask(float rate, const std::uint8_t *mask, const Data &from, const Data &to) {
  const Groups groups(from.layout, [](int axis) { return axis > 0; });
  const double scale = dropout_scale(rate);
  groups.tiles(2, [&](Size first, Size last) {
    std::vector<double> values(static_cast<std::size_t>(groups.size()));
    for (Size group = first; group < last; ++group) {
      read_group(groups, from, group, values.data());
      for (Size i = 0; i < groups.size(); ++i) {
        const Size number = group * groups.size() + i;
        double &value = values[static_cast<std::size_t>(i)];
        value = is_kept(mask, number) ? value * scale : 0;
      }
      write_group(groups, to, group, values.data());
    }
  });
}

void set(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float rate, void *states, size_t size,
         unsigned long long seed) {
  object_of(handle, "the handle");
  cudnnDropoutStruct &to = object_of(descriptor, "the descriptor");
  need(rate >= 0 && rate <= 1, "the rate is not from 0 to 1");
  need(states == nullptr || size >= sizeof(DropoutState), "the memory for states is too small");
  to = {rate, states, seed};
}

}  // namespace

void make_mask(float rate, DropoutState *state, std::uint8_t *mask, Size count) {
  const DropoutState now = *state;
  ++state->calls;
  const auto threshold = static_cast<std::uint32_t>(std::ceil(static_cast<double>(rate) * 0x1p24));
  const auto tiles = static_cast<std::uint64_t>((count + 32767) / 32768);
  each_tile(tiles, 2 * static_cast<double>(count), [&](std::uint64_t tile) {
    const Size first = static_cast<Size>(tile) * 32768, last = std::min(count, first + 32768);
    for (Size i = first; i < last; i += 8) {
      unsigned bits = 0;
      for (Size j = i; j < std::min(last, i + 8); ++j) {
        const bool kept = random_bits(now.seed, now.calls, static_cast<std::uint64_t>(j)) >= threshold;
        bits |= (kept ? 1U : 0U) << (j - i);
      }
      mask[i / 8] = static_cast<std::uint8_t>(bits);
    }
  });
}

const cudnnDropoutStruct &set_dropout(cudnnDropoutDescriptor_t descriptor) {
  const cudnnDropoutStruct &result = object_of(descriptor, "the dropout's descriptor");
  need(result.states != nullptr, "the dropout's descriptor has no states");
  return result;
}

}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t descriptor, unsigned n, double alpha, double beta, double k) {
  return guarded(__func__, [&] {
    need(n >= CUDNN_LRN_MIN_N && n <= CUDNN_LRN_MAX_N, "n is not from 1 to 16");
    need(k >= CUDNN_LRN_MIN_K && beta >= CUDNN_LRN_MIN_BETA, "k or beta is too small");
    object_of(descriptor, "the descriptor") = {n, alpha, beta, k};
  });
}
cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t descriptor, unsigned *n, double *alpha, double *beta,
                                    double *k) {
  return guarded(__func__, [&] {
    const cudnnLRNStruct &from = object_of(descriptor, "the descriptor");
    if (n != nullptr) *n = from.n;
    if (alpha != nullptr) *alpha = from.alpha;
    if (beta != nullptr) *beta = from.beta;
    if (k != nullptr) *k = from.k;
  });
}
cudnnStatus_t cudnnLRNCrossChannelForward(cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
                                          const void *alpha, cudnnTensorDescriptor_t x_desc, const void *x,
                                          const void *beta, cudnnTensorDescriptor_t y_desc, void *y) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1, "there is no such mode");
    const cudnnLRNStruct &by = object_of(descriptor, "the normalization's descriptor");
    const Neighbours neighbours = {by.n, by.alpha, by.beta, by.k};
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    need_alike(std::array{from, to});
    const double scale = factor(alpha, to.kind, "alpha"), keep = factor(beta, to.kind, "beta");
    run(handle, name, 30 * static_cast<double>(to.layout.count()),
        [=] { normalize(neighbours, from, to, scale, keep); });
  });
}
cudnnStatus_t cudnnLRNCrossChannelBackward(cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
                                           const void *alpha, cudnnTensorDescriptor_t y_desc, const void *y,
                                           cudnnTensorDescriptor_t dy_desc, const void *dy,
                                           cudnnTensorDescriptor_t x_desc, const void *x, const void *beta,
                                           cudnnTensorDescriptor_t dx_desc, void *dx) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1, "there is no such mode");
    const cudnnLRNStruct &by = object_of(descriptor, "the normalization's descriptor");
    const Neighbours neighbours = {by.n, by.alpha, by.beta, by.k};
    const Data from(x_desc, x, "x"), out(y_desc, y, "y"), errors(dy_desc, dy, "dy"), to(dx_desc, dx, "dx");
    need_alike(std::array{from, out, errors, to});
    const double scale = factor(alpha, to.kind, "alpha"), keep = factor(beta, to.kind, "beta");
    run(handle, name, 50 * static_cast<double>(to.layout.count()),
        [=] { normalize_back(neighbours, from, errors, to, scale, keep); });
  });
}

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    need(size != nullptr, "the pointer to the size is null");
    *size = sizeof(DropoutState);
  });
}
cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t x_desc, size_t *size) {
  return guarded(__func__, [&] {
    need(size != nullptr, "the pointer to the size is null");
    *size = mask_size(layout_of(x_desc, "the descriptor").count());
  });
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float rate,
                                        void *states, size_t size, unsigned long long seed) {
  const char *const name = __func__;
  return guarded(name, [&] {
    set(descriptor, handle, rate, states, size, seed);
    if (states == nullptr) return;
    run(handle, name, 100, [=] { *static_cast<DropoutState *>(states) = {seed, 0}; });
  });
}
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float rate,
                                            void *states, size_t size, unsigned long long seed) {
  return guarded(__func__, [&] { set(descriptor, handle, rate, states, size, seed); });
}
cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t handle, float *rate,
                                        void **states, unsigned long long *seed) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    const cudnnDropoutStruct &from = object_of(descriptor, "the descriptor");
    if (rate != nullptr) *rate = from.rate;
    if (states != nullptr) *states = from.states;
    if (seed != nullptr) *seed = from.seed;
  });
}
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle, cudnnDropoutDescriptor_t descriptor,
                                  cudnnTensorDescriptor_t x_desc, const void *x, cudnnTensorDescriptor_t y_desc,
                                  void *y, void *reserve, size_t reserve_size) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnDropoutStruct by = set_dropout(descriptor);
    const Data from(x_desc, x, "x"), to(y_desc, y, "y");
    need_alike(std::array{from, to});
    need(reserve != nullptr && reserve_size >= mask_size(from.layout.count()), "the reserve is null or too small");
    run(handle, name, 4 * static_cast<double>(from.layout.count()) + 200, [=] {
      auto *const mask = static_cast<std::uint8_t *>(reserve);
      make_mask(by.rate, static_cast<DropoutState *>(by.states), mask, from.layout.count());
      apply_mask(by.rate, mask, from, to);
    });
  });
}
cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle, cudnnDropoutDescriptor_t descriptor,
                                   cudnnTensorDescriptor_t dy_desc, const void *dy, cudnnTensorDescriptor_t dx_desc,
                                   void *dx, void *reserve, size_t reserve_size) {
  const char *const name = __func__;
  return guarded(name, [&] {
    const cudnnDropoutStruct by = object_of(descriptor, "the dropout's descriptor");
    const Data from(dy_desc, dy, "dy"), to(dx_desc, dx, "dx");
    need_alike(std::array{from, to});
    need(reserve != nullptr && reserve_size >= mask_size(from.layout.count()), "the reserve is null or too small");
    run(handle, name, 2 * static_cast<double>(from.layout.count()) + 200,
        [=] { apply_mask(by.rate, static_cast<const std::uint8_t *>(reserve), from, to); });
  });
}

}  // extern "C"
#pragma GCC visibility pop

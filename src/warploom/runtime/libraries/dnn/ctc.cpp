// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connectionist temporal classification (Graves et al. 2006): the cost of a sequence of labels under probabilities of
// letters at each time, and its gradient with respect to what the softmax is taken of, or to the probabilities. Letter
// 0 is the blank.
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "groups.h"

namespace warploom::dnn {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double add_logarithms(double a, double b) {
  const double most = std::max(a, b);
  return most == kNever ? kNever : most + std::log1p(std::exp(std::min(a, b) - most));
}

// One sequence: logarithms of probabilities by time and letter, and the labels with blanks around each.
class Alignment {
 public:
  Alignment(const std::vector<double> &logs, Size time, Size letters, const int *labels, int count)
      : logs_(logs), time_(time), letters_(letters), states_(2 * Size{count} + 1) {
    for (Size s = 0; s < states_; ++s) letters_of_.push_back(s % 2 == 0 ? 0 : labels[s / 2]);
    forward_ = walk([](Size t) { return t; }, [](Size s) { return s; });
    backward_ = walk([this](Size t) { return time_ - 1 - t; }, [this](Size s) { return states_ - 1 - s; });
  }
  // The logarithm of the probability of all alignments.
  double probability() const {
    if (time_ == 0) return states_ == 1 ? 0 : kNever;
    const double end = at(forward_, time_ - 1, states_ - 1);
    return states_ == 1 ? end : add_logarithms(end, at(forward_, time_ - 1, states_ - 2));
  }
  // to[letter] = probability of the letter - share of the alignments that have it at time t. `plain`: with respect to
  // the probabilities, share / -probability; where no alignment has the letter an H200 leaves its probability.
  void gradient(Size t, bool plain, double *to) const {
    std::vector<double> shares(static_cast<std::size_t>(letters_), kNever);
    for (Size s = 0; s < states_; ++s) {
      double &share = shares[static_cast<std::size_t>(letter(s))];
      share = add_logarithms(share, at(forward_, t, s) + at(backward_, t, s) - log(t, s));
    }
    for (Size k = 0; k < letters_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double log = logs_[static_cast<std::size_t>(t * letters_) + i], share = shares[i] - probability();
      to[k] = plain && shares[i] > kNever ? -std::exp(share - log) : std::exp(log) - std::exp(share);
    }
  }

 private:
  Size letter(Size s) const { return letters_of_[static_cast<std::size_t>(s)]; }
  double log(Size t, Size s) const { return logs_[static_cast<std::size_t>(t * letters_ + letter(s))]; }
  double at(const std::vector<double> &table, Size t, Size s) const {
    return table[static_cast<std::size_t>(t * states_ + s)];
  }
  // Probabilities of the part of an alignment up to each time and state, from the end that `time` and `state` say.
  template <class Time, class State>
  std::vector<double> walk(const Time &time, const State &state) const {
    std::vector<double> table(static_cast<std::size_t>(time_ * states_), kNever);
    for (Size t = 0; t < time_; ++t) {
      for (Size s = 0; s < states_; ++s) {
        double sum = t == 0 && s < 2 ? 0 : kNever;
        if (t > 0) {
          sum = at(table, time(t - 1), state(s));
          if (s > 0) sum = add_logarithms(sum, at(table, time(t - 1), state(s - 1)));
          const bool skips = s > 1 && letter(state(s)) != 0 && letter(state(s)) != letter(state(s - 2));
          if (skips) sum = add_logarithms(sum, at(table, time(t - 1), state(s - 2)));
        }
        table[static_cast<std::size_t>(time(t) * states_ + state(s))] = sum + log(time(t), state(s));
      }
    }
    return table;
  }
  const std::vector<double> &logs_;
  const Size time_, letters_, states_;
  std::vector<Size> letters_of_;
  std::vector<double> forward_, backward_;
};

struct Call {
  cudnnCTCLossStruct by;
  Data probabilities, gradients;  // time, sequences, letters; `gradients.data` may be null
  float *costs;

  // What the softmax of a time's letters is, by its logarithm.
  void read(Size t, Size n, double *logs) const {
    const Layout &layout = probabilities.layout;
    const Size letters = layout.dims[2];
    line_kernels<double>().read(probabilities.kind, probabilities.at(t * layout.strides[0] + n * layout.strides[1]),
                                layout.strides[2], letters, logs);
    if (by.normalization == CUDNN_LOSS_NORMALIZATION_NONE) {
      for (Size k = 0; k < letters; ++k) logs[k] = std::log(logs[k]);
      return;
    }
    const double most = *std::max_element(logs, logs + letters);
    double sum = 0;
    for (Size k = 0; k < letters; ++k) sum += std::exp(logs[k] - most);
    for (Size k = 0; k < letters; ++k) logs[k] -= most + std::log(sum);
  }
  void write(Size t, Size n, const double *values) const {
    const Layout &layout = gradients.layout;
    line_kernels<double>().write(gradients.kind, values, gradients.at(t * layout.strides[0] + n * layout.strides[1]),
                                 layout.strides[2], layout.dims[2]);
  }

  void sequence(Size n, const int *labels, int count, int time) const {
    const Size letters = probabilities.layout.dims[2], all = probabilities.layout.dims[0];
    std::vector<double> logs(static_cast<std::size_t>(time * letters));
    for (Size t = 0; t < time; ++t) read(t, n, logs.data() + t * letters);
    const Alignment alignment(logs, time, letters, labels, count);
    const bool possible = alignment.probability() > kNever;
    // As on an H200: labels that do not fit cost nothing, and the older setters' way to treat NaN is the newer one's
    // way to treat their gradients.
    costs[n] = possible ? static_cast<float>(-alignment.probability()) : 0;
    if (gradients.data == nullptr) return;
    if (!possible && (by.gradients == CUDNN_CTC_SKIP_OOB_GRADIENTS || by.nan == CUDNN_PROPAGATE_NAN)) return;
    std::vector<double> values(static_cast<std::size_t>(letters), 0);
    for (Size t = 0; t < all; ++t) {
      if (t >= time) std::fill(values.begin(), values.end(), 0);
      if (possible && t < time) {
        alignment.gradient(t, by.normalization == CUDNN_LOSS_NORMALIZATION_NONE, values.data());
      }
      write(t, n, values.data());
    }
  }
  void all(const int *labels, const int *counts, const int *times) const {
    const Size sequences = probabilities.layout.dims[1];
    std::vector<Size> starts = {0};
    for (Size n = 0; n < sequences; ++n) starts.push_back(starts.back() + counts[n]);
    each_tile(static_cast<std::uint64_t>(sequences), nanoseconds(), [&](std::uint64_t i) {
      const Size n = static_cast<Size>(i);
      sequence(n, labels + starts[i], counts[n], times[n]);
    });
  }
  double nanoseconds() const { return 200 * static_cast<double>(probabilities.layout.count()); }
};

Call call_of(cudnnCTCLossAlgo_t algorithm, cudnnCTCLossDescriptor_t descriptor, cudnnTensorDescriptor_t probs_desc,
             const void *probs, void *costs, cudnnTensorDescriptor_t gradients_desc, void *gradients) {
  need(algorithm == CUDNN_CTC_LOSS_ALGO_DETERMINISTIC || algorithm == CUDNN_CTC_LOSS_ALGO_NON_DETERMINISTIC,
       "there is no such algorithm");
  Call call = {object_of(descriptor, "the loss's descriptor"),
               Data(probs_desc, probs, "the probabilities"),
               {},
               static_cast<float *>(costs)};
  need(call.probabilities.layout.rank == 3, "the probabilities do not have three dimensions");
  support(call.probabilities.kind == Kind::kFloat, "probabilities of another type than float");
  need(costs != nullptr, "the costs are null");
  if (gradients != nullptr) {
    call.gradients = Data(gradients_desc, gradients, "the gradients");
    need_alike(std::array{call.probabilities, call.gradients});
  }
  return call;
}

// The lengths of what a call on the host is given: labels of letters, and times that there are.
void need_lengths(const Call &call, const int *labels, const int *counts, const int *times) {
  const Layout &layout = call.probabilities.layout;
  Size all = 0;
  for (Size n = 0; n < layout.dims[1]; ++n) {
    need(counts[n] >= 0 && times[n] >= 0 && times[n] <= layout.dims[0], "a length is negative or too large");
    all += counts[n];
  }
  for (Size i = 0; i < all; ++i) need(labels[i] > 0 && labels[i] < layout.dims[2], "a label is not a letter");
}

void set(cudnnCTCLossDescriptor_t descriptor, const cudnnCTCLossStruct &made) {
  cudnnCTCLossStruct &to = object_of(descriptor, "the descriptor");
  need(made.compute == CUDNN_DATA_FLOAT, "a loss is computed in float");
  need(made.normalization == CUDNN_LOSS_NORMALIZATION_NONE || made.normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX,
       "there is no such normalization");
  need(made.longest >= 0, "the length of labels is negative");
  to = made;
}

// Numbers of a call lie in memory of the operation.
void give_size(cudnnHandle_t handle, cudnnCTCLossDescriptor_t descriptor, size_t *size) {
  object_of(handle, "the handle");
  object_of(descriptor, "the descriptor");
  need(size != nullptr, "the pointer to the size is null");
  *size = 0;
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateCTCLossDescriptor(cudnnCTCLossDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyCTCLossDescriptor(cudnnCTCLossDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t compute) {
  return guarded(__func__, [&] { set(descriptor, {CUDNN_LOSS_NORMALIZATION_NONE, compute}); });
}
cudnnStatus_t cudnnSetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t compute,
                                          cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan) {
  return guarded(__func__, [&] { set(descriptor, {normalization, compute, nan}); });
}
cudnnStatus_t cudnnSetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t compute,
                                           cudnnLossNormalizationMode_t normalization, cudnnNanPropagation_t nan,
                                           int longest) {
  return guarded(__func__,
                 [&] { set(descriptor, {normalization, compute, nan, CUDNN_CTC_ZERO_OOB_GRADIENTS, longest}); });
}
cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t compute,
                                           cudnnLossNormalizationMode_t normalization, cudnnCTCGradMode_t gradients,
                                           int longest) {
  return guarded(__func__,
                 [&] { set(descriptor, {normalization, compute, CUDNN_NOT_PROPAGATE_NAN, gradients, longest}); });
}
cudnnStatus_t cudnnGetCTCLossDescriptor_v8(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t *compute,
                                           cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan,
                                           int *longest) {
  return guarded(__func__, [&] {
    const cudnnCTCLossStruct &from = object_of(descriptor, "the descriptor");
    give(compute, from.compute);
    give(normalization, from.normalization);
    give(nan, from.nan);
    give(longest, from.longest);
  });
}
cudnnStatus_t cudnnGetCTCLossDescriptorEx(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t *compute,
                                          cudnnLossNormalizationMode_t *normalization, cudnnNanPropagation_t *nan) {
  return cudnnGetCTCLossDescriptor_v8(descriptor, compute, normalization, nan, nullptr);
}
cudnnStatus_t cudnnGetCTCLossDescriptor(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t *compute) {
  return cudnnGetCTCLossDescriptor_v8(descriptor, compute, nullptr, nullptr, nullptr);
}
cudnnStatus_t cudnnGetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t descriptor, cudnnDataType_t *compute,
                                           cudnnLossNormalizationMode_t *normalization, cudnnCTCGradMode_t *gradients,
                                           int *longest) {
  return guarded(__func__, [&] {
    const cudnnCTCLossStruct &from = object_of(descriptor, "the descriptor");
    give(compute, from.compute);
    give(normalization, from.normalization);
    give(gradients, from.gradients);
    give(longest, from.longest);
  });
}

cudnnStatus_t cudnnGetCTCLossWorkspaceSize(cudnnHandle_t handle, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
                                           const int *, const int *, const int *, cudnnCTCLossAlgo_t,
                                           cudnnCTCLossDescriptor_t descriptor, size_t *size) {
  return guarded(__func__, [&] { give_size(handle, descriptor, size); });
}
cudnnStatus_t cudnnGetCTCLossWorkspaceSize_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t,
                                              cudnnCTCLossDescriptor_t descriptor, cudnnTensorDescriptor_t,
                                              cudnnTensorDescriptor_t, size_t *size) {
  return guarded(__func__, [&] { give_size(handle, descriptor, size); });
}

// Labels and lengths are the host's: copied by the call.
cudnnStatus_t cudnnCTCLoss(cudnnHandle_t handle, cudnnTensorDescriptor_t probs_desc, const void *probs,
                           const int *labels, const int *counts, const int *times, void *costs,
                           cudnnTensorDescriptor_t gradients_desc, void *gradients, cudnnCTCLossAlgo_t algorithm,
                           cudnnCTCLossDescriptor_t descriptor, void *, size_t) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(labels != nullptr && counts != nullptr && times != nullptr, "labels or lengths are null");
    const Call call = call_of(algorithm, descriptor, probs_desc, probs, costs, gradients_desc, gradients);
    need_lengths(call, labels, counts, times);
    const Size sequences = call.probabilities.layout.dims[1];
    Size all = 0;
    for (Size n = 0; n < sequences; ++n) all += counts[n];
    const std::vector<int> own_labels(labels, labels + all), own_counts(counts, counts + sequences),
        own_times(times, times + sequences);
    run(handle, name, call.nanoseconds(), [=] { call.all(own_labels.data(), own_counts.data(), own_times.data()); });
  });
}
// Here they are the device's, read when the work runs.
cudnnStatus_t cudnnCTCLoss_v8(cudnnHandle_t handle, cudnnCTCLossAlgo_t algorithm, cudnnCTCLossDescriptor_t descriptor,
                              cudnnTensorDescriptor_t probs_desc, const void *probs, const int *labels,
                              const int *counts, const int *times, void *costs, cudnnTensorDescriptor_t gradients_desc,
                              void *gradients, size_t, void *) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(labels != nullptr && counts != nullptr && times != nullptr, "labels or lengths are null");
    const Call call = call_of(algorithm, descriptor, probs_desc, probs, costs, gradients_desc, gradients);
    run(handle, name, call.nanoseconds(), [=] { call.all(labels, counts, times); });
  });
}

}  // extern "C"
#pragma GCC visibility pop

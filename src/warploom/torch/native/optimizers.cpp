// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer's step of all its tensors in one call: what PyTorch's Python code does operator by operator to one
// tensor after another (torch/optim/adam.py, sgd.py), these same CPU kernels do to one block after another, which stays
// in a core's cache meanwhile, on all threads at once. ATen's element by element kernels for float and double round an
// element in the same way wherever it stands, so the results are those of PyTorch's loop, bit by bit.
#include "cpu_backend.h"
#include "device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add_cpu_dispatch.h>
#include <ATen/ops/addcdiv_cpu_dispatch.h>
#include <ATen/ops/addcmul_cpu_dispatch.h>
#include <ATen/ops/div_cpu_dispatch.h>
#include <ATen/ops/full.h>
#include <ATen/ops/lerp_cpu_dispatch.h>
#include <ATen/ops/maximum_cpu_dispatch.h>
#include <ATen/ops/mul_cpu_dispatch.h>
#include <ATen/ops/neg_cpu_dispatch.h>
#include <ATen/ops/sqrt_cpu_dispatch.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace warploom::torch {
namespace {

using at::Tensor;
using at::TensorList;

constexpr int64_t kBlock = int64_t{1} << 14;  // elements; a step has five or six arrays of them

// Of each parameter one tensor: the parameters themselves, their gradients, a state of theirs.
using Lists = std::vector<TensorList>;

bool is_alike(const Tensor &tensor, const Tensor &parameter) {
  return tensor.defined() && tensor.layout() == c10::kStrided && tensor.device() == parameter.device() &&
         tensor.scalar_type() == parameter.scalar_type() && !tensor.is_neg() && tensor.sizes() == parameter.sizes() &&
         tensor.strides() == parameter.strides() && tensor.is_non_overlapping_and_dense();
}

// Whether all tensors are on one CUDA device, of one type, float or double, and each parameter's have its strides, so
// that their elements come in the same order.
bool are_alike(const Lists &lists) {
  const TensorList parameters = lists.front();
  if (parameters.empty()) return false;
  const Tensor &first = parameters.front();
  if (!first.is_cuda() || (first.scalar_type() != at::kFloat && first.scalar_type() != at::kDouble)) return false;
  for (const TensorList list : lists) {
    if (list.size() != parameters.size()) return false;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].device() != first.device() || list[i].scalar_type() != first.scalar_type()) return false;
      if (!is_alike(list[i], parameters[i])) return false;
    }
  }
  return true;
}

struct Range {
  const char *begin, *end;
};

Range range_of(const Tensor &tensor) {
  const auto *data = static_cast<const char *>(tensor.const_data_ptr());
  return {data, data + tensor.nbytes()};
}

// Whether nothing that is written, all lists but the second one (gradients), overlaps anything else.
bool are_apart(const Lists &lists) {
  std::vector<Range> written;
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i == 1) continue;
    for (const Tensor &each : lists[i]) {
      if (each.numel() != 0) written.push_back(range_of(each));
    }
  }
  std::sort(written.begin(), written.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < written.size(); ++i) {
    if (written[i].begin < written[i - 1].end) return false;
  }
  return std::all_of(lists[1].begin(), lists[1].end(), [&](const Tensor &gradient) {
    const Range range = range_of(gradient);
    const auto after = std::lower_bound(written.begin(), written.end(), range.end,
                                        [](const Range &each, const char *end) { return each.begin < end; });
    return range.begin == range.end || after == written.begin() || std::prev(after)->end <= range.begin;
  });
}

// A vector on the CPU over a part of another tensor's memory.
class Window {
 public:
  explicit Window(c10::ScalarType type)
      : tensor_(at::detail::make_tensor<c10::TensorImpl>(
            c10::Storage(c10::Storage::use_byte_size_t(), 0, c10::DataPtr(nullptr, c10::kCPU), nullptr, false),
            c10::DispatchKeySet(c10::DispatchKey::CPU), c10::scalarTypeToTypeMeta(type))) {}
  Tensor &over(void *data, int64_t count) {
    auto *storage = tensor_.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(c10::DataPtr(data, c10::kCPU));
    storage->set_nbytes(static_cast<size_t>(count) * tensor_.itemsize());
    if (tensor_.numel() != count || tensor_.dim() != 1) tensor_.unsafeGetTensorImpl()->set_sizes_contiguous({count});
    return tensor_;
  }

 private:
  Tensor tensor_;
};

// A thread's view of one block after another.
class View {
 public:
  View(const Lists &lists, size_t scratch_count) : lists_(lists) {
    const c10::ScalarType type = lists[0][0].scalar_type();
    for (size_t i = 0; i < lists.size() + scratch_count; ++i) windows_.emplace_back(type);
    scratch_ = Tensor(at::detail::empty_cpu({static_cast<int64_t>(scratch_count), kBlock}, type));
  }
  void go_to(size_t parameter, int64_t begin, int64_t count) {
    parameter_ = parameter;
    begin_ = begin;
    count_ = count;
  }
  size_t parameter() const { return parameter_; }
  Tensor &operator[](size_t list) {
    const Tensor &whole = lists_[list][parameter_];
    return windows_[list].over(static_cast<char *>(whole.mutable_data_ptr()) + begin_ * whole.itemsize(), count_);
  }
  Tensor &scratch(size_t number) {
    auto *data = static_cast<char *>(scratch_.mutable_data_ptr());
    const auto bytes = static_cast<size_t>(kBlock) * scratch_.itemsize();
    return windows_[lists_.size() + number].over(data + number * bytes, count_);
  }

 private:
  const Lists &lists_;
  std::vector<Window> windows_;
  Tensor scratch_;
  size_t parameter_ = 0;
  int64_t begin_ = 0, count_ = 0;
};

// Call `step` for each block of each parameter, on the CPU backend's threads, after the current stream's work.
void for_each_block(const Lists &lists, size_t scratch_count, const std::function<void(View &)> &step) {
  struct Block {
    size_t parameter;
    int64_t begin, count;
  };
  std::vector<Block> blocks;
  const TensorList parameters = lists.front();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const int64_t count = parameters[i].numel();
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      blocks.push_back({i, begin, std::min(kBlock, count - begin)});
    }
  }
  c10::cuda::getCurrentCUDAStream(parameters.front().device().index()).synchronize();
  std::atomic<size_t> next{0};
  const auto threads = std::min(at::get_num_threads(), static_cast<int>(blocks.size()));
  on_each_thread(threads, [&] {
    const c10::InferenceMode inference;
    View view(lists, scratch_count);
    for (size_t i = next++; i < blocks.size(); i = next++) {
      view.go_to(blocks[i].parameter, blocks[i].begin, blocks[i].count);
      step(view);
    }
  });
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i == 1) continue;
    for (const Tensor &each : lists[i]) each.unsafeGetTensorImpl()->bump_version();
  }
}

// A number as PyTorch gives one to an operator of two tensors.
Tensor number(double value, c10::ScalarType type) {
  Tensor made = at::full({}, value, at::TensorOptions(type));
  made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

bool is_counter(const Tensor &step) {
  return step.defined() && step.is_cpu() && step.layout() == c10::kStrided && step.numel() == 1 &&
         (step.scalar_type() == at::kFloat || step.scalar_type() == at::kDouble);
}

double count_up(const Tensor &step) {
  step.unsafeGetTensorImpl()->bump_version();
  if (step.scalar_type() == at::kFloat) return *step.mutable_data_ptr<float>() += 1;
  return *step.mutable_data_ptr<double>() += 1;
}

// What Adam's formulas take from the number of steps; computed as Python does.
struct Corrections {
  double step;
  Tensor root;  // of the second moment's
  double negative_step_size;
};

Corrections corrections_of(double step, double rate, double beta1, double beta2, c10::ScalarType type) {
  const volatile double half = 0.5;  // the C library's pow, not a square root
  const double first = 1 - std::pow(beta1, step), second = 1 - std::pow(beta2, step);
  return {step, number(std::pow(second, half), type), -(rate / first)};
}

// torch/optim/adam.py: _single_tensor_adam. False where that has to do it; then nothing has been written.
bool adam(TensorList parameters, TensorList gradients, TensorList averages, TensorList squares, TensorList maxima,
          TensorList steps, double rate, double beta1, double beta2, double weight_decay, double epsilon,
          bool is_maximized, bool decays_apart) {
  const bool keeps_maxima = !maxima.empty();
  Lists lists{parameters, gradients, averages, squares};
  if (keeps_maxima) lists.push_back(maxima);
  if (!are_alike(lists) || !are_apart(lists) || is_capturing()) return false;
  if (steps.size() != parameters.size() || !std::all_of(steps.begin(), steps.end(), is_counter)) return false;
  note_on_cpu_backend("warploom::adam_");

  const c10::ScalarType type = parameters.front().scalar_type();
  std::vector<Corrections> corrections;
  for (const Tensor &each : steps) {
    const double step = count_up(each);
    const bool is_known = !corrections.empty() && corrections.back().step == step;
    corrections.push_back(is_known ? corrections.back() : corrections_of(step, rate, beta1, beta2, type));
  }
  const Tensor kept = number(1 - rate * weight_decay, type), kept_squares = number(beta2, type),
               epsilons = number(epsilon, type);
  for_each_block(lists, 2, [&](View &view) {
    const Corrections &correction = corrections[view.parameter()];
    Tensor &parameter = view[0], &average = view[2], &square = view[3];
    Tensor *gradient = &view[1];
    if (is_maximized) gradient = &at::cpu::neg_out(view.scratch(0), *gradient);
    if (weight_decay != 0 && decays_apart) {
      at::cpu::mul_(parameter, kept);
    } else if (weight_decay != 0) {
      gradient = &at::cpu::add_out(view.scratch(0), *gradient, parameter, weight_decay);
    }
    at::cpu::lerp_(average, *gradient, 1 - beta1);
    at::cpu::mul_(square, kept_squares);
    at::cpu::addcmul_(square, *gradient, *gradient, 1 - beta2);
    if (keeps_maxima) at::cpu::maximum_out(view[4], view[4], square);
    Tensor &denominator = at::cpu::sqrt_out(view.scratch(1), keeps_maxima ? view[4] : square);
    at::cpu::div_(denominator, correction.root);
    at::cpu::add_(denominator, epsilons);
    at::cpu::addcdiv_(parameter, average, denominator, correction.negative_step_size);
  });
  return true;
}

// torch/optim/sgd.py: _single_tensor_sgd, with each momentum there already. False as above.
bool sgd(TensorList parameters, TensorList gradients, TensorList momenta, double rate, double momentum,
         double dampening, double weight_decay, bool is_nesterov, bool is_maximized) {
  Lists lists{parameters, gradients};
  if (momentum != 0) lists.push_back(momenta);
  if (!are_alike(lists) || !are_apart(lists) || is_capturing()) return false;
  note_on_cpu_backend("warploom::sgd_");

  const Tensor kept = number(momentum, parameters.front().scalar_type());
  for_each_block(lists, 1, [&](View &view) {
    Tensor &parameter = view[0];
    Tensor *gradient = &view[1];
    if (is_maximized) gradient = &at::cpu::neg_out(view.scratch(0), *gradient);
    if (weight_decay != 0) gradient = &at::cpu::add_out(view.scratch(0), *gradient, parameter, weight_decay);
    if (momentum != 0) {
      Tensor &moving = at::cpu::mul_(view[2], kept);
      at::cpu::add_(moving, *gradient, 1 - dampening);
      gradient = is_nesterov ? &at::cpu::add_out(view.scratch(0), *gradient, moving, momentum) : &moving;
    }
    at::cpu::add_(parameter, *gradient, -rate);
  });
  return true;
}

}  // namespace
}  // namespace warploom::torch

TORCH_LIBRARY(warploom, library) {
  library.def(
      "adam_(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] averages, Tensor(c!)[] squares, "
      "Tensor(d!)[] maxima, Tensor(e!)[] steps, float rate, float beta1, float beta2, float weight_decay, "
      "float epsilon, bool is_maximized, bool decays_apart) -> bool",
      torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, &warploom::torch::adam));
  library.def(
      "sgd_(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] momenta, float rate, float momentum, "
      "float dampening, float weight_decay, bool is_nesterov, bool is_maximized) -> bool",
      torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, &warploom::torch::sgd));
}

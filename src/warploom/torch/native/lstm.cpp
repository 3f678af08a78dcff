// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole LSTM on CPU tensors over the device's memory, where oneDNN has it as one operator a layer and direction;
// PyTorch's own code would run each cell by itself. Gradients pass through the aliases.
#include "alias.h"
#include "cpu_backend.h"
#include "device.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/lstm_native.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace warploom::torch {
namespace {

using at::Tensor;
using ::torch::autograd::AutogradContext;
using ::torch::autograd::variable_list;

Tensor on_cpu(const Tensor &tensor) {
  const c10::cuda::CUDAGuard guard(tensor.device());
  c10::cuda::getCurrentCUDAStream().synchronize();
  Tensor alias = Aliases().on_cpu(tensor);
  // Writing to the one is seen as writing to the other, as gradients want to know.
  alias.unsafeGetTensorImpl()->set_version_counter(tensor.unsafeGetTensorImpl()->version_counter());
  return alias;
}

// To the CPU's view of a tensor and back. A gradient that comes from the CPU lies in the CPU's own memory, so it is
// copied.
struct ToCpu : ::torch::autograd::Function<ToCpu> {
  static Tensor forward(AutogradContext *, const Tensor &tensor) { return on_cpu(tensor); }
  static variable_list backward(AutogradContext *, const variable_list &gradients) {
    const Tensor &gradient = gradients[0];
    if (!gradient.defined()) return {Tensor()};
    return {at::empty_like(gradient, gradient.options().device(at::kCUDA)).copy_(gradient)};
  }
};

struct ToCuda : ::torch::autograd::Function<ToCuda> {
  static Tensor forward(AutogradContext *, const Tensor &tensor, c10::Device device) {
    return Aliases().on_cuda(tensor, device);
  }
  static variable_list backward(AutogradContext *, const variable_list &gradients) {
    const Tensor &gradient = gradients[0];
    return {gradient.defined() ? on_cpu(gradient) : Tensor(), Tensor()};
  }
};

bool is_served(const Tensor &input, at::TensorList state, at::TensorList weights, bool drops) {
  const auto fits = [&](const Tensor &each) {
    return each.device() == input.device() && each.scalar_type() == at::kFloat && each.layout() == at::kStrided;
  };
  // What is dropped, the device's generator says; mixed precision and graphs know the cells.
  return input.is_cuda() && fits(input) && std::ranges::all_of(state, fits) && std::ranges::all_of(weights, fits) &&
         !drops && !at::autocast::is_autocast_enabled(at::kCUDA) && !is_capturing();
}

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor &input, at::TensorList state, at::TensorList weights,
                                        bool has_biases, int64_t layers, double dropout, bool train, bool bidirectional,
                                        bool batch_first) {
  const bool drops = dropout != 0 && train && layers > 1;
  if (!is_served(input, state, weights, drops)) {
    return at::native::lstm(input, state, weights, has_biases, layers, dropout, train, bidirectional, batch_first);
  }
  note_on_cpu_backend("aten::lstm", "input");
  const auto all_on_cpu = [](at::TensorList tensors) {
    std::vector<Tensor> made;
    for (const Tensor &each : tensors) made.push_back(ToCpu::apply(each));
    return made;
  };
  const AllocateOnDevice allocate;
  const auto [output, hidden, cell] = at::lstm(ToCpu::apply(input), all_on_cpu(state), all_on_cpu(weights), has_biases,
                                               layers, dropout, train, bidirectional, batch_first);
  const c10::Device device = input.device();
  return {ToCuda::apply(output, device), ToCuda::apply(hidden, device), ToCuda::apply(cell, device)};
}

}  // namespace
}  // namespace warploom::torch

namespace at {

TORCH_LIBRARY_IMPL(aten, AutogradCUDA, library) { library.impl("lstm.input", &warploom::torch::lstm); }

}  // namespace at

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells of LSTM and GRU: PyTorch has them as one operator on CUDA and as a sequence on the CPU; here the operator is
// that sequence, on CPU tensors over the device's memory. And the questions whether cuDNN should compute something,
// which it never should.
#include "alias.h"
#include "cpu_backend.h"
#include "device.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/tanh_backward.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <optional>
#include <tuple>
#include <vector>

namespace at {
namespace {

using Optional = const std::optional<Tensor> &;

bool is_given(Optional tensor) { return tensor && tensor->defined(); }

Tensor with_bias(const Tensor &gates, Optional bias) { return is_given(bias) ? gates + *bias : gates; }

// Of sigmoid and of tanh, from their values.
Tensor sigmoid_slope(const Tensor &value) { return value * (1 - value); }
Tensor tanh_slope(const Tensor &value) { return 1 - value * value; }

// The gates are input, forget, cell, output; the workspace holds their activations.
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor &input, const Tensor &hidden, const Tensor &cell,
                                             Optional input_bias, Optional hidden_bias) {
  Tensor gates = input + hidden;
  if (is_given(input_bias)) gates += *input_bias;
  if (is_given(hidden_bias)) gates += *hidden_bias;
  const int64_t width = cell.size(1);
  gates.narrow(1, 0, 2 * width).sigmoid_();
  gates.narrow(1, 2 * width, width).tanh_();
  gates.narrow(1, 3 * width, width).sigmoid_();
  const auto parts = gates.chunk(4, 1);
  const Tensor &in = parts[0], &forget = parts[1], &candidate = parts[2], &out = parts[3];
  const Tensor next = (forget * cell).addcmul_(in, candidate);
  return {next.tanh().mul_(out), next, gates};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(Optional hidden_gradient, Optional cell_gradient,
                                                      const Tensor &cell, const Tensor &next, const Tensor &workspace,
                                                      bool has_bias) {
  const auto gates = workspace.chunk(4, 1);
  const Tensor &in = gates[0], &forget = gates[1], &candidate = gates[2], &out = gates[3];
  const Tensor gradient = at::empty_like(workspace, at::MemoryFormat::Contiguous);
  auto parts = gradient.chunk(4, 1);
  Tensor through = is_given(cell_gradient) ? *cell_gradient : Tensor();
  if (is_given(hidden_gradient)) {
    const Tensor level = next.tanh();
    at::sigmoid_backward_out(parts[3], *hidden_gradient * level, out);
    const Tensor more = at::tanh_backward(*hidden_gradient * out, level);
    through = through.defined() ? through + more : more;
  } else {
    parts[3].zero_();
  }
  at::sigmoid_backward_out(parts[0], through * candidate, in);
  at::sigmoid_backward_out(parts[1], through * cell, forget);
  at::tanh_backward_out(parts[2], through * in, candidate);
  return {gradient, through * forget, has_bias ? gradient.sum(0) : Tensor()};
}

// The gates are reset, update, new; the workspace holds their activations, the state, and the new gate's hidden part.
std::tuple<Tensor, Tensor> gru_cell(const Tensor &input, const Tensor &hidden, const Tensor &state, Optional input_bias,
                                    Optional hidden_bias) {
  const auto in = with_bias(input, input_bias).chunk(3, 1), of_state = with_bias(hidden, hidden_bias).chunk(3, 1);
  const Tensor reset = (in[0] + of_state[0]).sigmoid(), update = (in[1] + of_state[1]).sigmoid();
  const Tensor fresh = (in[2] + reset * of_state[2]).tanh();
  return {fresh + update * (state - fresh), at::cat({reset, update, fresh, state, of_state[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor &gradient, const Tensor &workspace,
                                                                     bool has_bias) {
  const auto kept = workspace.chunk(5, 1);
  const Tensor &reset = kept[0], &update = kept[1], &fresh = kept[2], &state = kept[3], &of_state = kept[4];
  const Tensor of_update = gradient * (state - fresh) * sigmoid_slope(update);
  const Tensor of_fresh = gradient * (1 - update) * tanh_slope(fresh);
  const Tensor of_reset = of_fresh * of_state * sigmoid_slope(reset);
  const Tensor to_input = at::cat({of_reset, of_update, of_fresh}, 1);
  const Tensor to_hidden = at::cat({of_reset, of_update, of_fresh * reset}, 1);
  return {to_input, to_hidden, gradient * update, has_bias ? to_input.sum(0) : Tensor(),
          has_bias ? to_hidden.sum(0) : Tensor()};
}

// The tensors of one call as the CPU's, and what it made as the device's.
class OnCpu {
 public:
  OnCpu(const char *name, c10::Device device) : device_(device), guard_(device) {
    warploom::torch::note_on_cpu_backend(name);
    c10::cuda::getCurrentCUDAStream().synchronize();
  }
  Tensor operator()(const Tensor &tensor) {
    TORCH_CHECK(!tensor.defined() || tensor.device() == device_, "Expected all tensors to be on the same device, ",
                device_, ", but one is on ", tensor.device());
    return aliases_.on_cpu(tensor);
  }
  std::optional<Tensor> operator()(Optional tensor) {
    return tensor ? std::optional<Tensor>((*this)(*tensor)) : std::nullopt;
  }
  bool operator()(bool value) const { return value; }
  template <typename... Tensors>
  std::tuple<Tensors...> on_device(const std::tuple<Tensors...> &made) {
    return std::apply([this](const auto &...each) { return std::tuple(aliases_.on_cuda(each, device_)...); }, made);
  }

 private:
  c10::Device device_;
  c10::cuda::CUDAGuard guard_;
  warploom::torch::Aliases aliases_;
};

// `cell` with all its steps on the CPU; while a graph is recorded, with each step an operator that the graph keeps.
template <auto cell, typename... Arguments>
auto on_cpu(const char *name, c10::Device device, const Arguments &...arguments) {
  if (warploom::torch::is_capturing()) return cell(arguments...);
  OnCpu cpu(name, device);
  const warploom::torch::AllocateOnDevice allocate;
  return cpu.on_device(cell(cpu(arguments)...));
}

std::tuple<Tensor, Tensor, Tensor> fused_lstm(const Tensor &input, const Tensor &hidden, const Tensor &cell,
                                              Optional input_bias, Optional hidden_bias) {
  return on_cpu<&lstm_cell>("aten::_thnn_fused_lstm_cell", input.device(), input, hidden, cell, input_bias,
                            hidden_bias);
}

std::tuple<Tensor, Tensor, Tensor> fused_lstm_backward(Optional hidden_gradient, Optional cell_gradient,
                                                       const Tensor &cell, const Tensor &next, const Tensor &workspace,
                                                       bool has_bias) {
  if (!is_given(hidden_gradient) && !is_given(cell_gradient)) return {};
  return on_cpu<&lstm_cell_backward>("aten::_thnn_fused_lstm_cell_backward_impl", workspace.device(), hidden_gradient,
                                     cell_gradient, cell, next, workspace, has_bias);
}

std::tuple<Tensor, Tensor> fused_gru(const Tensor &input, const Tensor &hidden, const Tensor &state,
                                     Optional input_bias, Optional hidden_bias) {
  return on_cpu<&gru_cell>("aten::_thnn_fused_gru_cell", input.device(), input, hidden, state, input_bias, hidden_bias);
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> fused_gru_backward(const Tensor &gradient, const Tensor &workspace,
                                                                      bool has_bias) {
  return on_cpu<&gru_cell_backward>("aten::_thnn_fused_gru_cell_backward", workspace.device(), gradient, workspace,
                                    has_bias);
}

bool no_ctc(const Tensor &, const Tensor &, at::IntArrayRef, at::IntArrayRef, int64_t) { return false; }
bool no_ctc_of_tensors(const Tensor &, const Tensor &, const Tensor &, const Tensor &, int64_t) { return false; }

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("_thnn_fused_lstm_cell", &fused_lstm);
  library.impl("_thnn_fused_lstm_cell_backward_impl", &fused_lstm_backward);
  library.impl("_thnn_fused_gru_cell", &fused_gru);
  library.impl("_thnn_fused_gru_cell_backward", &fused_gru_backward);
  library.impl("_use_cudnn_ctc_loss", &no_ctc);
  library.impl("_use_cudnn_ctc_loss.Tensor", &no_ctc_of_tensors);
  library.impl("_use_miopen_ctc_loss", &no_ctc);
  library.impl("_use_miopen_ctc_loss.Tensor", &no_ctc_of_tensors);
}

}  // namespace at

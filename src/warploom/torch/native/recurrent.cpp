// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells of LSTM and GRU: PyTorch has them as one operator on CUDA and as a sequence on the CPU; here the operator is
// that sequence. And the questions whether cuDNN should compute something, which it never should.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
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
std::tuple<Tensor, Tensor, Tensor> fused_lstm(const Tensor &input, const Tensor &hidden, const Tensor &cell,
                                              Optional input_bias, Optional hidden_bias) {
  const auto gates = (with_bias(input, input_bias) + with_bias(hidden, hidden_bias)).chunk(4, 1);
  const Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid(), candidate = gates[2].tanh(),
               out = gates[3].sigmoid();
  const Tensor next = forget * cell + in * candidate;
  return {out * next.tanh(), next, at::cat({in, forget, candidate, out}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> fused_lstm_backward(Optional hidden_gradient, Optional cell_gradient,
                                                       const Tensor &cell, const Tensor &next, const Tensor &workspace,
                                                       bool has_bias) {
  if (!is_given(hidden_gradient) && !is_given(cell_gradient)) return {};
  const auto gates = workspace.chunk(4, 1);
  const Tensor &in = gates[0], &forget = gates[1], &candidate = gates[2], &out = gates[3];
  const Tensor level = next.tanh();
  Tensor through = is_given(cell_gradient) ? *cell_gradient : at::Tensor();
  Tensor of_out;
  if (is_given(hidden_gradient)) {
    of_out = *hidden_gradient * level * sigmoid_slope(out);
    const Tensor more = *hidden_gradient * out * tanh_slope(level);
    through = through.defined() ? through + more : more;
  } else {
    of_out = out * 0;
  }
  const Tensor gradient = at::cat({through * candidate * sigmoid_slope(in), through * cell * sigmoid_slope(forget),
                                   through * in * tanh_slope(candidate), of_out},
                                  1);
  return {gradient, through * forget, has_bias ? gradient.sum(0) : Tensor()};
}

// The gates are reset, update, new; the workspace holds their activations, the state, and the new gate's hidden part.
std::tuple<Tensor, Tensor> fused_gru(const Tensor &input, const Tensor &hidden, const Tensor &state,
                                     Optional input_bias, Optional hidden_bias) {
  const auto in = with_bias(input, input_bias).chunk(3, 1), of_state = with_bias(hidden, hidden_bias).chunk(3, 1);
  const Tensor reset = (in[0] + of_state[0]).sigmoid(), update = (in[1] + of_state[1]).sigmoid();
  const Tensor fresh = (in[2] + reset * of_state[2]).tanh();
  return {fresh + update * (state - fresh), at::cat({reset, update, fresh, state, of_state[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> fused_gru_backward(const Tensor &gradient, const Tensor &workspace,
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

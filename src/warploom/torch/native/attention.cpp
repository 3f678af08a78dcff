// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dot product attention where the CPU backend has it as one operator: never the whole matrix of scores.
// PyTorch's own code asks for such an operator only where a device has a choice of them, and else computes it product
// by product.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <torch/library.h>

#include <limits>

namespace warploom::torch {
namespace {

using at::Tensor;

bool is_plain(const Tensor &tensor, const Tensor &query) {
  return tensor.device() == query.device() && tensor.layout() == c10::kStrided && !tensor.is_nested();
}

// Whether the CPU's choice for such tensors is its one operator. What is wrong with arguments, PyTorch's code says.
bool is_one_operator(const Tensor &query, const Tensor &key, const Tensor &value, const std::optional<Tensor> &mask,
                     double dropout, bool is_causal, std::optional<double> scale, bool shares_heads) {
  if (!at::globalContext().userEnabledFlashSDP() || shares_heads || dropout != 0) return false;
  for (const Tensor &each : {query, key, value}) {
    if (!is_plain(each, query) || each.dim() != 4 || each.scalar_type() != query.scalar_type()) return false;
  }
  if (mask && mask->defined()) {
    const bool is_typed = mask->scalar_type() == query.scalar_type() || mask->scalar_type() == at::kBool;
    if (is_causal || !is_typed || !is_plain(*mask, query) || mask->requires_grad()) return false;
  }
  const auto choice = at::native::_fused_sdp_choice_cpp(query, key, value, mask, dropout, is_causal, scale, false);
  return choice == static_cast<int64_t>(sdp::SDPBackend::flash_attention);
}

Tensor attention(const Tensor &query, const Tensor &key, const Tensor &value, const std::optional<Tensor> &mask,
                 double dropout, bool is_causal, std::optional<double> scale, bool shares_heads) {
  if (!is_one_operator(query, key, value, mask, dropout, is_causal, scale, shares_heads)) {
    return at::native::scaled_dot_product_attention(query, key, value, mask, dropout, is_causal, scale, shares_heads);
  }
  std::optional<Tensor> added = mask;
  if (mask && mask->defined() && mask->scalar_type() == at::kBool) {
    added = at::zeros_like(*mask, query.scalar_type());
    added->masked_fill_(mask->logical_not(), -std::numeric_limits<double>::infinity());
  }
  return std::get<0>(
      at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout, is_causal, added, scale));
}

}  // namespace
}  // namespace warploom::torch

namespace at {

TORCH_LIBRARY_IMPL(aten, CUDA, library) { library.impl("scaled_dot_product_attention", &warploom::torch::attention); }
TORCH_LIBRARY_IMPL(aten, AutogradCUDA, library) {
  library.impl("scaled_dot_product_attention", &warploom::torch::attention);
}

}  // namespace at

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "half_to_float.h"

#include <ATen/ops/empty.h>

namespace warploom::torch {
namespace {

// (self, dim, half_to_float, [out]) and (grad_output, output, dim, input_dtype, [grad_input])
constexpr size_t kFlag = 2, kInputType = 3, kOut = 4;

}  // namespace

bool can_widen_halves(const std::string &name) {
  return name.rfind("aten::_softmax", 0) == 0 || name.rfind("aten::_log_softmax", 0) == 0;
}

HalfToFloat::HalfToFloat(::torch::jit::Stack &stack, size_t first) {
  c10::IValue &flag = stack[first + kFlag];
  if (flag.isBool()) {
    if (!flag.toBool()) return;
    stack[first] = stack[first].toTensor().to(at::kFloat);
    flag = false;
    return;
  }
  c10::IValue &type = stack[first + kInputType];
  const at::Tensor gradient = stack[first].toTensor();
  gives_halves_ = gradient.scalar_type() == at::kFloat && type.toScalarType() == at::kHalf;
  if (!gives_halves_) return;
  type = at::kFloat;
  if (stack.size() <= first + kOut) return;
  out_ = stack[first + kOut].toTensor();
  stack[first + kOut] = at::empty({0}, gradient.options());
}

void HalfToFloat::finish(::torch::jit::Stack &stack) const {
  if (!gives_halves_) return;
  const at::Tensor made = stack.back().toTensor();
  if (out_.defined()) {
    out_.resize_(made.sizes()).copy_(made);
    stack.back() = out_;
  } else {
    stack.back() = made.to(at::kHalf);
  }
}

}  // namespace warploom::torch

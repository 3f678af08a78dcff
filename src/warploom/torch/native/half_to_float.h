// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of halves that gives floats, and its gradient in halves: PyTorch's CUDA kernels compute them (`softmax(x,
// dtype=torch.float32)` asks for that on a CUDA device), its CPU backend refuses.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <string>

namespace warploom::torch {

// Whether an operator can be asked for that.
bool can_widen_halves(const std::string &name);

// A call of such an operator on the CPU backend, in floats where it is asked for that.
class HalfToFloat {
 public:
  // `first`: where the call's arguments begin on the stack.
  HalfToFloat(::torch::jit::Stack &stack, size_t first);
  // Give halves where the operator was to give them.
  void finish(::torch::jit::Stack &stack) const;

 private:
  bool gives_halves_ = false;
  at::Tensor out_;  // of halves; undefined: the result is a new tensor
};

}  // namespace warploom::torch

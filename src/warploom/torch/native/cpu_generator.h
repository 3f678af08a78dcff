// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU kernels of random operators, and code compiled for the CPU, draw what the device's generator says.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace warploom::torch {

// A CPU generator in the place of a CUDA one: seeded by what that would have drawn, which it then has.
at::Generator cpu_generator(const at::Generator &cuda);

// For what takes no generator: it draws from the CPU's default one, which gets the state of another meanwhile.
class InsteadOfDefaultGenerator {
 public:
  explicit InsteadOfDefaultGenerator(const at::Generator &instead);
  ~InsteadOfDefaultGenerator();
  InsteadOfDefaultGenerator(const InsteadOfDefaultGenerator &) = delete;
  InsteadOfDefaultGenerator &operator=(const InsteadOfDefaultGenerator &) = delete;

 private:
  at::Generator default_;
  at::Tensor before_;
};

}  // namespace warploom::torch

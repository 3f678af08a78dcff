// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ATen's own CUDA operators are registered: each runs its kernel, and on the CPU backend where that kernel, or the
// kernel for a type, was not compiled.
#pragma once

#include "aten/not_compiled.h"
#include "cpu_backend.h"

#include <ATen/core/boxing/KernelFunction.h>
#include <torch/library.h>

#include <memory>
#include <string>

namespace warploom::torch {

// A dispatch stub that no file gave a kernel for CUDA.
inline bool lacks_kernel(const c10::Error &error) {
  return error.msg().find("DispatchStub: missing kernel for ") != std::string::npos;
}

class OrCpuBackend final : public c10::OperatorKernel {
 public:
  explicit OrCpuBackend(c10::KernelFunction kernel) : kernel_(std::move(kernel)) {}

  void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet keys, ::torch::jit::Stack *stack) {
    const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
    const ::torch::jit::Stack arguments(stack->end() - count, stack->end());
    const size_t below = stack->size() - arguments.size();
    // Where one of these is caught, nothing was launched: a kernel is looked for first.
    try {
      kernel_.callBoxed(op, keys, stack);
      return;
    } catch (const NotCompiled &) {
    } catch (const c10::Error &error) {
      if (!lacks_kernel(error)) throw;
    }
    stack->resize(below);
    stack->insert(stack->end(), arguments.begin(), arguments.end());
    run_on_cpu_backend(op, c10::DispatchKey::CUDA, stack);
  }

 private:
  c10::KernelFunction kernel_;
};

template <typename Function>
::torch::CppFunction or_cpu_backend(Function function) {
  return ::torch::CppFunction::makeFromBoxedFunctor(
      std::make_unique<OrCpuBackend>(c10::KernelFunction::makeFromUnboxedFunction(function)));
}

}  // namespace warploom::torch

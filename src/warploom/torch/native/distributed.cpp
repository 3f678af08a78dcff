// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of torch.distributed on CUDA tensors: gloo of the CPU wheel knows CPU tensors alone, and gets those over
// the same memory. PyTorch registers its own kernels under the CUDA key; these take their place.
#include "cpu_backend.h"

#include <c10/util/Exception.h>
#include <torch/library.h>

namespace warploom::torch {
namespace {

// One word of PyTorch about a kernel that is replaced is no news for the user.
struct Silence final : c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

const bool is_registered = [] {
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard guard(&silence);
  static auto *library = new ::torch::Library(::torch::Library::IMPL, "c10d", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  for (const auto &name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name.rfind("c10d::", 0) != 0) continue;
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || !op->hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    library->impl(full.c_str() + 6, ::torch::CppFunction::makeFromBoxedFunction<&run_on_cpu_backend>());
  }
  return true;
}();

}  // namespace
}  // namespace warploom::torch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of torch.distributed on CUDA tensors: gloo of the CPU wheel knows CPU tensors alone, and gets those over
// the same memory. PyTorch registers its own kernels under the CUDA key; these take their place.
#include "cpu_backend.h"

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>
#include <torch/library.h>

namespace warploom::torch {
namespace {

// By the host's clock: what runs on the CPU backend is done when it was submitted.
class HostTimer final : public c10d::Timer {
 public:
  explicit HostTimer(c10::Device) {}
  std::optional<int64_t> measureDifference(Event start, Event end) override {
    const auto began = getTimestamp(start), ended = getTimestamp(end);
    if (!began || !ended || *ended < *began) return std::nullopt;
    return *ended - *began;
  }
};

const bool has_timer = [] {
  c10d::TimerRegistry()->Register(c10::DeviceType::CUDA, [](c10::Device device) -> std::unique_ptr<c10d::Timer> {
    return std::make_unique<HostTimer>(device);
  });
  return true;
}();

// One word of PyTorch about a kernel that is replaced is no news for the user.
struct Silence final : c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

const bool is_registered = [] {
  Silence silence;
  const c10::WarningUtils::WarningHandlerGuard guard(&silence);
  static auto *library =
      new ::torch::Library(::torch::Library::IMPL, "c10d", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  for (const auto &name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name.rfind("c10d::", 0) != 0) continue;
    const auto op = c10::Dispatcher::singleton().findSchema(name);
    if (!op || !op->hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    library->impl(full.c_str() + 6, ::torch::CppFunction::makeFromBoxedFunction<&cpu_backend<>>());
  }
  return true;
}();

}  // namespace
}  // namespace warploom::torch

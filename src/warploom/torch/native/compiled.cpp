// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warploom/torch/inductor.py calls around code that torch.compile made for CPU tensors, which runs over the
// device's memory.
#include "alias.h"
#include "cpu_backend.h"
#include "cpu_generator.h"
#include "device.h"

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <optional>
#include <vector>

namespace warploom::torch {
namespace {

using at::Tensor;

// CPU tensors over the CUDA tensors' memory, once the current stream has come here; others as they are.
std::vector<Tensor> on_cpu(at::TensorList tensors) {
  TORCH_CHECK(!is_capturing(),
              "CUDA error: operation not permitted when stream is capturing (what torch.compile made)");
  std::optional<c10::DeviceIndex> waited;
  Aliases aliases;
  std::vector<Tensor> made;
  made.reserve(tensors.size());
  for (const Tensor &each : tensors) {
    if (each.is_cuda() && waited != each.device().index()) {
      waited = each.device().index();
      c10::cuda::getCurrentCUDAStream(*waited).synchronize();
    }
    made.push_back(aliases.on_cpu(each));
  }
  return made;
}

std::vector<Tensor> compiled_arguments(at::TensorList tensors) {
  note_on_cpu_backend("warploom::compiled_arguments");
  return on_cpu(tensors);
}

std::vector<Tensor> on_cuda(at::TensorList tensors, c10::Device device) {
  if (!device.has_index()) device.set_index(c10::cuda::current_device());
  Aliases aliases;
  std::vector<Tensor> made;
  made.reserve(tensors.size());
  for (const Tensor &each : tensors) made.push_back(aliases.on_cuda(each, device));
  return made;
}

// A thread that is inside such code: what it allocates is the device's memory, and where it draws random numbers, the
// CPU's default generator stands for the device's.
struct CompiledCall {
  explicit CompiledCall(bool draws) {
    if (draws) generator.emplace(cpu_generator(at::cuda::detail::getDefaultCUDAGenerator(c10::cuda::current_device())));
  }
  ~CompiledCall() { note_threads_are_awake(); }

  AllocateOnDevice allocate;
  std::optional<InsteadOfDefaultGenerator> generator;
};

}  // namespace
}  // namespace warploom::torch

extern "C" __attribute__((visibility("default"))) void *warploom_torch_begin_compiled(int64_t draws) {
  return new warploom::torch::CompiledCall(draws != 0);
}
extern "C" __attribute__((visibility("default"))) int64_t warploom_torch_end_compiled(void *call) {
  delete static_cast<warploom::torch::CompiledCall *>(call);
  return 0;
}

TORCH_LIBRARY_FRAGMENT(warploom, library) {
  const auto define = [&](const char *schema, auto function) {
    library.def(schema, torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, function));
  };
  define("compiled_arguments(Tensor(a)[] tensors) -> Tensor(a)[]", &warploom::torch::compiled_arguments);
  define("on_cpu(Tensor(a)[] tensors) -> Tensor(a)[]", &warploom::torch::on_cpu);
  define("on_cuda(Tensor(a)[] tensors, Device device) -> Tensor(a)[]", &warploom::torch::on_cuda);
}

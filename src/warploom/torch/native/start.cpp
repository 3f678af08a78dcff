// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left to do when all operators of the device are registered: this file is linked last. Where Python loads the
// library, `warploom.torch.device` does it, after ATen's own CUDA kernels.
#include <dlfcn.h>

extern "C" void warploom_torch_take_kernels_of_cpu();

namespace {

bool is_python() {
  const auto is_initialized = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  return is_initialized != nullptr && is_initialized() != 0;
}

__attribute__((constructor)) void start() {
  if (!is_python()) warploom_torch_take_kernels_of_cpu();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <mutex>

namespace warploom::torch {

at::Generator cpu_generator(const at::Generator &cuda) {
  constexpr uint64_t kStep = 4;
  auto *generator = at::check_generator<at::CUDAGeneratorImpl>(cuda);
  const std::lock_guard lock(generator->mutex_);
  const uint64_t seed = generator->current_seed(), offset = generator->get_offset();
  generator->set_offset(offset + kStep);
  uint64_t mixed = seed * 0x9E3779B97F4A7C15u + offset + 0xD1B54A32D192ED03u;  // as SplitMix64 does
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return at::detail::createCPUGenerator(mixed ^ (mixed >> 31));
}

InsteadOfDefaultGenerator::InsteadOfDefaultGenerator(const at::Generator &instead)
    : default_(at::detail::getDefaultCPUGenerator()) {
  const std::lock_guard lock(default_.mutex());
  before_ = at::Tensor(default_.unsafeGetGeneratorImpl()->get_state());
  default_.unsafeGetGeneratorImpl()->set_state(*instead.unsafeGetGeneratorImpl()->get_state());
}

InsteadOfDefaultGenerator::~InsteadOfDefaultGenerator() {
  const std::lock_guard lock(default_.mutex());
  default_.unsafeGetGeneratorImpl()->set_state(*before_.unsafeGetTensorImpl());
}

}  // namespace warploom::torch

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe.h"

#include <chrono>

namespace warploom::observe {

constinit bool is_on = false;

void (*add_kernel)(const Launch &launch, std::uint64_t start, std::uint64_t end) = nullptr;

std::uint64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
}

}  // namespace warploom::observe

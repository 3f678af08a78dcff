// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace warploom::torch {

// Python has no way to ask for a device's default generator but `torch.Generator(device)`: while this is true in a
// thread, that gives the default one.
inline bool &next_generator_is_default() {
  thread_local bool is_default = false;
  return is_default;
}

}  // namespace warploom::torch

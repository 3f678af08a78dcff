// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace warploom {

// A moment in a loop that waits for another thread: leaves the core's resources to whoever shares it.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace warploom

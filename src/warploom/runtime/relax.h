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

// The cache line is about to be written: it is the calling thread's own by then, if nobody asks for it before.
inline void fetch_to_write(const void *line) {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(line));  // one that does not know it does nothing
#else
  __builtin_prefetch(line, 1);
#endif
}

}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that check themselves: what is wrong is printed, and the exit status says whether anything was.
#pragma once

#include <cstdio>

inline int failures = 0;

inline void expect(bool holds, const char *what) {
  if (holds) return;
  ++failures;
  std::printf("wrong: %s\n", what);
}

inline int done() {
  if (failures == 0) std::printf("all right\n");
  return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / error names
// Names and texts of error codes, also of one that does not exist.
#include "check.h"

int main() {
  const int codes[] = {0,   1,   2,   3,   4,   9,   11,  13,  21,  98,  100, 101, 200, 201, 209, 217,  219,
                       220, 300, 301, 304, 400, 401, 500, 600, 700, 701, 702, 704, 705, 708, 709, 710,  711,
                       712, 713, 714, 715, 716, 717, 718, 719, 720, 800, 801, 900, 901, 906, 999, 31337};
  for (int code : codes) {
    cudaError_t error = static_cast<cudaError_t>(code);
    std::printf("%d %s: %s\n", code, cudaGetErrorName(error), cudaGetErrorString(error));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_cost.h"

int main(int argc, char **argv) {
  std::vector<float> y(kLargest);
  float *const data = y.data();
  return table(
      argc, argv,
      [&](int n) {
#pragma omp parallel for
        for (int i = 0; i < n; ++i) data[i] = data[i] * 0.5f + 1;
      },
      [] {});
}

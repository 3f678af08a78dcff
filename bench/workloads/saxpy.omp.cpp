// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "saxpy.h"

static void saxpy(int n, float a, const float *x, float *y) {
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Saxpy problem(settings);
  return bench::measure(
      settings, problem.work(), [&] { saxpy(problem.count, problem.factor, problem.x.data(), problem.y.data()); },
      [&] { return problem.check(problem.y.data()); });
}

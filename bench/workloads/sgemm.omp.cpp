// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sgemm.h"

static void sgemm(int n, const float *a, const float *b, float *c) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k) {
      const float factor = a[i * n + k];
#pragma omp simd
      for (int j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Sgemm problem(settings);
  return bench::measure(
      settings, problem.work(), [&] { sgemm(problem.n, problem.a.data(), problem.b.data(), problem.c.data()); },
      [&] { return problem.check(problem.c.data()); });
}

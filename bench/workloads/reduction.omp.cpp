// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduction.h"

static float reduce(const float *in, int n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += in[i];
  return sum;
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Reduction problem(settings);
  volatile float total = 0;  // every repetition is wanted
  return bench::measure(
      settings, problem.work(), [&] { total = reduce(problem.in.data(), problem.count); },
      [&] { return problem.check(total); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.h"

static void spmv(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
#pragma omp parallel for schedule(dynamic, 256)
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int i = starts[row]; i < starts[row + 1]; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Spmv problem(settings);
  bench::Array<float> y(problem.rows);
  return bench::measure(
      settings, problem.work(),
      [&] {
        spmv(problem.rows, problem.starts.data(), problem.columns.data(), problem.values.data(), problem.x.data(),
             y.data());
      },
      [&] { return problem.check(y.data()); });
}

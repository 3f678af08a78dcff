// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row a thread.
#include "spmv.h"

const int kThreads = 256;

__global__ void spmv(int rows, const int *starts, const int *columns, const float *values, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    int end = starts[row + 1];
    for (int i = starts[row]; i < end; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Spmv problem(settings);
  const int rows = problem.rows;
  bench::DeviceArray<int> starts(problem.starts), columns(problem.columns);
  bench::DeviceArray<float> values(problem.values), x(problem.x), y(rows);
  return bench::measure(
      settings, problem.work(),
      [&] {
        spmv<<<(rows + kThreads - 1) / kThreads, kThreads>>>(rows, starts.data(), columns.data(), values.data(),
                                                             x.data(), y.data());
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(y.to_host().data()); });
}

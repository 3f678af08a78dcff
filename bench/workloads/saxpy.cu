// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "saxpy.h"

const int kThreads = 256;

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Saxpy problem(settings);
  bench::DeviceArray<float> x(problem.x), y(problem.y);
  const int n = problem.count;
  return bench::measure(
      settings, problem.work(),
      [&] {
        saxpy<<<(n + kThreads - 1) / kThreads, kThreads>>>(n, problem.factor, x.data(), y.data());
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(y.to_host().data()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cold rod, hot at its left end: prints the temperatures after some time.
#include <cstdio>
#include <utility>
#include <vector>

#include "stencil.h"

int main() {
  const int n = 1000, steps = 2000;
  std::vector<float> rod(n, 0.0f);
  rod[0] = 100.0f;

  float *now, *next;
  cudaMalloc(&now, n * sizeof(float));
  cudaMalloc(&next, n * sizeof(float));
  cudaMemcpy(now, rod.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < steps; ++i) {
    step_heat(now, next, n, 0.25f);
    std::swap(now, next);
  }
  cudaError_t status = cudaMemcpy(rod.data(), now, n * sizeof(float), cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return 1;
  }
  for (int i = 0; i <= 80; i += 20) std::printf("cell %2d: %7.3f\n", i, rod[i]);
  cudaFree(now);
  cudaFree(next);
  return 0;
}

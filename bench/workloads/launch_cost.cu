// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs, beside a parallel loop of OpenMP and one of oneTBB that do the same work (launch_cost.omp.cpp,
// launch_cost.tbb.cpp): a kernel of one line, for 1 to 2^20 threads.
#include "launch_cost.h"

__global__ void step(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 0.5f + 1;
}

int main(int argc, char **argv) {
  float *y = nullptr;
  if (cudaMalloc(&y, kLargest * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(y, 0, kLargest * sizeof(float));
  const int status =
      table(argc, argv, [&](int n) { step<<<(n + 255) / 256, 256>>>(y, n); }, [] { cudaDeviceSynchronize(); });
  return cudaGetLastError() == cudaSuccess ? status : 1;
}

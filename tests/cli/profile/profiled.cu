// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Some of everything that a profile tells: kernels whose work can be counted or not, copies, ranges, streams.
#include <cstdio>
#include <cstdlib>
#include <nvToolsExt.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

__global__ void search(const int *next, int *count) {
  int steps = 0;
  for (int at = 0; at >= 0; at = next[at]) ++steps;
  *count = steps;
}

int main(int argc, char **) {
  const int n = 100000;
  float *x = nullptr, *y = nullptr;
  int *list = nullptr, links[4] = {2, 0, 1, -1};
  float *const host = static_cast<float *>(std::calloc(n, sizeof(float)));
  nvtxRangePush("setup");
  nvtxRangePush("memory");
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&list, sizeof links);
  nvtxRangePop();
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, n * sizeof(float));
  links[1] = 3;
  cudaMemcpy(list, links, sizeof links, cudaMemcpyHostToDevice);
  nvtxRangePop();
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  for (int round = 0; round < 7; ++round) saxpy<<<500, 256, 0, round % 2 ? stream : nullptr>>>(n, 2, x, y);
  search<<<1, 1>>>(list, list + 3);
  nvtxMark("done");
  cudaDeviceSynchronize();
  cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[5]);
  return argc > 1 ? 3 : 0;
}

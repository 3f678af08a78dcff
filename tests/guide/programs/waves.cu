// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nvtx3/nvToolsExt.h>

__global__ void powers(int n, int times, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = y[i];
  for (int t = 0; t < times; ++t) value = value * 0.5f + 1.0f;
  y[i] = value;
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1 << 20;
  float *x, *y, *host = new float[n]();
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  nvtxRangePushA("upload");
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(y, 0, n * sizeof(float));
  nvtxRangePop();
  for (int step = 0; step < 10; ++step) {
    nvtxRangePushA("step");
    powers<<<n / 256, 256>>>(n, 400, y);
    saxpy<<<n / 256, 256>>>(n, 2.0f, x, y);
    cudaDeviceSynchronize();
    nvtxRangePop();
  }
  cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  delete[] host;
}

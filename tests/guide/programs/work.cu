// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
__device__ int helper(int x) {
  int doubled = 2 * x;
  return doubled + 1;
}
__global__ void work(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[64];
  tile[threadIdx.x] = i;
  __syncthreads();
  int value = helper(tile[63 - threadIdx.x]);
  if (i < n) out[i] = value;
}
void launch(int *p) {
  const int n = 200;
  work<<<4, 64>>>(p, n);
}
int main() {
  int *p, h[4];
  cudaMalloc(&p, 1024);
  launch(p);
  cudaDeviceSynchronize();
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", h[0], h[3]);
}

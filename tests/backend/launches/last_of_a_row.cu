// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last of 13 threads reads far behind an array.
#include <cstdio>

__global__ void copy(int n, const int *where, const int *from, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[where[i]] = from[where[i]];  // line 7
}

int main(int count, char **) {
  int n = count + 12, where[13] = {}, *d_where, *from, *to;
  where[12] = 1 << 28;
  cudaMalloc(&d_where, n * 4);
  cudaMalloc(&from, n * 4);
  cudaMalloc(&to, n * 4);
  cudaMemcpy(d_where, where, n * 4, cudaMemcpyHostToDevice);
  copy<<<1, n>>>(n, d_where, from, to);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

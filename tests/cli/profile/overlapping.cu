// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / copies beside kernels of other streams, as a profile shows them
//
// A kernel of one thread in one stream, copies that all processors take part in in another one.
#include <cstdio>

__global__ void chain(float *value, int turns) {
  float x = *value;
  for (int i = 0; i < turns; ++i) x = x * 0.5f + 1;
  *value = x;
}

int main() {
  const size_t bytes = size_t{4} << 20;
  float *value = nullptr;
  char *from = nullptr, *to = nullptr;
  cudaStream_t computing, copying;
  if (cudaMalloc(&value, sizeof(float)) != cudaSuccess || cudaMallocHost(&from, bytes) != cudaSuccess) return 1;
  cudaMalloc(&to, bytes);
  cudaMemset(value, 0, sizeof(float));
  cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  chain<<<1, 1, 0, computing>>>(value, 50'000'000);
  for (int i = 0; i < 8; ++i) cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copying);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  float found = 0;
  cudaMemcpy(&found, value, sizeof found, cudaMemcpyDeviceToHost);
  printf("%g\n", found);
  return found == 2 ? 0 : 1;
}

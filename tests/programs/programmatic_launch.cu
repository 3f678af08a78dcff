// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / launches that may begin before the kernel before them ends
// A kernel lets the next one begin early (cudaTriggerProgrammaticLaunchCompletion), which waits for its results
// (cudaGridDependencySynchronize), as CUB's kernels do from compute capability 9.0 on.
#include <cstdio>

__global__ void produce(int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < n) values[i] = 3 * i;
}

__global__ void consume(const int *values, int *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  if (i < n) sums[i] = values[i] + values[n - 1 - i];
}

int main() {
  const int n = 1000;
  int *values, *sums, wrong = 0;
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&sums, n * sizeof(int));
  cudaLaunchAttribute early;
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(128);
  config.attrs = &early;
  config.numAttrs = 1;
  produce<<<8, 128>>>(values, n);
  const cudaError_t launched = cudaLaunchKernelEx(&config, consume, (const int *)values, sums, n);
  const cudaError_t done = cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) wrong += sums[i] != 3 * (n - 1);
  printf("%d %d, %d wrong\n", launched, done, wrong);
}

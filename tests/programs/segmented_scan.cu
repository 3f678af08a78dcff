// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / segmented scan
// A segmented inclusive scan in shared memory: values carry a flag that stops sums at the start of their segment.
#include "check.h"

__global__ void scan(const int *values, const int *heads, int *output) {
  __shared__ int sums[256], flags[256];
  int i = threadIdx.x, base = blockIdx.x * blockDim.x;
  sums[i] = values[base + i];
  flags[i] = heads[base + i] | (i == 0);
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset <<= 1) {
    int sum = sums[i], flag = flags[i];
    if (i >= offset && !flag) {
      sum += sums[i - offset];
      flag |= flags[i - offset];
    }
    __syncthreads();
    sums[i] = sum;
    flags[i] = flag;
    __syncthreads();
  }
  output[base + i] = sums[i];
}

int main() {
  const int block = 192, blocks = 6, n = block * blocks;
  std::vector<int> values = random_ints(n, 100), heads = random_ints(n, 11, 5), want(n);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    heads[i] = heads[i] == 0;
    if (heads[i] || i % block == 0) sum = 0;
    want[i] = sum += values[i];
  }
  int *output = device_zeros<int>(n);
  scan<<<blocks, block>>>(upload(values), upload(heads), output);
  compare("segmented scan", want, download(output, n));
  return 0;
}

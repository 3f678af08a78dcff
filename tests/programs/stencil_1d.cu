// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / stencil 1d
// A 1-D stencil of radius 3: a block loads its part and both halos into shared memory, then sums seven cells.
#include "check.h"

const int kRadius = 3, kBlock = 96;

__global__ void stencil(const int *input, int *output, int n) {
  __shared__ int cells[kBlock + 2 * kRadius];
  int global = blockIdx.x * kBlock + threadIdx.x, local = threadIdx.x + kRadius;
  cells[local] = global < n ? input[global] : 0;
  if (threadIdx.x < kRadius) {
    int left = global - kRadius, right = global + kBlock;
    cells[local - kRadius] = left >= 0 ? input[left] : 0;
    cells[local + kBlock] = right < n ? input[right] : 0;
  }
  __syncthreads();
  if (global >= n) return;
  int sum = 0;
  for (int offset = -kRadius; offset <= kRadius; ++offset) sum += (offset + 4) * cells[local + offset];
  output[global] = sum;
}

int main() {
  for (int n : {5, 96, 1000, 4321}) {
    std::vector<int> input = random_ints(n, 10000, n), want(n, 0);
    for (int i = 0; i < n; ++i)
      for (int offset = -kRadius; offset <= kRadius; ++offset)
        if (i + offset >= 0 && i + offset < n) want[i] += (offset + 4) * input[i + offset];
    int *device_input = upload(input), *output = device_zeros<int>(n);
    stencil<<<(n + kBlock - 1) / kBlock, kBlock>>>(device_input, output, n);
    compare("stencil", want, download(output, n));
    CHECK(cudaFree(device_input));
    CHECK(cudaFree(output));
  }
  return 0;
}

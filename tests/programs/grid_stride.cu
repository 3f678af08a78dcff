// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / grid-stride loops
// Grid-stride loops visit every element once, whatever the grid's size, with 64-bit and reversed indices too.
#include "check.h"

__global__ void square(int *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    data[i] = data[i] * data[i] + 1;
}

__global__ void square_backwards(int *data, long long n) {
  long long stride = static_cast<long long>(blockDim.x) * gridDim.x;
  for (long long i = n - 1 - (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x); i >= 0; i -= stride)
    data[i] = data[i] * data[i] + 1;
}

int main() {
  const int n = 10007;
  std::vector<int> input = random_ints(n, 1000), want(n);
  for (int i = 0; i < n; ++i) want[i] = input[i] * input[i] + 1;
  const int grids[] = {1, 3, 16, 79}, blocks[] = {32, 100, 256, 1};
  for (int k = 0; k < 4; ++k) {
    int *data = upload(input);
    square<<<grids[k], blocks[k]>>>(data, n);
    compare("forwards", want, download(data, n));
    CHECK(cudaMemcpy(data, input.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    square_backwards<<<grids[k], blocks[k]>>>(data, n);
    compare("backwards", want, download(data, n));
    CHECK(cudaFree(data));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / scan hillis steele
// An inclusive Hillis-Steele scan of one block with two shared buffers that swap roles at every step.
#include "check.h"

__global__ void scan(const int *input, int *output, int n) {
  extern __shared__ int buffers[];
  int read = 0, write = 1, i = threadIdx.x;
  buffers[i] = i < n ? input[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    int value = buffers[read * blockDim.x + i];
    if (i >= offset) value += buffers[read * blockDim.x + i - offset];
    buffers[write * blockDim.x + i] = value;
    int swap = read;
    read = write;
    write = swap;
    __syncthreads();
  }
  if (i < n) output[i] = buffers[read * blockDim.x + i];
}

int main() {
  for (int n : {1, 31, 200, 512, 1000}) {
    int block = n <= 512 ? 512 : 1024;
    std::vector<int> input = random_ints(n, 500, n), want(n);
    for (int i = 0, sum = 0; i < n; ++i) want[i] = sum += input[i];
    int *device_input = upload(input), *output = device_zeros<int>(n);
    scan<<<1, block, 2 * block * sizeof(int)>>>(device_input, output, n);
    compare("scan", want, download(output, n));
    CHECK(cudaFree(device_input));
    CHECK(cudaFree(output));
  }
  return 0;
}

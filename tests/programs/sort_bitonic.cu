// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sort bitonic
// Bitonic sort of one block in shared memory, and of a larger array by one launch per step.
#include <algorithm>

#include "check.h"

__global__ void sort_block(int *data) {
  __shared__ int keys[512];
  keys[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      int partner = threadIdx.x ^ stride;
      if (partner > threadIdx.x) {
        bool ascending = (threadIdx.x & size) == 0;
        int a = keys[threadIdx.x], b = keys[partner];
        if ((a > b) == ascending) {
          keys[threadIdx.x] = b;
          keys[partner] = a;
        }
      }
      __syncthreads();
    }
  data[threadIdx.x] = keys[threadIdx.x];
}

__global__ void sort_step(int *data, int stride, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ stride;
  if (partner <= i) return;
  int a = data[i], b = data[partner];
  if ((a > b) == ((i & size) == 0)) {
    data[i] = b;
    data[partner] = a;
  }
}

int main() {
  std::vector<int> input = random_ints(512, 1 << 24);
  int *data = upload(input);
  sort_block<<<1, 512>>>(data);
  std::sort(input.begin(), input.end());
  compare("one block", input, download(data, 512));

  const int n = 1024;
  input = random_ints(n, 500, 9);
  int *large = upload(input);
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) sort_step<<<n / 128, 128>>>(large, stride, size);
  std::sort(input.begin(), input.end());
  compare("one launch per step", input, download(large, n));
  return 0;
}

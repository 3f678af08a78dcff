// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / reduce shared
// A tree reduction in shared memory, with the stride halving between barriers; sums, minima and maxima of each block.
#include "check.h"

template <typename Op>
__global__ void reduce(const int *input, int *output, int n, int neutral, Op op) {
  __shared__ int partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? input[i] : neutral;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) partial[threadIdx.x] = op(partial[threadIdx.x], partial[threadIdx.x + stride]);
    __syncthreads();
  }
  if (threadIdx.x == 0) output[blockIdx.x] = partial[0];
}

struct Add {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct Min {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};
struct Max {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <typename Op>
void test(const char *name, int n, int block, int neutral, Op op) {
  std::vector<int> input = random_ints(n, 100000, n);
  int blocks = (n + block - 1) / block;
  std::vector<int> want(blocks, neutral);
  for (int i = 0; i < n; ++i) want[i / block] = op(want[i / block], input[i]);
  int *device_input = upload(input), *output = device_zeros<int>(blocks);
  reduce<<<blocks, block>>>(device_input, output, n, neutral, op);
  compare(name, want, download(output, blocks));
  CHECK(cudaFree(device_input));
  CHECK(cudaFree(output));
}

int main() {
  test("sum", 5000, 256, 0, Add());
  test("sum of small blocks", 100, 8, 0, Add());
  test("min", 3001, 128, 1 << 30, Min());
  test("max", 777, 64, -1, Max());
  return 0;
}

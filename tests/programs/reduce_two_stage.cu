// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / reduce two stage
// Two launches in one stream: partial sums of doubles that are exact, then one block adds the partial sums.
#include "check.h"

__global__ void partial_sums(const double *input, double *partial, int n) {
  extern __shared__ double cache[];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += input[i];
  cache[threadIdx.x] = sum;
  for (int stride = blockDim.x / 2; stride != 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

int main() {
  const int n = 9999, blocks = 16;
  std::vector<double> input(n);
  double want = 0;
  Lcg lcg{7};
  for (double &value : input) {
    value = lcg.below(4096) / 64.0;
    want += value;
  }
  double *device_input = upload(input), *partial = device_zeros<double>(blocks), *total = device_zeros<double>(1);
  partial_sums<<<blocks, 64, 64 * sizeof(double)>>>(device_input, partial, n);
  partial_sums<<<1, blocks, blocks * sizeof(double)>>>(partial, total, blocks);
  compare("total", std::vector<double>{want}, download(total, 1));
  std::printf("%.6f\n", want);
  return 0;
}

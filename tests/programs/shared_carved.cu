// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / dynamic shared memory
// Several arrays of different types carved from one extern shared array, beside static shared variables.
#include "check.h"

extern __shared__ double pool[];

__device__ int *scratch_counter() {
  __shared__ int counter;
  return &counter;
}

__global__ void carve(int n, double *output) {
  __shared__ short fixed[10];
  double *doubles = pool;
  float *floats = reinterpret_cast<float *>(doubles + n);
  int *ints = reinterpret_cast<int *>(floats + n);
  char *bytes = reinterpret_cast<char *>(ints + n);
  int *counter = scratch_counter();
  int i = threadIdx.x;
  if (i == 0) *counter = 0;
  if (i < 10) fixed[i] = static_cast<short>(i - 5);
  doubles[i] = i * 0.5;
  floats[i] = i * 0.25f;
  ints[i] = -i;
  bytes[i] = static_cast<char>(i % 100);
  __syncthreads();
  atomicAdd(counter, i);
  int other = n - 1 - i;
  double sum = doubles[other] + floats[other] + ints[other] + bytes[other] + fixed[i % 10];
  __syncthreads();
  output[i] = sum + *counter;
}

int main() {
  const int n = 75;
  std::vector<double> want(n);
  for (int i = 0; i < n; ++i) {
    int other = n - 1 - i;
    want[i] = other * 0.5 + other * 0.25 - other + other % 100 + i % 10 - 5 + n * (n - 1) / 2;
  }
  double *output = device_zeros<double>(n);
  carve<<<1, n, n * (sizeof(double) + sizeof(float) + sizeof(int) + 1)>>>(n, output);
  compare("carved", want, download(output, n));
  return 0;
}

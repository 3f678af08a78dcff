// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / __half2: pairs
// What a pair of 16-bit floats can be assigned: an empty list, two scalars in braces, a raw pair, another pair.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

template <class Pair, class Raw>
__host__ __device__ float sum_of_assignments() {
  Pair pair(1.0f, 2.0f);
  pair = {};
  float sum = static_cast<float>(pair.x) + static_cast<float>(pair.y);  // 0
  pair = {Pair(4.0f, 0.0f).x, Pair(8.0f, 0.0f).x};
  sum += static_cast<float>(pair.x) + static_cast<float>(pair.y);  // 12
  const Raw raw = pair;
  Pair other;
  other = raw;
  pair = other;
  return 100 * sum + static_cast<float>(pair.y);  // 1208
}

__global__ void on_device() {
  printf("device %g %g\n", sum_of_assignments<__half2, __half2_raw>(),
         sum_of_assignments<__nv_bfloat162, __nv_bfloat162_raw>());
}

int main() {
  printf("host %g %g\n", sum_of_assignments<__half2, __half2_raw>(),
         sum_of_assignments<__nv_bfloat162, __nv_bfloat162_raw>());
  fflush(stdout);
  on_device<<<1, 1>>>();
  return cudaDeviceSynchronize();
}

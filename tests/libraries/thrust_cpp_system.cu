// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrust on its sequential C++ system, beside a kernel of the program's own that reads the same memory.
// flags: -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP
#include "expect.h"

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

__global__ void twice(int *values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2;
}

int main() {
  constexpr int count = 1000;
  thrust::device_vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = i * 7919 % count;
  thrust::sort(values.begin(), values.end());
  twice<<<(count + 127) / 128, 128>>>(thrust::raw_pointer_cast(values.data()), count);
  expect(cudaDeviceSynchronize() == cudaSuccess, "kernel");
  bool right = true;
  for (int i = 0; i < count; ++i) right = right && values[i] == 2 * i;
  expect(right, "sort");
  expect(thrust::reduce(values.begin(), values.end()) == count * (count - 1), "reduce");
  return done();
}

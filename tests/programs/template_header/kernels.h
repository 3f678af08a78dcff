// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

template <typename T>
__global__ void fill(T *data, int n, T first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = first + static_cast<T>(i);
}

inline __device__ int next_square(int value) { return (value + 1) * (value + 1); }

template <typename T>
void launch_fill(T *data, int n, T first) {
  fill<T><<<(n + 31) / 32, 32>>>(data, n, first);
}

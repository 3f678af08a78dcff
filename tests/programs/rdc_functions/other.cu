// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

__device__ int helper(int x) { return x * 7 + 1 + from_main(x); }
__device__ double helper(double x) { return x * 3; }
__device__ void Accumulator::add(int x) { sum_ += 2 * x; }
__device__ int Accumulator::value() const { return sum_; }

__global__ void other(int *data) { data[threadIdx.x] = helper(data[threadIdx.x]); }

__global__ void set_all(int *data, int value) { data[threadIdx.x] = value; }

void launch_other(int *data, int n) { other<<<1, n>>>(data); }

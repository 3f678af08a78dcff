// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__device__ int helper(int x);
__device__ double helper(double x);
__device__ int from_main(int x);

class Accumulator {
 public:
  __device__ explicit Accumulator(int start) : sum_(start) {}
  __device__ void add(int x);
  __device__ int value() const;

 private:
  int sum_;
};

void launch_other(int *data, int n);
__global__ void set_all(int *data, int value);

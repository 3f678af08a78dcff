// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / equal names in several files
// Without -rdc each file is a device program of its own: both define variables, functions and kernels of one name.
// sources: second.cu plain.cpp
// build: objects
#include "../check.h"

static __device__ int helper(int x) { return x + 1; }
__device__ int state = 10;
__constant__ int constant = 1000;

static __global__ void run(int *output) { output[threadIdx.x] = helper(threadIdx.x) + (state - 10) + constant; }

void run_second(int *output, int n);
int plain_sum(const std::vector<int> &values);

int main() {
  const int n = 16;
  std::vector<int> first(n), second(n);
  for (int i = 0; i < n; ++i) {
    first[i] = i + 1 + 1000;
    second[i] = i * 50 + 20 - 3;
  }
  int *output = device_zeros<int>(n);
  run<<<1, n>>>(output);
  compare("first file", first, download(output, n));
  run_second(output, n);
  std::vector<int> got = download(output, n);
  compare("second file", second, got);
  report("sum", plain_sum(second), plain_sum(got));
  return 0;
}

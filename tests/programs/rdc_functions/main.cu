// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / device functions across files
// Separate compilation: kernels call device functions, overloads and members of another file, and the reverse.
// flags: -rdc=true
// sources: other.cu
#include "../check.h"
#include "shared.h"

__device__ int from_main(int x) { return x * 100; }

__global__ void call(int *output) {
  int i = threadIdx.x;
  Accumulator accumulator(i);
  accumulator.add(5);
  output[i] = helper(i) + accumulator.value() + static_cast<int>(helper(i * 0.5));
}

int main() {
  const int n = 33;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = (i * 7 + 1 + i * 100) + (i + 5 * 2) + static_cast<int>(i * 0.5 * 3);
  int *output = device_zeros<int>(n);
  call<<<1, n>>>(output);
  compare("called", want, download(output, n));
  launch_other(output, n);
  for (int &value : want) value = value * 7 + 1 + value * 100;
  compare("called back", want, download(output, n));
  set_all<<<1, n>>>(output, 4);
  compare("kernel of another file", std::vector<int>(n, 4), download(output, n));
  return 0;
}

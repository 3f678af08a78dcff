// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / static libraries of device code
// Device functions, a kernel and a device variable that live in a static library of separately compiled files.
// flags: -rdc=true
// library: library_functions.cu library_kernels.cu
#include "../check.h"
#include "library.h"

__global__ void use(int *output) { output[threadIdx.x] = library_hash(threadIdx.x); }

int main() {
  const int n = 40;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = (i * 31 + 17) % 101;
  int *output = device_zeros<int>(n);
  use<<<1, n>>>(output);
  compare("function", want, download(output, n));
  library_double(output, n);
  for (int &value : want) value *= 2;
  compare("kernel", want, download(output, n));
  report("calls", 2 * n, library_calls());
  return 0;
}

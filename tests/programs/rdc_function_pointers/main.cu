// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Separate compilation / function pointers across files
// Separate compilation: function pointers taken in one file and called in another, in tables and through virtual calls.
// flags: -rdc=true
// sources: operations.cu shapes.cu
#include "../check.h"
#include "operations.h"

__device__ int local(int x) { return x - 1; }
__device__ Operation local_table[2] = {local, triple};

__global__ void call(int *output, Operation given) {
  int i = threadIdx.x;
  int value = table_of_others[i % 2](i) + local_table[i % 3 == 0](i) * 1000;
  value += apply(local, i) + given(i);
  const Base *object = make(i % 2);
  output[i] = value + 100000 * object->kind();
  delete object;
}

int main() {
  const int n = 24;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    int table = i % 2 == 0 ? i + 50 : 3 * i, local_value = i % 3 == 0 ? 3 * i : i - 1;
    want[i] = table + local_value * 1000 + (i - 1) + (i + 50) + 100000 * (i % 2 + 1);
  }
  int *output = device_zeros<int>(n);
  call<<<1, n>>>(output, host_copy_of_plus_fifty());
  compare("called", want, download(output, n));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of launches from device code whose type is aligned to more than 16 bytes, and fills with a value.
// feature: Dynamic parallelism / arguments aligned to more than 16 bytes, fills with a value
// flags: -rdc=true -lcudadevrt
// unrecorded: with CUDA 13 on an H200 such arguments, and those behind them, arrive as zeros; fills are of zeros
#include "check.h"

struct alignas(32) Aligned {
  int values[3];
};

__global__ void sum(int *output, char a, Aligned aligned, float3 vector) {
  *output = a + aligned.values[0] + aligned.values[2] + static_cast<int>(vector.z);
}

__global__ void launch(int *output) { sum<<<1, 1>>>(output, 5, {{100, 0, 70000}}, make_float3(1, 2, 31)); }

__global__ void fill(int *output) { cudaMemsetAsync(output, 1, sizeof *output, nullptr); }

int main() {
  int *output = device_zeros<int>(1);
  launch<<<1, 1>>>(output);
  report("sum", 5 + 100 + 70000 + 31, download(output, 1)[0]);
  fill<<<1, 1>>>(output);
  report("fill", 0x01010101, download(output, 1)[0]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / namespaces, static kernels, overloads
// Kernels in named, nested, inline and anonymous namespaces, static kernels, and overloads that share one name.
#include "check.h"

namespace outer {
__device__ int bias = 1;
__global__ void put(int *output) { output[0] = bias; }
namespace inner {
__device__ int bias = 2;
__global__ void put(int *output) { output[1] = bias + 10 * outer::bias; }
}  // namespace inner
inline namespace v1 {
__global__ void put_v1(int *output) { output[2] = 3; }
}  // namespace v1
}  // namespace outer

namespace {
__device__ int bias = 4;
__global__ void put(int *output) { output[3] = bias; }
}  // namespace

static __global__ void put_static(int *output) { output[4] = 5; }
__global__ void overloaded(int *output, int value) { output[5] = value; }
__global__ void overloaded(int *output, double value) { output[6] = static_cast<int>(value * 2); }

extern "C" __global__ void plain_name(int *output) { output[7] = 8; }
extern "C" {
__device__ int plain_function(int x) { return x * x; }
__global__ void plain_too(int *output) { output[8] = plain_function(3); }
}

struct Launcher {
  static void run(int *output) { put_static<<<1, 1>>>(output); }
};

int main() {
  int *output = device_zeros<int>(9);
  outer::put<<<1, 1>>>(output);
  outer::inner::put<<<1, 1>>>(output);
  outer::put_v1<<<1, 1>>>(output);
  ::put<<<1, 1>>>(output);
  Launcher::run(output);
  overloaded<<<1, 1>>>(output, 6);
  overloaded<<<1, 1>>>(output, 3.5);
  plain_name<<<1, 1>>>(output);
  plain_too<<<1, 1>>>(output);
  compare("namespaces", std::vector<int>{1, 12, 3, 4, 5, 6, 7, 8, 9}, download(output, 9));
  return 0;
}

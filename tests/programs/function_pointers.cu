// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / device function pointers
// Device function pointers: in a table, in a variable fetched by the host and passed back, as template arguments.
#include "check.h"

typedef int (*Op)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int modulo(int a, int b) { return b == 0 ? 0 : a % b; }

__device__ Op table[4] = {add, subtract, multiply, modulo};
__device__ Op chosen = multiply;

__global__ void by_table(const int *a, const int *b, int *output) {
  int i = threadIdx.x;
  output[i] = table[i % 4](a[i], b[i]);
}

__global__ void by_parameter(Op op, const int *a, const int *b, int *output) {
  output[threadIdx.x] = op(a[threadIdx.x], b[threadIdx.x]);
}

template <Op op>
__global__ void by_template(const int *a, const int *b, int *output) {
  output[threadIdx.x] = op(a[threadIdx.x], b[threadIdx.x]);
}

int main() {
  const int n = 64;
  std::vector<int> a = random_ints(n, 1000), b = random_ints(n, 30, 2), mixed(n), product(n), difference(n);
  for (int i = 0; i < n; ++i) {
    product[i] = a[i] * b[i];
    difference[i] = a[i] - b[i];
    mixed[i] = i % 4 == 0 ? a[i] + b[i] : i % 4 == 1 ? difference[i] : i % 4 == 2 ? product[i] : b[i] ? a[i] % b[i] : 0;
  }
  int *device_a = upload(a), *device_b = upload(b), *output = device_zeros<int>(n);
  by_table<<<1, n>>>(device_a, device_b, output);
  compare("table", mixed, download(output, n));
  Op op;
  CHECK(cudaMemcpyFromSymbol(&op, chosen, sizeof(op)));
  by_parameter<<<1, n>>>(op, device_a, device_b, output);
  compare("parameter", product, download(output, n));
  by_template<subtract><<<1, n>>>(device_a, device_b, output);
  compare("template", difference, download(output, n));
  return 0;
}

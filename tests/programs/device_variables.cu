// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / device variables
// __device__ variables: initial values, pointers to one another, copies to and from them, sizes and addresses.
#include "check.h"

__device__ int counter = 5;
__device__ float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__device__ int *where = &counter;
__device__ struct {
  long long big;
  short small;
} pair = {1ll << 40, -2};
static __device__ unsigned char flags[16];

__global__ void use(double *output) {
  *where += 1;
  output[0] = counter;
  output[1] = table[0] + table[3];
  output[2] = static_cast<double>(pair.big) + pair.small;
  flags[3] = 9;
  table[1] = 40;
}

int main() {
  double *output = device_zeros<double>(3);
  use<<<1, 1>>>(output);
  compare("first", std::vector<double>{6, 4, 1099511627774.0}, download(output, 3));
  int value = 0;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
  report("counter", 6, value);
  value = 100;
  CHECK(cudaMemcpyToSymbol(counter, &value, sizeof(value)));
  const float four = 4.5f;
  CHECK(cudaMemcpyToSymbol(table, &four, sizeof(float), 3 * sizeof(float)));
  use<<<1, 1>>>(output);
  compare("second", std::vector<double>{101, 5, 1099511627774.0}, download(output, 3));
  std::vector<float> got(2);
  CHECK(cudaMemcpyFromSymbol(got.data(), table, 2 * sizeof(float), sizeof(float)));
  compare("table", std::vector<float>{40.0f, 2.5f}, got);
  void *address = nullptr;
  std::size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, flags));
  CHECK(cudaGetSymbolSize(&size, flags));
  report("size", 16, static_cast<long long>(size));
  compare("flags", std::vector<unsigned char>{0, 0, 0, 9, 0}, download(static_cast<unsigned char *>(address), 5));
  CHECK(cudaMemset(address, 1, 4));
  compare("flags", std::vector<unsigned char>{1, 1, 1, 1, 0}, download(static_cast<unsigned char *>(address), 5));
  int *elsewhere = upload(std::vector<int>{1000});
  CHECK(cudaMemcpyToSymbol(where, &elsewhere, sizeof(elsewhere)));
  use<<<1, 1>>>(output);
  report("elsewhere", 1001, download(elsewhere, 1)[0]);
  return 0;
}

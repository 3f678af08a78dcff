// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / constant memory
// __constant__ scalars, arrays and structs: initialised, overwritten in part, read back, read by address.
#include "check.h"

struct Settings {
  int scale;
  float offset;
};

__constant__ int weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ Settings settings = {10, 0.5f};
__constant__ double factor = 2.0;
static __constant__ char letters[] = "warp";
__constant__ const int kFixed = 77;

__global__ void read(double *output) {
  int i = threadIdx.x;
  output[i] = weights[i] * settings.scale + settings.offset + factor * letters[i % 4] + kFixed;
}

__global__ void read_through(const int *address, int *output) { output[threadIdx.x] = address[threadIdx.x]; }

void test(const char *name, const std::vector<int> &w, Settings s, double f, double *output) {
  std::vector<double> want(8);
  for (int i = 0; i < 8; ++i) want[i] = w[i] * s.scale + s.offset + f * "warp"[i % 4] + 77;
  read<<<1, 8>>>(output);
  compare(name, want, download(output, 8));
}

int main() {
  double *output = device_zeros<double>(8);
  std::vector<int> want{1, 2, 3, 4, 5, 6, 7, 8};
  test("initialised", want, Settings{10, 0.5f}, 2.0, output);
  const int part[3] = {100, 200, 300};
  CHECK(cudaMemcpyToSymbol(weights, part, sizeof(part), 2 * sizeof(int)));
  Settings changed{-3, 1.25f};
  CHECK(cudaMemcpyToSymbol(settings, &changed, sizeof(changed)));
  double three = 3.0;
  CHECK(cudaMemcpyToSymbol(factor, &three, sizeof(three)));
  want[2] = 100;
  want[3] = 200;
  want[4] = 300;
  test("changed", want, changed, 3.0, output);
  std::vector<int> back(8);
  CHECK(cudaMemcpyFromSymbol(back.data(), weights, 8 * sizeof(int)));
  compare("read back", want, back);
  void *address = nullptr;
  std::size_t size = 0;
  CHECK(cudaGetSymbolAddress(&address, weights));
  CHECK(cudaGetSymbolSize(&size, weights));
  report("size", 32, static_cast<long long>(size));
  int *ints = device_zeros<int>(8);
  read_through<<<1, 8>>>(static_cast<const int *>(address), ints);
  compare("through the address", want, download(ints, 8));
  return 0;
}

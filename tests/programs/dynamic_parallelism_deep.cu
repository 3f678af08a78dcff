// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids nested deeper than any stack: each does its children in the order of their stream, and its tail after them.
// feature: Dynamic parallelism / deep nests
// flags: -rdc=true -lcudadevrt
#include "check.h"

constexpr unsigned kDepth = 100;

__global__ void add(unsigned *value, unsigned level) { *value = *value * 3 + level; }
__global__ void mix(unsigned *value, unsigned level) { *value = *value * 5 ^ level; }

__global__ void nest(unsigned *value, unsigned *seen, unsigned level) {
  if (level == kDepth) return;
  mix<<<1, 1, 0, cudaStreamTailLaunch>>>(value, level);
  add<<<1, 1>>>(value, level);
  if (cudaMemcpyAsync(seen + level, value, sizeof *value, cudaMemcpyDeviceToDevice, nullptr) != cudaSuccess) *seen = 0;
  nest<<<1, 1>>>(value, seen, level + 1);
  if (level % 7 == 0) add<<<1, 1>>>(value, 1000 + level);
}

static void nest_on_host(unsigned &value, std::vector<unsigned> &seen, unsigned level) {
  if (level == kDepth) return;
  value = value * 3 + level;
  seen[level] = value;
  nest_on_host(value, seen, level + 1);
  if (level % 7 == 0) value = value * 3 + 1000 + level;
  value = value * 5 ^ level;
}

int main() {
  unsigned want = 1;
  std::vector<unsigned> wanted(kDepth);
  nest_on_host(want, wanted, 0);
  unsigned *value = upload(std::vector<unsigned>{1}), *seen = device_zeros<unsigned>(kDepth);
  nest<<<1, 1>>>(value, seen, 0);
  compare("seen", wanted, download(seen, kDepth));
  report("value", want, download(value, 1)[0]);
  return 0;
}

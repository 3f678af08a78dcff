// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / clock, clock64
// clock and clock64 never run backwards within a thread.
#include "check.h"

__global__ void watch(int *wrong, int *data) {
  long long before = clock64();
  clock_t start = clock();
  int sum = data[threadIdx.x];
  for (int i = 0; i < 200; ++i) {
    sum = sum * 3 + i;
    long long now = clock64();
    if (now < before) atomicAdd(wrong, 1);
    before = now;
  }
  data[threadIdx.x] = sum;
  __nanosleep(10);
  if (clock() == start) atomicAdd(wrong, 1);
}

int main() {
  int *wrong = device_zeros<int>(1), *data = device_zeros<int>(64);
  watch<<<1, 64>>>(wrong, data);
  report("backwards", 0, download(wrong, 1)[0]);
  return 0;
}

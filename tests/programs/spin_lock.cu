// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / locks
// A spin lock from atomicCAS and atomicExch guards plain updates, taken by every thread of several blocks.
#include "check.h"

__device__ int lock = 0;

__device__ void acquire() {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
}

__device__ void release() {
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void add(volatile int *cells) {
  for (int i = 0; i < 2; ++i) {
    acquire();
    int a = cells[0], b = cells[1];
    cells[0] = a + 1;
    cells[1] = b + a % 3;
    release();
  }
}

__global__ void add_in_branch(volatile int *cells) {
  bool done = threadIdx.x % 5 == 4;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      cells[2] = cells[2] + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

int main() {
  int *cells = device_zeros<int>(3);
  add<<<4, 33>>>(cells);
  add_in_branch<<<3, 40>>>(cells);
  int total = 4 * 33 * 2, second = 0;
  for (int i = 0; i < total; ++i) second += i % 3;
  compare("cells", std::vector<int>{total, second, 96}, download(cells, 3));
  return 0;
}

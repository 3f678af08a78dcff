// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / threads that end before a barrier
// Threads that return before a barrier do not hold up the others: single threads, whole warps, and all but one.
#include "check.h"

__global__ void leave(int *output, int first, int step) {
  __shared__ int cells[128];
  cells[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  if (threadIdx.x >= first && threadIdx.x % step == 0) return;
  cells[threadIdx.x] *= 2;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < blockDim.x; ++i) sum += cells[i];
  __syncthreads();
  cells[threadIdx.x] = sum;
  __syncthreads();
  output[threadIdx.x] = cells[threadIdx.x] + __syncthreads_count(1);
}

void test(int threads, int first, int step) {
  std::vector<int> want(threads, 0);
  int sum = 0, staying = 0;
  for (int i = 0; i < threads; ++i) {
    bool leaves = i >= first && i % step == 0;
    sum += leaves ? i + 1 : 2 * (i + 1);
    staying += !leaves;
  }
  for (int i = 0; i < threads; ++i)
    if (i < first || i % step != 0) want[i] = sum + staying;
  int *output = device_zeros<int>(threads);
  leave<<<1, threads>>>(output, first, step);
  compare("stayed", want, download(output, threads));
}

int main() {
  test(128, 0, 5);
  test(128, 32, 1);
  test(100, 64, 1);
  test(77, 1, 1);
  return 0;
}

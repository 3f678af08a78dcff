// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / queues shared by the grid
// A queue shared by the grid: threads take numbers by an atomic head and push the next Collatz value at an atomic tail.
#include "check.h"

__device__ int head, tail;

__global__ void drain(int *queue, int level_end, int *steps) {
  while (true) {
    int place = atomicAdd(&head, 1);
    if (place >= level_end) return;
    int value = queue[place];
    atomicAdd(steps, 1);
    if (value == 1) continue;
    queue[atomicAdd(&tail, 1)] = value % 2 == 0 ? value / 2 : 3 * value + 1;
  }
}

int main() {
  const int starts = 60;
  std::vector<int> values(starts);
  long long want = 0;
  for (int i = 0; i < starts; ++i) {
    values[i] = i + 1;
    for (int value = values[i];; value = value % 2 == 0 ? value / 2 : 3 * value + 1) {
      ++want;
      if (value == 1) break;
    }
  }
  int *queue = device_zeros<int>(8000), *steps = device_zeros<int>(1);
  CHECK(cudaMemcpy(queue, values.data(), starts * sizeof(int), cudaMemcpyHostToDevice));
  int begin = 0, end = starts, levels = 0;
  CHECK(cudaMemcpyToSymbol(tail, &end, sizeof(int)));
  while (begin < end) {
    CHECK(cudaMemcpyToSymbol(head, &begin, sizeof(int)));
    drain<<<2, 16>>>(queue, end, steps);
    finish();
    begin = end;
    CHECK(cudaMemcpyFromSymbol(&end, tail, sizeof(int)));
    ++levels;
  }
  report("steps", want, download(steps, 1)[0]);
  report("levels", 113, levels);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / n queens
// Backtracking with an explicit stack in local arrays: n-queens, one thread for each placement of the first two rows.
#include "check.h"

__host__ __device__ int count_from(int n, int first, int second) {
  int columns[16], row = 2, solutions = 0;
  columns[0] = first;
  columns[1] = second;
  if (first == second || first == second + 1 || second == first + 1) return 0;
  columns[2] = -1;
  while (row >= 2) {
    ++columns[row];
    if (columns[row] == n) {
      --row;
      continue;
    }
    bool safe = true;
    for (int r = 0; r < row && safe; ++r) {
      int distance = columns[row] - columns[r];
      safe = distance != 0 && distance != row - r && distance != r - row;
    }
    if (!safe) continue;
    if (row == n - 1)
      ++solutions;
    else
      columns[++row] = -1;
  }
  return solutions;
}

__global__ void queens(int n, int *total) {
  int count = count_from(n, blockIdx.x, threadIdx.x);
  if (count > 0) atomicAdd(total, count);
}

int main() {
  const int known[] = {2, 10, 4, 40, 92};
  for (int n = 4; n <= 8; ++n) {
    int *total = device_zeros<int>(1);
    queens<<<n, n>>>(n, total);
    report("solutions", known[n - 4], download(total, 1)[0]);
    CHECK(cudaFree(total));
  }
  return 0;
}

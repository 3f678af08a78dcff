// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sort odd even
// Odd-even transposition sort that stops when __syncthreads_or says that no pair of the round was swapped.
#include <algorithm>

#include "check.h"

__global__ void sort(int *data, int n, int *rounds) {
  int done_rounds = 0;
  for (bool swapped = true; swapped; ++done_rounds) {
    bool mine = false;
    for (int phase = 0; phase < 2; ++phase) {
      int i = 2 * threadIdx.x + phase;
      if (i + 1 < n && data[i] > data[i + 1]) {
        int value = data[i];
        data[i] = data[i + 1];
        data[i + 1] = value;
        mine = true;
      }
      __syncthreads();
    }
    swapped = __syncthreads_or(mine);
  }
  if (threadIdx.x == 0) *rounds = done_rounds;
}

int main() {
  for (int n : {2, 37, 120}) {
    std::vector<int> input = random_ints(n, 300, n), want = input;
    int want_rounds = 0;
    for (bool swapped = true; swapped; ++want_rounds) {
      swapped = false;
      for (int phase = 0; phase < 2; ++phase)
        for (int i = phase; i + 1 < n; i += 2)
          if (want[i] > want[i + 1]) {
            std::swap(want[i], want[i + 1]);
            swapped = true;
          }
    }
    int *data = upload(input), *rounds = device_zeros<int>(1);
    sort<<<1, (n + 1) / 2>>>(data, n, rounds);
    compare("sorted", want, download(data, n));
    report("rounds", want_rounds, download(rounds, 1)[0]);
    CHECK(cudaFree(data));
    CHECK(cudaFree(rounds));
  }
  return 0;
}

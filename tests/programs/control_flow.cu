// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / divergent control flow
// Divergent control flow: switch with fall-through, goto, do-while, nested break and continue, early return in loops.
#include "check.h"

__host__ __device__ int classify(int x) {
  int result = 0;
  switch (x % 7) {
    case 0:
      result += 1;
      break;
    case 1:
      result += 10;
      [[fallthrough]];
    case 2:
      result += 100;
      if (x > 50) break;
      [[fallthrough]];
    case 3:
      result += 1000;
      break;
    case 4:
      return -x;
    default:
      result = x;
  }
  return result;
}

__host__ __device__ int hop(int x) {
  int steps = 0;
again:
  if (x <= 0) goto out;
  ++steps;
  if (x % 3 == 0) {
    x /= 3;
    goto again;
  }
  x -= x % 5 == 0 ? 2 : 1;
  if (steps < 40) goto again;
out:
  return steps;
}

__host__ __device__ int nested(int x) {
  int sum = 0;
  for (int i = 0; i < x % 13; ++i) {
    if (i == 5) continue;
    int j = i;
    do {
      if ((i + j) % 4 == 3) break;
      for (int k = 0; k < 3; ++k) {
        if (k == x % 4) continue;
        sum += i * j + k;
        if (sum > 500) return sum;
      }
    } while (++j < 9);
    while (true) {
      if (j-- < 4) break;
      sum ^= j;
    }
  }
  return sum;
}

__global__ void run(int *output) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, *mine = output + 3 * i;
  mine[0] = classify(i);
  mine[1] = hop(i);
  mine[2] = i % 2 == 0 || nested(i) > 20 ? nested(i + 1) : -1;
}

int main() {
  const int n = 240;
  std::vector<int> want;
  for (int i = 0; i < n; ++i)
    want.insert(want.end(), {classify(i), hop(i), i % 2 == 0 || nested(i) > 20 ? nested(i + 1) : -1});
  int *output = device_zeros<int>(3 * n);
  run<<<3, n / 3>>>(output);
  compare("results", want, download(output, 3 * n));
  return 0;
}

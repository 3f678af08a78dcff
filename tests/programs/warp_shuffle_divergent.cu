// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles under divergence
// Shuffles in both arms of a branch, each with the mask of the lanes that took it; a nested branch narrows it further.
#include "check.h"

__global__ void shuffle(int *output) {
  int lane = threadIdx.x % 32, value = threadIdx.x * 3 + 1, result;
  if (lane % 3 == 0) {
    const unsigned thirds = 0x49249249u;
    result = __shfl_sync(thirds, value, 30);
    if (lane < 15) result += 1000 * __shfl_sync(thirds & 0x7fffu, value, 12);
  } else if (lane < 16) {
    result = __shfl_sync(0x00006db6u, value, lane % 3 == 1 ? lane + 1 : lane - 1);
  } else {
    result = -value;
  }
  output[threadIdx.x] = result;
}

int main() {
  const int n = 96;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    int lane = i % 32, base = i - lane;
    auto value = [&](int from) { return (base + from) * 3 + 1; };
    if (lane % 3 == 0)
      want[i] = value(30) + (lane < 15 ? 1000 * value(12) : 0);
    else
      want[i] = lane < 16 ? value(lane % 3 == 1 ? lane + 1 : lane - 1) : -value(lane);
  }
  int *output = device_zeros<int>(n);
  shuffle<<<1, n>>>(output);
  compare("results", want, download(output, n));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / shuffles of every width
// Shuffles of every kind at widths 2 to 32: lanes outside the segment keep their own value.
#include "check.h"

__global__ void shuffle(int *output, int width) {
  int lane = threadIdx.x, value = lane * 10 + 3, out = lane * 20;
  output[out++] = __shfl_sync(0xffffffffu, value, lane + 1, width);
  output[out++] = __shfl_sync(0xffffffffu, value, 5, width);
  output[out++] = __shfl_sync(0xffffffffu, value, -1, width);
  for (int delta : {0, 1, 3, 9}) {
    output[out++] = __shfl_up_sync(0xffffffffu, value, delta, width);
    output[out++] = __shfl_down_sync(0xffffffffu, value, delta, width);
    output[out++] = __shfl_xor_sync(0xffffffffu, value, delta, width);
  }
}

int value_of(int lane) { return lane * 10 + 3; }

int main() {
  for (int width = 2; width <= 32; width *= 2) {
    std::vector<int> want(32 * 20, 0);
    for (int lane = 0; lane < 32; ++lane) {
      int out = lane * 20, first = lane / width * width, last = first + width - 1;
      want[out++] = value_of(first + (lane + 1) % width);
      want[out++] = value_of(first + 5 % width);
      want[out++] = value_of(first + width - 1);
      for (int delta : {0, 1, 3, 9}) {
        want[out++] = value_of(lane - delta < first ? lane : lane - delta);
        want[out++] = value_of(lane + delta > last ? lane : lane + delta);
        want[out++] = value_of((lane ^ delta) > last ? lane : lane ^ delta);
      }
    }
    int *output = device_zeros<int>(want.size());
    shuffle<<<1, 32>>>(output, width);
    std::printf("width %d ", width);
    compare("shuffles", want, download(output, want.size()));
    CHECK(cudaFree(output));
  }
  return 0;
}

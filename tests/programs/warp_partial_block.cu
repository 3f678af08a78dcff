// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / warps that are not full
// Collectives in a last warp that is not full: shuffles, votes and reductions over the lanes that exist.
#include "check.h"

__global__ void run(int *output) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int lanes = min(32, static_cast<int>(blockDim.x) - warp * 32);
  unsigned present = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  int value = threadIdx.x * 5 + 2, sum = value;
  for (int offset = 16; offset > 0; offset /= 2) {
    int other = __shfl_down_sync(present, sum, offset);
    if (lane + offset < lanes) sum += other;
  }
  int *mine = output + threadIdx.x * 5;
  mine[0] = __shfl_sync(present, sum, 0);
  mine[1] = __reduce_max_sync(present, value);
  mine[2] = __popc(__ballot_sync(present, 1));
  mine[3] = __shfl_up_sync(present, value, 1);
  mine[4] = __all_sync(present, value < 300);
}

int main() {
  for (int threads : {1, 7, 31, 33, 50, 95}) {
    std::vector<int> want;
    for (int i = 0; i < threads; ++i) {
      int first = i / 32 * 32, last = std::min(first + 32, threads) - 1, sum = 0;
      for (int k = first; k <= last; ++k) sum += k * 5 + 2;
      want.insert(want.end(),
                  {sum, last * 5 + 2, last - first + 1, (i == first ? i : i - 1) * 5 + 2, last * 5 + 2 < 300});
    }
    int *output = device_zeros<int>(want.size());
    run<<<1, threads>>>(output);
    std::printf("%d threads: ", threads);
    compare("results", want, download(output, want.size()));
    CHECK(cudaFree(output));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / any, all, ballot
// any, all and ballot with full and partial masks; warps that are not full; lanes that have left do not count.
#include "check.h"

__global__ void vote(unsigned *output) {
  int lane = threadIdx.x % 32;
  unsigned *mine = output + threadIdx.x * 8;
  unsigned present = threadIdx.x / 32 == blockDim.x / 32 ? (1u << blockDim.x % 32) - 1 : 0xffffffffu;
  mine[0] = __ballot_sync(present, lane % 5 == 2);
  mine[1] = __all_sync(present, lane < 40);
  mine[2] = __all_sync(present, lane != 9);
  mine[3] = __any_sync(present, lane == 25);
  if (lane & 1) return;
  unsigned even = present & 0x55555555u;
  mine[4] = __ballot_sync(even, lane > 7);
  mine[5] = __any_sync(even, lane == 4);
  mine[6] = __all_sync(even, lane % 2 == 0);
  mine[7] = __ballot_sync(present, true);
}

int main() {
  const int threads = 52;
  std::vector<unsigned> want(threads * 8, 0);
  for (int thread = 0; thread < threads; ++thread) {
    int lane = thread % 32, lanes = thread < 32 ? 32 : threads - 32;
    unsigned *mine = &want[thread * 8];
    for (int other = 0; other < lanes; ++other) mine[0] |= (other % 5 == 2 ? 1u : 0u) << other;
    mine[1] = 1;
    mine[2] = 0;
    mine[3] = lanes > 25;
    if (lane & 1) continue;
    for (int other = 8; other < lanes; other += 2) mine[4] |= 1u << other;
    mine[5] = 1;
    mine[6] = 1;
    for (int other = 0; other < lanes; other += 2) mine[7] |= 1u << other;
  }
  unsigned *output = device_zeros<unsigned>(want.size());
  vote<<<1, threads>>>(output);
  compare("votes", want, download(output, want.size()));
  return 0;
}

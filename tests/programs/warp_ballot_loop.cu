// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / votes in divergent loops
// Votes inside a loop that lanes leave one by one: each round votes among the lanes that the last vote kept.
#include "check.h"

__host__ __device__ int trips_of(int thread) { return thread * 7 % 11 + 1; }

__global__ void count_down(unsigned *masks, int *rounds) {
  int thread = threadIdx.x, remaining = trips_of(thread);
  unsigned active = 0xffffffffu;
  int round = 0;
  while (true) {
    active = __ballot_sync(active, remaining > 0);
    if (remaining <= 0) break;
    if (thread % 32 == __ffs(active) - 1) masks[thread / 32 * 16 + round] = active;
    --remaining;
    ++round;
  }
  rounds[thread] = round;
}

int main() {
  const int threads = 64;
  std::vector<unsigned> want_masks(32, 0);
  std::vector<int> want_rounds(threads);
  for (int thread = 0; thread < threads; ++thread) {
    want_rounds[thread] = trips_of(thread);
    for (int round = 0; round < trips_of(thread); ++round) want_masks[thread / 32 * 16 + round] |= 1u << (thread % 32);
  }
  unsigned *masks = device_zeros<unsigned>(32);
  int *rounds = device_zeros<int>(threads);
  count_down<<<1, threads>>>(masks, rounds);
  compare("masks", want_masks, download(masks, 32));
  compare("rounds", want_rounds, download(rounds, threads));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / aggregation by match
// Warp-aggregated atomics: lanes with equal keys elect a leader by match_any, who adds for all and hands out places.
#include "check.h"

__global__ void count(const int *keys, int *counts, int *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, key = keys[i];
  if (key < 0) return;
  unsigned peers = __match_any_sync(__activemask(), key);
  int leader = __ffs(peers) - 1, first = 0;
  if (lane == leader) first = atomicAdd(&counts[key], __popc(peers));
  first = __shfl_sync(peers, first, leader);
  places[i] = first + __popc(peers & ((1u << lane) - 1));
}

int main() {
  const int n = 640, bins = 9;
  std::vector<int> keys = random_ints(n, bins + 3), want(bins, 0);
  for (int &key : keys) {
    key -= 3;
    if (key >= 0) ++want[key];
  }
  int *counts = device_zeros<int>(bins), *places = device_zeros<int>(n);
  count<<<5, 128>>>(upload(keys), counts, places);
  compare("counts", want, download(counts, bins));
  std::vector<int> got = download(places, n);
  std::vector<std::vector<int>> taken(bins);
  for (int bin = 0; bin < bins; ++bin) taken[bin].assign(want[bin], 0);
  long long distinct = 0;
  for (int i = 0; i < n; ++i)
    if (keys[i] >= 0 && got[i] >= 0 && got[i] < want[keys[i]]) distinct += taken[keys[i]][got[i]]++ == 0;
  long long total = 0;
  for (int value : want) total += value;
  report("distinct places", total, distinct);
  return 0;
}

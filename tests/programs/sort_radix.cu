// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sort radix
// A radix sort of one block, bit by bit: ballots and popcounts give each key's place among the zeros or behind them.
#include <algorithm>

#include "check.h"

const int kThreads = 256, kWarps = kThreads / 32;

__global__ void sort(unsigned *data) {
  __shared__ unsigned keys[kThreads];
  __shared__ int zeros[kWarps];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  keys[threadIdx.x] = data[threadIdx.x];
  for (int bit = 0; bit < 24; ++bit) {
    __syncthreads();
    unsigned key = keys[threadIdx.x];
    bool zero = ((key >> bit) & 1) == 0;
    unsigned ballot = __ballot_sync(0xffffffffu, zero);
    if (lane == 0) zeros[warp] = __popc(ballot);
    __syncthreads();
    int zeros_before = __popc(ballot & ((1u << lane) - 1)), all_zeros = 0;
    for (int w = 0; w < kWarps; ++w) {
      if (w < warp) zeros_before += zeros[w];
      all_zeros += zeros[w];
    }
    int place = zero ? zeros_before : all_zeros + (threadIdx.x - zeros_before);
    keys[place] = key;
  }
  __syncthreads();
  data[threadIdx.x] = keys[threadIdx.x];
}

int main() {
  for (int round = 0; round < 3; ++round) {
    std::vector<unsigned> keys(kThreads);
    Lcg lcg{round + 1u};
    for (unsigned &key : keys) key = lcg.next() >> (8 * round);
    unsigned *data = upload(keys);
    sort<<<1, kThreads>>>(data);
    std::sort(keys.begin(), keys.end());
    compare("sorted", keys, download(data, kThreads));
    CHECK(cudaFree(data));
  }
  return 0;
}

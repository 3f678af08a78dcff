// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / reduce_sync
// reduce_add, min, max, and, or, xor over full and partial masks, signed and unsigned.
#include "check.h"

const unsigned kMasks[4] = {0xffffffffu, 0x0000ffffu, 0xf00ff00fu, 0x80000001u};

__global__ void reduce(const int *values, unsigned mask, int *output) {
  int lane = threadIdx.x, value = values[lane];
  if (!(mask >> lane & 1)) return;
  int *mine = output + lane * 8;
  mine[0] = __reduce_add_sync(mask, value);
  mine[1] = __reduce_min_sync(mask, value);
  mine[2] = __reduce_max_sync(mask, value);
  mine[3] = static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(value)));
  mine[4] = static_cast<int>(__reduce_min_sync(mask, static_cast<unsigned>(value)));
  mine[5] = static_cast<int>(__reduce_max_sync(mask, static_cast<unsigned>(value)));
  mine[6] = static_cast<int>(__reduce_and_sync(mask, static_cast<unsigned>(value) | 0x100u));
  mine[7] = static_cast<int>(__reduce_or_sync(mask, value & 0xff0u) ^ __reduce_xor_sync(mask, 1u << (lane % 7)));
}

int main() {
  std::vector<int> values = random_ints(32, 1 << 20);
  for (int lane = 0; lane < 32; lane += 3) values[lane] = -values[lane];
  for (unsigned mask : kMasks) {
    std::vector<int> want(32 * 8, 0);
    unsigned sum = 0, low = ~0u, high = 0, all = ~0u, some = 0, odd = 0;
    int least = 1 << 30, most = -(1 << 30);
    for (int lane = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1)) continue;
      unsigned bits = static_cast<unsigned>(values[lane]);
      sum += bits;
      low = std::min(low, bits);
      high = std::max(high, bits);
      least = std::min(least, values[lane]);
      most = std::max(most, values[lane]);
      all &= bits | 0x100u;
      some |= bits & 0xff0u;
      odd ^= 1u << (lane % 7);
    }
    const unsigned answers[8] = {
        sum, static_cast<unsigned>(least), static_cast<unsigned>(most), sum, low, high, all, some ^ odd};
    for (int lane = 0; lane < 32; ++lane)
      for (int k = 0; k < 8; ++k)
        if (mask >> lane & 1) want[lane * 8 + k] = static_cast<int>(answers[k]);
    int *output = device_zeros<int>(want.size());
    reduce<<<1, 32>>>(upload(values), mask, output);
    compare("reductions", want, download(output, want.size()));
  }
  return 0;
}

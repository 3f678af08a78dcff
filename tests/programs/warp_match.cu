// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / match_any, match_all
// match_any groups lanes by value, match_all says whether all agree; 32- and 64-bit values, full and partial masks.
#include "check.h"

template <typename T>
__global__ void match(const T *values, unsigned *output) {
  int lane = threadIdx.x, agreed;
  T value = values[lane];
  unsigned *mine = output + lane * 6;
  mine[0] = __match_any_sync(0xffffffffu, value);
  mine[1] = __match_all_sync(0xffffffffu, value, &agreed);
  mine[2] = agreed;
  mine[3] = __match_all_sync(0xffffffffu, static_cast<T>(17), &agreed);
  mine[3] += agreed;
  if (lane >= 8 && lane < 20) {
    mine[4] = __match_any_sync(0x000fff00u, value);
    mine[5] = __match_all_sync(0x000fff00u, value / value, &agreed);
    mine[5] ^= agreed;
  }
}

template <typename T>
void test(const char *name, T scale) {
  std::vector<T> values(32);
  for (int lane = 0; lane < 32; ++lane) values[lane] = static_cast<T>(lane * 5 % 4 + 1) * scale;
  std::vector<unsigned> want(32 * 6, 0);
  for (int lane = 0; lane < 32; ++lane) {
    unsigned group = 0;
    for (int other = 0; other < 32; ++other) group |= (values[other] == values[lane] ? 1u : 0u) << other;
    unsigned *mine = &want[lane * 6];
    mine[0] = group;
    mine[3] = 0xffffffffu + 1u;
    if (lane < 8 || lane >= 20) continue;
    mine[4] = group & 0x000fff00u;
    mine[5] = 0x000fff00u ^ 1u;
  }
  unsigned *output = device_zeros<unsigned>(want.size());
  match<<<1, 32>>>(upload(values), output);
  compare(name, want, download(output, want.size()));
}

int main() {
  test<int>("int", -3);
  test<unsigned>("unsigned", 0x40000000u);
  test<long long>("long long", 1ll << 40);
  test<unsigned long long>("unsigned long long", 1ull << 61);
  test<float>("float", 0.5f);
  test<double>("double", 1e-300);
  return 0;
}

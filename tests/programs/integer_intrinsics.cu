// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / integer intrinsics
// Bit counts, reversals, funnel shifts, byte permutes, high products, sums of differences, saturation, 24-bit products.
#include "check.h"

const int kPer = 22;

__global__ void run(const unsigned *a, const unsigned *b, long long *output) {
  unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  int sx = static_cast<int>(x), sy = static_cast<int>(y);
  unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
  long long *out = output + threadIdx.x * kPer;
  *out++ = __clz(sx);
  *out++ = __ffs(sx);
  *out++ = __popc(x);
  *out++ = __brev(x);
  *out++ = __clzll(static_cast<long long>(wide));
  *out++ = __ffsll(static_cast<long long>(wide));
  *out++ = __popcll(wide);
  *out++ = static_cast<long long>(__brevll(wide));
  *out++ = __funnelshift_l(x, y, 13);
  *out++ = __funnelshift_r(x, y, 45);
  *out++ = __funnelshift_lc(x, y, 40);
  *out++ = __funnelshift_rc(x, y, 40);
  *out++ = __byte_perm(x, y, 0x6172);
  *out++ = __mulhi(sx, sy);
  *out++ = __umulhi(x, y);
  *out++ = static_cast<long long>(__umul64hi(wide, wide ^ 0x5555));
  *out++ = __sad(sx >> 2, sy >> 2, 5u);
  *out++ = __usad(x, y, 7u);
  *out++ = __mul24(sx & 0x7fffff, sy & 0xff);
  *out++ = __hadd(sx, sy);
  *out++ = __rhadd(sx, sy);
  *out++ = __uhadd(x, y);
}

unsigned reversed(unsigned x) {
  unsigned y = 0;
  for (int bit = 0; bit < 32; ++bit) y |= (x >> bit & 1) << (31 - bit);
  return y;
}

int main() {
  const int n = 48;
  std::vector<unsigned> a(n), b(n);
  Lcg lcg{17};
  for (int i = 0; i < n; ++i) {
    a[i] = i == 0 ? 0 : i == 1 ? 0xffffffffu : lcg.next() * 257u >> (i % 20);
    b[i] = i == 0 ? 0 : i == 2 ? 0x80000000u : lcg.next() * 129u;
  }
  std::vector<long long> want;
  for (int i = 0; i < n; ++i) {
    unsigned x = a[i], y = b[i];
    int sx = static_cast<int>(x), sy = static_cast<int>(y);
    unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y,
                       pair = static_cast<unsigned long long>(y) << 32 | x;
    unsigned bytes[8];
    for (int k = 0; k < 8; ++k) bytes[k] = static_cast<unsigned>(pair >> (8 * k) & 0xff);
    want.push_back(x == 0 ? 32 : __builtin_clz(x));
    want.push_back(__builtin_ffs(sx));
    want.push_back(__builtin_popcount(x));
    want.push_back(reversed(x));
    want.push_back(wide == 0 ? 64 : __builtin_clzll(wide));
    want.push_back(__builtin_ffsll(static_cast<long long>(wide)));
    want.push_back(__builtin_popcountll(wide));
    want.push_back(static_cast<long long>(static_cast<unsigned long long>(reversed(y)) << 32 | reversed(x)));
    want.push_back(static_cast<unsigned>(pair << 13 >> 32));
    want.push_back(static_cast<unsigned>(pair >> 13));
    want.push_back(x);
    want.push_back(y);
    want.push_back(bytes[2] | bytes[7] << 8 | bytes[1] << 16 | bytes[6] << 24);
    want.push_back(static_cast<int>(static_cast<long long>(sx) * sy >> 32));
    want.push_back(static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32));
    want.push_back(static_cast<long long>(static_cast<unsigned __int128>(wide) * (wide ^ 0x5555) >> 64));
    want.push_back(static_cast<unsigned>(std::abs(static_cast<long long>(sx >> 2) - (sy >> 2)) + 5));
    want.push_back(static_cast<unsigned>((x > y ? x - y : y - x) + 7u));
    want.push_back(static_cast<int>((x & 0x7fffff) * (y & 0xff)));
    want.push_back((static_cast<long long>(sx) + sy) >> 1);
    want.push_back((static_cast<long long>(sx) + sy + 1) >> 1);
    want.push_back(static_cast<long long>((static_cast<unsigned long long>(x) + y) >> 1));
  }
  long long *output = device_zeros<long long>(want.size());
  run<<<1, n>>>(upload(a), upload(b), output);
  std::vector<long long> got = download(output, want.size());
  for (int k = 0; k < kPer; ++k) {
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += want[i * kPer + k] != got[i * kPer + k];
    if (wrong != 0) std::printf("intrinsic %d: MISMATCH in %d cases\n", k, wrong);
  }
  compare("intrinsics", want, got);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / SIMD-in-a-word intrinsics
// SIMD-in-a-word intrinsics on bytes and halfwords: sums, differences, minima, comparisons, averages, dot products.
#include "check.h"

const int kPer = 14;

__global__ void run(const unsigned *x, const unsigned *y, unsigned *output) {
  unsigned a = x[threadIdx.x], b = y[threadIdx.x], *out = output + threadIdx.x * kPer;
  out[0] = __vadd4(a, b);
  out[1] = __vsub2(a, b);
  out[2] = __vaddus4(a, b);
  out[3] = __vsubss2(a, b);
  out[4] = __vabsdiffu4(a, b);
  out[5] = __vminu4(a, b);
  out[6] = __vmaxs2(a, b);
  out[7] = __vcmpeq4(a, b & 0xff00ffffu) ^ __vcmpgtu4(a, b);
  out[8] = __vsetltu2(a, b);
  out[9] = __vavgu4(a, b);
  out[10] = __vsadu4(a, b);
  out[11] = static_cast<unsigned>(__dp4a(static_cast<int>(a), static_cast<int>(b), 100));
  out[12] = __dp4a(a, b, 7u);
  out[13] = __vneg2(a) ^ __vabs4(b & 0x7f7f7f7fu);
}

template <typename F>
unsigned lanes(unsigned a, unsigned b, int width, F f) {
  unsigned mask = width == 8 ? 0xff : 0xffff, result = 0;
  for (int shift = 0; shift < 32; shift += width)
    result |=
        (static_cast<unsigned>(f(static_cast<int>(a >> shift & mask), static_cast<int>(b >> shift & mask))) & mask)
        << shift;
  return result;
}

int main() {
  const int n = 64;
  std::vector<unsigned> x(n), y(n), want;
  Lcg lcg{88};
  for (int i = 0; i < n; ++i) {
    x[i] = lcg.next() * 259u;
    y[i] = i % 5 == 0 ? x[i] ^ 0x00010000u : lcg.next() * 517u;
  }
  for (int i = 0; i < n; ++i) {
    unsigned a = x[i], b = y[i], sad = 0, udot = 7;
    int dot = 100;
    auto s16 = [](int v) { return static_cast<int>(static_cast<short>(v)); };
    for (int k = 0; k < 32; k += 8) {
      int ua = a >> k & 0xff, ub = b >> k & 0xff;
      sad += std::abs(ua - ub);
      udot += ua * ub;
      dot += static_cast<signed char>(ua) * static_cast<signed char>(ub);
    }
    want.push_back(lanes(a, b, 8, [](int p, int q) { return p + q; }));
    want.push_back(lanes(a, b, 16, [](int p, int q) { return p - q; }));
    want.push_back(lanes(a, b, 8, [](int p, int q) { return std::min(p + q, 255); }));
    want.push_back(lanes(a, b, 16, [&](int p, int q) { return std::max(-32768, std::min(32767, s16(p) - s16(q))); }));
    want.push_back(lanes(a, b, 8, [](int p, int q) { return std::abs(p - q); }));
    want.push_back(lanes(a, b, 8, [](int p, int q) { return std::min(p, q); }));
    want.push_back(lanes(a, b, 16, [&](int p, int q) { return std::max(s16(p), s16(q)); }));
    want.push_back(lanes(a, b & 0xff00ffffu, 8, [](int p, int q) { return p == q ? 0xff : 0; }) ^
                   lanes(a, b, 8, [](int p, int q) { return p > q ? 0xff : 0; }));
    want.push_back(lanes(a, b, 16, [](int p, int q) { return p < q; }));
    want.push_back(lanes(a, b, 8, [](int p, int q) { return (p + q + 1) / 2; }));
    want.push_back(sad);
    want.push_back(static_cast<unsigned>(dot));
    want.push_back(udot);
    want.push_back(lanes(a, 0, 16, [](int p, int) { return -p; }) ^ (b & 0x7f7f7f7fu));
  }
  unsigned *output = device_zeros<unsigned>(want.size());
  run<<<1, n>>>(upload(x), upload(y), output);
  std::vector<unsigned> got = download(output, want.size());
  for (int k = 0; k < kPer; ++k)
    for (int i = 0; i < n; ++i)
      if (want[i * kPer + k] != got[i * kPer + k]) {
        std::printf("intrinsic %d: MISMATCH\n", k);
        break;
      }
  compare("words", want, got);
  return 0;
}

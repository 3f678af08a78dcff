// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / integers, 128-bit products
// Integer semantics: division and remainder with signs, wrap-around, shifts by 0 to 63, promotions, 128-bit products.
#include "check.h"

const int kPer = 16;

__host__ __device__ void compute(int a, int b, long long *out) {
  unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  long long la = static_cast<long long>(a) * 1000003, lb = b;
  signed char c = static_cast<signed char>(a);
  unsigned char uc = static_cast<unsigned char>(a);
  short s = static_cast<short>(a * 3u);
  out[0] = a / b;
  out[1] = a % b;
  out[2] = ua / ub;
  out[3] = ua % ub;
  out[4] = la / lb;
  out[5] = la % lb;
  out[6] = static_cast<int>(ua * ub + 0x9e3779b9u);
  out[7] = a >> (ub % 32);
  out[8] = ua >> (ub % 32);
  out[9] = static_cast<long long>(static_cast<unsigned long long>(la) << (ub % 64));
  out[10] = la >> (ub % 64);
  out[11] = c + uc + s;
  out[12] = static_cast<signed char>(c + 100) - static_cast<unsigned char>(uc + 200);
  out[13] = (c < uc) + 2 * (a < b) + 4 * (ua < ub) + 8 * (c == a);
  out[14] = static_cast<long long>(
      static_cast<unsigned __int128>(static_cast<unsigned long long>(la)) * static_cast<unsigned long long>(la) >> 64);
  out[15] = ~a ^ (-b) ^ (!a) ^ (a && b) ^ (a | ~b);
}

__global__ void run(const int *a, const int *b, long long *output) {
  compute(a[threadIdx.x], b[threadIdx.x], output + threadIdx.x * kPer);
}

int main() {
  const int n = 120;
  std::vector<int> a(n), b(n);
  Lcg lcg{91};
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<int>(lcg.next() * 331u);
    b[i] = static_cast<int>(lcg.next() * 77u) >> (i % 24);
    if (b[i] == 0 || b[i] == -1) b[i] = 7;
    if (i % 2) a[i] >>= i % 16;
  }
  std::vector<long long> want(n * kPer);
  for (int i = 0; i < n; ++i) compute(a[i], b[i], &want[i * kPer]);
  long long *output = device_zeros<long long>(want.size());
  run<<<1, n>>>(upload(a), upload(b), output);
  compare("arithmetic", want, download(output, want.size()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / IEEE arithmetic, -fmad
// With -fmad=false, float and double arithmetic is IEEE's: every bit as on the host; fma where it is asked for.
// flags: -fmad=false
#include "check.h"

__global__ void run(const float *x, const double *y, float *f, double *d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
  f[4 * i] = a * b + c;
  f[4 * i + 1] = (a - b) / (c + 3.0f) - a * a;
  f[4 * i + 2] = sqrtf(a * a + b * b);
  f[4 * i + 3] = fmaf(a, b, c);
  double p = y[i], q = y[(i + 1) % n], r = y[(i + 2) % n];
  d[4 * i] = p * q - r * p;
  d[4 * i + 1] = p / (q + 2) * r;
  d[4 * i + 2] = sqrt(p * p + 1);
  d[4 * i + 3] = fma(p, q, r);
}

int main() {
  const int n = 300;
  std::vector<float> x(n), f(4 * n);
  std::vector<double> y(n), d(4 * n);
  Lcg lcg{63};
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(lcg.next()) / 1e6f;
    y[i] = lcg.next() / 3e6;
  }
  for (int i = 0; i < n; ++i) {
    volatile float a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n], ab = a * b, aa = a * a, bb = b * b;
    f[4 * i] = ab + c;
    volatile float quotient = (a - b) / (c + 3.0f), sum = aa + bb;
    f[4 * i + 1] = quotient - aa;
    f[4 * i + 2] = std::sqrt(static_cast<float>(sum));
    f[4 * i + 3] = std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
    volatile double p = y[i], q = y[(i + 1) % n], r = y[(i + 2) % n], pq = p * q, rp = r * p, pp = p * p;
    d[4 * i] = pq - rp;
    d[4 * i + 1] = p / (q + 2) * r;
    d[4 * i + 2] = std::sqrt(pp + 1);
    d[4 * i + 3] = std::fma(static_cast<double>(p), static_cast<double>(q), static_cast<double>(r));
  }
  float *device_f = device_zeros<float>(4 * n);
  double *device_d = device_zeros<double>(4 * n);
  run<<<5, 64>>>(upload(x), upload(y), device_f, device_d, n);
  compare("float", f, download(device_f, 4 * n));
  compare("double", d, download(device_d, 4 * n));
  return 0;
}

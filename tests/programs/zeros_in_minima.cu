// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / signs of zeros in minima
// -0 + 0 is +0 also as an operand of fmin and fmax, and in what is computed there.
#include "check.h"

#define KERNEL(T, MIN, MAX)                      \
  __global__ void run(const T *values, T *out) { \
    T x = values[threadIdx.x], sum = x + T(0);   \
    out += 6 * threadIdx.x;                      \
    out[0] = T(1) / MIN(x + T(0), T(5));         \
    out[1] = T(1) / MAX(x + T(0), T(-5));        \
    out[2] = MIN(T(1) / (x + T(0)), T(9));       \
    out[3] = MAX(T(1) / (x + T(0)), T(-9));      \
    out[4] = T(1) / min(sum, T(5));              \
    out[5] = T(1) / max(sum, T(-5));             \
  }
KERNEL(float, fminf, fmaxf)
KERNEL(double, fmin, fmax)

template <typename T>
void check(const char *name) {
  std::vector<T> values{T(0), T(-0.0), T(2)}, want;
  const T inf = INFINITY, half = T(.5);
  for (int zero = 0; zero < 2; ++zero) want.insert(want.end(), {inf, inf, T(9), inf, inf, inf});
  want.insert(want.end(), {half, half, half, half, half, half});
  T *out = device_zeros<T>(want.size());
  run<<<1, 3>>>(upload(values), out);
  compare(name, want, download(out, want.size()));
}

int main() {
  check<float>("float");
  check<double>("double");
}

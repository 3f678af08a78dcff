// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / signs of zeros in minima
// -0 + 0 is +0 also as an operand of fmin and fmax, and in what is computed there. -0 is less than +0, where one of
// them is a constant, and in half and bfloat16; and a NaN is the result only where both operands are NaN.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

// The bits of minima and maxima with constants.
template <typename T, typename Bits>
__global__ void with_zeros(const T *values, Bits *out) {
  const T x = values[threadIdx.x];
  const T results[] = {max(x, T(0)),
                       max(T(0), x),
                       min(x, T(0)),
                       min(x, T(-0.0)),
                       min(T(-0.0), x),
                       max(x, T(-0.0)),
                       min(max(x, T(-1)), T(1))};
  for (int i = 0; i < 7; ++i) memcpy(out + 7 * threadIdx.x + i, results + i, sizeof(T));
}

template <typename T, typename Bits>
void check_constants(const char *name) {
  const int top = 8 * sizeof(T) - 1;
  const Bits minus = Bits(1) << top;
  auto bits = [](T value) {
    Bits result;
    memcpy(&result, &value, sizeof(T));
    return result;
  };
  const Bits one = bits(T(1)), infinity = bits(T(INFINITY)), quiet = bits(T(NAN)) & ~minus;
  std::vector<Bits> values{0, minus, one, one | minus, quiet, quiet | minus, infinity, infinity | minus}, want;
  for (Bits x : values) {
    const bool is_nan = (x & ~minus) > infinity, below = x & minus;
    want.push_back(is_nan || below ? 0 : x);
    want.push_back(want.back());
    want.push_back(!is_nan && below ? x : 0);
    want.push_back(!is_nan && below ? x : minus);
    want.push_back(want.back());
    want.push_back(is_nan || below ? minus : x);
    want.push_back(is_nan ? one | minus : std::min(x & ~minus, one) | (x & minus));
  }
  Bits *out = device_zeros<Bits>(want.size());
  with_zeros<<<1, int(values.size())>>>(reinterpret_cast<const T *>(upload(values)), out);
  compare(name, want, download(out, want.size()));
}

template <typename T>
__global__ void narrow(const T *values, T *out, int n) {
  const T a = values[threadIdx.x / n], b = values[threadIdx.x % n];
  out[2 * threadIdx.x] = __hmin(a, b);
  out[2 * threadIdx.x + 1] = __hmax(a, b);
}

// Of +0, -0, 1, -1 and NaN; a NaN is 0x7fff.
template <typename T>
void check_narrow(const char *name, unsigned short one) {
  const unsigned short minus = 0x8000, nan = 0x7fff;
  const std::vector<unsigned short> values{static_cast<unsigned short>(one | minus), minus, 0, one,
                                           nan};  // ascending, but for the NaN
  std::vector<unsigned short> want;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 5; ++k) {
      want.push_back(values[std::min(i, k)]);
      want.push_back(i == 4 || k == 4 ? values[std::min(i, k)] : values[std::max(i, k)]);
    }
  }
  unsigned short *out = device_zeros<unsigned short>(want.size());
  narrow<<<1, 25>>>(reinterpret_cast<const T *>(upload(values)), reinterpret_cast<T *>(out), 5);
  compare(name, want, download(out, want.size()));
}

int main() {
  check<float>("float");
  check<double>("double");
  check_constants<float, unsigned>("float with constants");
  check_constants<double, unsigned long long>("double with constants");
  check_narrow<__half>("half", 0x3c00);
  check_narrow<__nv_bfloat16>("bfloat16", 0x3f80);
}

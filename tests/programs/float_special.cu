// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / NaN, infinities, denormals
// NaN, infinities, signed zeros and denormals in comparisons, minima, conversions and classification.
#include "check.h"

const int kPer = 12;

__global__ void run(const float *values, int count, int *output) {
  float a = values[threadIdx.x % count], b = values[threadIdx.x / count];
  double da = a, db = b;
  int *out = output + threadIdx.x * kPer;
  out[0] = (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b);
  out[1] = (da < db) + 2 * (da == db) + 4 * !(da > db);
  out[2] = isnan(a) + 2 * (isinf(a) != 0) + 4 * (isfinite(a) != 0) + 8 * (signbit(a) != 0);
  float low = fminf(a, b), high = fmaxf(a, b);
  out[3] = isnan(low) ? 77 : __float_as_int(low + 0.0f);
  out[4] = isnan(high) ? 77 : __float_as_int(high + 0.0f);
  float sum = a + b, product = a * b, quotient = a / b;
  out[5] = isnan(sum) ? 77 : __float_as_int(sum);
  out[6] = isnan(product) ? 77 : __float_as_int(product);
  out[7] = isnan(quotient) ? 77 : __float_as_int(quotient);
  out[8] = __float_as_int(fabsf(copysignf(1.0f, a)) * copysignf(2.0f, b));
  out[9] = a > 0 ? 1 : a < 0 ? -1 : 0;
  out[10] = isnan(sqrtf(a)) ? 77 : __float_as_int(sqrtf(a));
  out[11] = isnan(a) || isinf(a) || fabsf(a) > 1e9f ? 0 : static_cast<int>(a);
}

int bits(float value) {
  int result;
  if (std::isnan(value)) return 77;
  std::memcpy(&result, &value, 4);
  return result;
}

int main() {
  const float inf = INFINITY;
  std::vector<float> values{0.0f, -0.0f, 1.0f, -2.5f, inf, -inf, NAN, 1e-40f, 3.4e38f, 1e-38f};
  const int count = static_cast<int>(values.size());
  std::vector<int> want;
  for (int i = 0; i < count * count; ++i) {
    float a = values[i % count], b = values[i / count];
    float low = std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b;
    float high = std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b;
    want.push_back((a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b) + 32 * (a >= b));
    want.push_back((a < b) + 2 * (a == b) + 4 * !(a > b));
    want.push_back(std::isnan(a) + 2 * std::isinf(a) + 4 * std::isfinite(a) + 8 * (!std::isnan(a) && std::signbit(a)));
    want.push_back(bits(low + 0.0f));
    want.push_back(bits(high + 0.0f));
    want.push_back(bits(a + b));
    want.push_back(bits(a * b));
    want.push_back(bits(a / b));
    want.push_back(bits(std::isnan(b) ? 2.0f : std::copysign(2.0f, b)));
    want.push_back(a > 0 ? 1 : a < 0 ? -1 : 0);
    want.push_back(bits(std::sqrt(a)));
    want.push_back(std::isnan(a) || std::isinf(a) || std::fabs(a) > 1e9f ? 0 : static_cast<int>(a));
  }
  int *output = device_zeros<int>(want.size());
  run<<<1, count * count>>>(upload(values), count, output);
  std::vector<int> got = download(output, want.size());
  compare("special values", want, got);
  int shown = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (want[i] != got[i] && shown++ < 5)
      std::printf("MISMATCH case %zu of (%g, %g): want %x got %x\n", i % kPer, values[i / kPer % count],
                  values[i / kPer / count], want[i], got[i]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / black scholes
// Black-Scholes option prices in float with erfcf, expf, logf and sqrtf, near the host's double precision.
#include "check.h"

__device__ float normal_cdf(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

__global__ void price(const float *spot, const float *strike, const float *years, float *call, float *put, int n) {
  const float rate = 0.02f, volatility = 0.3f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float root = sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
    float d2 = d1 - volatility * root, discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
    put[i] = discounted * normal_cdf(-d2) - spot[i] * normal_cdf(-d1);
  }
}

int main() {
  const int n = 500;
  std::vector<float> spot(n), strike(n), years(n);
  std::vector<float> want_call(n), want_put(n);
  Lcg lcg{50};
  for (int i = 0; i < n; ++i) {
    spot[i] = 5 + lcg.below(2500) / 100.0f;
    strike[i] = 1 + lcg.below(9900) / 100.0f;
    years[i] = 0.25f + lcg.below(975) / 100.0f;
    double s = spot[i], k = strike[i], t = years[i], rate = 0.02f, v = 0.3f;
    double d1 = (std::log(s / k) + (rate + 0.5 * v * v) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
    auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    want_call[i] = static_cast<float>(s * cdf(d1) - k * std::exp(-rate * t) * cdf(d2));
    want_put[i] = static_cast<float>(k * std::exp(-rate * t) * cdf(-d2) - s * cdf(-d1));
  }
  float *call = device_zeros<float>(n), *put = device_zeros<float>(n);
  price<<<4, 64>>>(upload(spot), upload(strike), upload(years), call, put, n);
  compare_near("calls", want_call, download(call, n), 1e-4);
  compare_near("puts", want_put, download(put, n), 1e-4);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "black_scholes.h"

static inline float normal(float d) {
  typedef BlackScholes B;
  const float k = 1.0f / (1.0f + B::kP * fabsf(d));
  const float tail = B::kInverseRootOf2Pi * expf(-0.5f * d * d) *
                     (k * (B::kB1 + k * (B::kB2 + k * (B::kB3 + k * (B::kB4 + k * B::kB5)))));
  return d > 0 ? 1.0f - tail : tail;
}

static void black_scholes(const BlackScholes &options, float *call, float *put) {
  const float *price = options.price.data(), *strike = options.strike.data(), *years = options.years.data();
  const float rate = BlackScholes::kRate, volatility = BlackScholes::kVolatility;
  const int n = options.count;
#pragma omp parallel for simd
  for (int i = 0; i < n; ++i) {
    const float s = price[i], x = strike[i], t = years[i];
    const float deviation = volatility * sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
    const float n1 = normal(d1), n2 = normal(d1 - deviation);
    const float discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  BlackScholes problem(settings);
  bench::Array<float> call(problem.count), put(problem.count);
  return bench::measure(
      settings, problem.work(), [&] { black_scholes(problem, call.data(), put.data()); },
      [&] { return problem.check(call.data(), put.data()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices of 131063 European calls and puts by the formula of Black and Scholes; the normal distribution by the
// polynomial of Abramowitz and Stegun, 26.2.17.
#pragma once

#include "harness.h"

struct BlackScholes {
  static constexpr float kRate = 0.02f, kVolatility = 0.3f;
  static constexpr float kP = 0.2316419f, kB1 = 0.319381530f, kB2 = -0.356563782f, kB3 = 1.781477937f,
                         kB4 = -1.821255978f, kB5 = 1.330274429f, kInverseRootOf2Pi = 0.398942280f;
  int count;
  bench::Array<float> price, strike, years;

  explicit BlackScholes(const bench::Settings &settings)
      : count(settings.quick ? 2039 : 131072 - 9), price(count), strike(count), years(count) {
    bench::Random random(2);
    for (int i = 0; i < count; ++i) {
      price[i] = random.uniform(5, 30);
      strike[i] = random.uniform(1, 100);
      years[i] = random.uniform(0.25f, 10);
    }
  }

  bench::Work work() const { return {59.0 * count, 20.0 * count, 20.0 * count, true}; }

  bench::Check check(const float *calls, const float *puts) const {
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      const double s = price[i], x = strike[i], t = years[i], deviation = kVolatility * std::sqrt(t);
      const double d1 = (std::log(s / x) + (kRate + 0.5 * kVolatility * kVolatility) * t) / deviation;
      const double discounted = x * std::exp(-kRate * t);
      const double call = s * normal(d1) - discounted * normal(d1 - deviation), put = call - s + discounted;
      worst = std::max(worst, bench::largest_error(calls + i, &call, 1));
      worst = std::max(worst, bench::largest_error(puts + i, &put, 1));
    }
    return {worst, 1e-4};
  }

 private:
  static double normal(double d) {
    const double k = 1 / (1 + kP * std::fabs(d));
    const double polynomial = k * (kB1 + k * (kB2 + k * (kB3 + k * (kB4 + k * kB5))));
    const double tail = kInverseRootOf2Pi * std::exp(-0.5 * d * d) * polynomial;
    return d > 0 ? 1 - tail : tail;
  }
};

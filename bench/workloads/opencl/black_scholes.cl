// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float polynomial =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.398942280f * exp(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(int n, global const float *price, global const float *strike, global const float *years,
                          global float *call, global float *put, float rate, float volatility) {
  int i = get_global_id(0);
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float deviation = volatility * sqrt(t);
  float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
  float n1 = normal(d1), n2 = normal(d1 - deviation);
  float discounted = x * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An option a thread.
#include "black_scholes.h"

const int kThreads = 128;

__device__ float normal(float d) {
  typedef BlackScholes B;
  float k = 1.0f / (1.0f + B::kP * fabsf(d));
  float tail = B::kInverseRootOf2Pi * expf(-0.5f * d * d) *
               (k * (B::kB1 + k * (B::kB2 + k * (B::kB3 + k * (B::kB4 + k * B::kB5)))));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(int n, const float *price, const float *strike, const float *years, float *call,
                              float *put, float rate, float volatility) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float deviation = volatility * sqrtf(t);
  float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / deviation;
  float n1 = normal(d1), n2 = normal(d1 - deviation);
  float discounted = x * expf(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  BlackScholes problem(settings);
  const int n = problem.count;
  bench::DeviceArray<float> price(problem.price), strike(problem.strike), years(problem.years), call(n), put(n);
  return bench::measure(
      settings, problem.work(),
      [&] {
        black_scholes<<<(n + kThreads - 1) / kThreads, kThreads>>>(n, price.data(), strike.data(), years.data(),
                                                                   call.data(), put.data(), BlackScholes::kRate,
                                                                   BlackScholes::kVolatility);
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(call.to_host().data(), put.to_host().data()); });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / -use_fast_math
// With -use_fast_math the results stay near.
// flags: -use_fast_math
#include "check.h"

__global__ void run(const float *x, float *y) {
  int i = threadIdx.x;
  y[i] = sinf(x[i]) / (1.0f + expf(-x[i])) + sqrtf(x[i]) * logf(x[i] + 1) + powf(x[i], 1.5f);
}

int main() {
  const int n = 64;
  std::vector<float> x(n), want(n);
  for (int i = 0; i < n; ++i) {
    double v = x[i] = 0.05f * (i + 1);
    want[i] = static_cast<float>(std::sin(v) / (1 + std::exp(-v)) + std::sqrt(v) * std::log(v + 1) + std::pow(v, 1.5));
  }
  float *y = device_zeros<float>(n);
  run<<<1, n>>>(upload(x), y);
  compare_near("near", want, download(y, n), 1e-4);
  return 0;
}

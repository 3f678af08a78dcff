// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / sines, cosines and powers under -use_fast_math
// flags: -use_fast_math
// Within the errors that CUDA states where it states any; elsewhere the functions stay what they are: bounded, with
// powers of negative numbers.
#include "check.h"

__global__ void angles(const float *x, float *sines, float *cosines, float *plain, float *both, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sines[i] = sinf(x[i]);
  cosines[i] = cosf(x[i]);
  plain[i] = __sinf(x[i]);
  float sine, cosine;
  __sincosf(x[i], &sine, &cosine);
  both[i] = sine * sine + cosine * cosine;
}

__global__ void powers(const float *x, const float *y, float *result, float *plain, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  result[i] = powf(x[i], y[i]);
  plain[i] = __powf(x[i], y[i]);
}

int main() {
  std::vector<float> x = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 3e38f, -1e30f, 1e-40f, 65536.0f, -65537.0f, 1e7f};
  while (x.size() < 5000) x.push_back(-100.0f + 0.04f * x.size());
  const int n = static_cast<int>(x.size());
  float *sines = device_zeros<float>(n), *cosines = device_zeros<float>(n), *plain = device_zeros<float>(n),
        *both = device_zeros<float>(n);
  angles<<<(n + 127) / 128, 128>>>(upload(x), sines, cosines, plain, both, n);
  const std::vector<float> s = download(sines, n), c = download(cosines, n), p = download(plain, n),
                           b = download(both, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const double v = x[i];
    if (!std::isfinite(v)) {
      wrong += !std::isnan(s[i]) || !std::isnan(c[i]) || !std::isnan(p[i]);
      continue;
    }
    const bool near = std::fabs(v) <= 3.14159265;
    wrong += !(std::fabs(s[i] - std::sin(v)) <= std::exp2(near ? -21.41 : -20.0));
    wrong += !(std::fabs(p[i] - std::sin(v)) <= std::exp2(near ? -21.41 : -20.0));
    wrong += !(std::fabs(c[i] - std::cos(v)) <= std::exp2(near ? -21.19 : -20.0));
    wrong += !(std::fabs(b[i] - 1) <= std::exp2(-19.0));
  }
  printf("angles wrong: %d\n", wrong);

  std::vector<float> bases, exponents;
  for (float base : {-3.0f, -2.5f, -0.0f, 0.0f, 1e-40f, 0.25f, 0.9f, 1.0f, 1.0001f, 2.0f, 7.5f, 1e20f, INFINITY, NAN})
    for (float exponent : {-3.0f, -0.5f, 0.0f, 0.3f, 1.0f, 2.0f, 2.5f, 11.0f, INFINITY, -INFINITY, NAN})
      bases.push_back(base), exponents.push_back(exponent);
  const int m = static_cast<int>(bases.size());
  float *result = device_zeros<float>(m), *intrinsic = device_zeros<float>(m);
  powers<<<(m + 63) / 64, 64>>>(upload(bases), upload(exponents), result, intrinsic, m);
  const std::vector<float> r = download(result, m), q = download(intrinsic, m);
  wrong = 0;
  for (int i = 0; i < m; ++i) {
    const float a = bases[i], y = exponents[i];
    if (std::fabs(a) == 1e-40f) continue;  // a zero to a GPU
    const double want = std::pow(double(a), double(y)), bits = std::fabs(y * std::log2(std::fabs(a)));
    for (float got : {r[i], q[i]}) {
      if (std::isnan(want))
        wrong += !std::isnan(got);
      else if (std::fabs(want) > 3.4e38 || std::fabs(want) < 1.2e-38)
        wrong += !(std::fabs(want) > 1 ? got > 3.3e38f || got < -3.3e38f : std::fabs(got) < 1.2e-38f);
      else
        wrong += !(got == want || std::fabs(got / want - 1) <= (4 + 3 * bits + std::fabs(y)) * std::exp2(-22));
    }
  }
  printf("powers wrong: %d\n", wrong);
  return wrong != 0;
}

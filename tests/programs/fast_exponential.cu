// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / exponential functions under -use_fast_math
// flags: -use_fast_math
// Within the errors that CUDA states, for arguments of every size; minima and maxima of denormals are zeros.
#include "check.h"

__global__ void exponentials(const float *x, float *e, float *ten, float *plain, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  e[i] = expf(x[i]);
  ten[i] = exp10f(x[i]);
  plain[i] = __expf(x[i]);
}

// Each thread: the largest and the smallest of four numbers, and of the first with 0.
__global__ void extremes(const float *x, float *most, float *least, float *above) {
  const int i = threadIdx.x;
  float high = x[4 * i], low = x[4 * i];
  for (int k = 1; k < 4; ++k) {
    high = fmaxf(high, x[4 * i + k]);
    low = fminf(low, x[4 * i + k]);
  }
  most[i] = high;
  least[i] = low;
  above[i] = fmaxf(x[4 * i], 0.0f);
}

static double flushed(double x) { return std::fabs(x) < 0x1p-126 ? 0 : x; }

static bool is_near(float got, double want, double ulps) {
  if (std::isnan(want)) return std::isnan(got);
  if (want > 3.4028235677973366e38) return got > 3.4e38f;  // infinite, or the largest within the error
  if (want < 0x1p-126 * 1.0001) return got >= 0 && got < 0x1p-125;
  return std::fabs(got - want) <= ulps * want * 0x1p-23;
}

int main() {
  std::vector<float> x = {0.0f,   -0.0f,  INFINITY, -INFINITY, NAN,    3e38f,
                          -3e38f, 1e-40f, -1e-10f,  88.72f,    -87.3f, 104.0f};
  while (x.size() < 4000) x.push_back(-100.0f + 0.05f * x.size());
  const int n = static_cast<int>(x.size());
  float *e = device_zeros<float>(n), *ten = device_zeros<float>(n), *plain = device_zeros<float>(n);
  exponentials<<<(n + 127) / 128, 128>>>(upload(x), e, ten, plain, n);
  const std::vector<float> got_e = download(e, n), got_ten = download(ten, n), got_plain = download(plain, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const double v = x[i], bound = 2.5 + std::floor(std::fabs(1.173 * v)),
                 bound_ten = 2.5 + std::floor(std::fabs(2.95 * v));
    wrong += !is_near(got_e[i], std::exp(v), bound) || !is_near(got_plain[i], std::exp(v), bound);
    wrong += !is_near(got_ten[i], std::pow(10.0, v), bound_ten);
  }
  printf("exponentials wrong: %d\n", wrong);

  const float values[] = {1e-40f, -1e-40f, 0.0f, 2e-39f, -3e-39f, 1.5f, -2.5f, NAN};
  const int threads = 64;
  std::vector<float> numbers;
  for (int i = 0; i < 4 * threads; ++i) numbers.push_back(values[(i * 5 + i / 7) % 8]);
  float *most = device_zeros<float>(threads), *least = device_zeros<float>(threads),
        *above = device_zeros<float>(threads);
  extremes<<<1, threads>>>(upload(numbers), most, least, above);
  const std::vector<float> highs = download(most, threads), lows = download(least, threads),
                           aboves = download(above, threads);
  wrong = 0;
  for (int i = 0; i < threads; ++i) {
    double high = numbers[4 * i], low = high;
    for (int k = 1; k < 4; ++k) {
      high = std::fmax(high, numbers[4 * i + k]);
      low = std::fmin(low, numbers[4 * i + k]);
    }
    wrong += highs[i] != flushed(high) || lows[i] != flushed(low);
    wrong += aboves[i] != flushed(std::fmax(numbers[4 * i], 0.0f));
  }
  printf("extremes wrong: %d\n", wrong);
  return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / float mathematics
// Single-precision mathematics and the fast intrinsics, within the error that CUDA allows.
#include "check.h"

// clang-format off
#define UNARY(APPLY) \
  APPLY(sin) APPLY(cos) APPLY(tan) APPLY(asin) APPLY(acos) APPLY(atan) APPLY(sinh) APPLY(cosh) APPLY(tanh) \
  APPLY(exp) APPLY(exp2) APPLY(expm1) APPLY(log) APPLY(log2) APPLY(log10) APPLY(log1p) APPLY(sqrt) APPLY(cbrt) \
  APPLY(floor) APPLY(ceil) APPLY(trunc) APPLY(round) APPLY(rint) APPLY(fabs) APPLY(erf) APPLY(erfc)
// clang-format on

const int kCount = 6;

__global__ void run(const float *points, float *output) {
  float x = points[threadIdx.x];
  float *out = output + threadIdx.x;
#define APPLY(name) *out = name##f(x), out += kCount;
  UNARY(APPLY)
#undef APPLY
  *out = powf(x, 1.7f), out += kCount;
  *out = fmodf(x * 9, 0.6f), out += kCount;
  *out = atan2f(x, -0.4f), out += kCount;
  *out = hypotf(x, 2.0f), out += kCount;
  *out = rsqrtf(x), out += kCount;
  *out = fmaxf(x, 0.6f) + 10 * fminf(x, 0.6f), out += kCount;
  *out = fmaf(x, x, x), out += kCount;
  *out = __sinf(x), out += kCount;
  *out = __cosf(x), out += kCount;
  *out = __expf(x), out += kCount;
  *out = __exp10f(x), out += kCount;
  *out = __logf(x), out += kCount;
  *out = __log2f(x), out += kCount;
  *out = __log10f(x), out += kCount;
  *out = __powf(x, 2.5f), out += kCount;
  *out = __fdividef(x, 3.0f), out += kCount;
  *out = __saturatef(x * 3 - 1), out += kCount;
  *out = __frcp_rn(x) + __fsqrt_rn(x) + __fadd_rn(x, 1.0f) * __fmul_rn(x, 2.0f) + __fdiv_rn(x, 7.0f), out += kCount;
  *out = norm3df(x, 2.0f, 3.0f) + normcdff(x), out += kCount;
  *out = sin(x) + exp(x) + pow(x, 2.0f) + abs(-x) + max(x, 0.5f) + min(x, 0.5f);
}

int main() {
  std::vector<float> points{0.0625f, 0.25f, 0.5f, 0.7f, 0.8125f, 0.95f}, row(kCount);
  std::vector<std::vector<float>> want;
  std::vector<const char *> names;
#define ROW(name, value)                \
  for (int i = 0; i < kCount; ++i) {    \
    double x = points[i];               \
    row[i] = static_cast<float>(value); \
  }                                     \
  names.push_back(name);                \
  want.push_back(row);
#define APPLY(f) ROW(#f, std::f(x))
  UNARY(APPLY)
#undef APPLY
  ROW("pow", std::pow(x, 1.7))
  ROW("fmod", std::fmod(x * 9, 0.6f))
  ROW("atan2", std::atan2(x, -0.4))
  ROW("hypot", std::hypot(x, 2))
  ROW("rsqrt", 1 / std::sqrt(x))
  ROW("fmax fmin", std::fmax(x, 0.6) + 10 * std::fmin(x, 0.6))
  ROW("fma", x * x + x)
  ROW("__sinf", std::sin(x))
  ROW("__cosf", std::cos(x))
  ROW("__expf", std::exp(x))
  ROW("__exp10f", std::pow(10, x))
  ROW("__logf", std::log(x))
  ROW("__log2f", std::log2(x))
  ROW("__log10f", std::log10(x))
  ROW("__powf", std::pow(x, 2.5))
  ROW("__fdividef", x / 3)
  ROW("__saturatef", x * 3 - 1 < 0 ? 0 : x * 3 - 1 > 1 ? 1 : x * 3 - 1)
  ROW("rounded", 1 / x + std::sqrt(x) + (x + 1) * (2 * x) + x / 7)
  ROW("norms", std::sqrt(x * x + 13) + std::erfc(-x / std::sqrt(2.0)) / 2)
  ROW("overloads", std::sin(x) + std::exp(x) + x * x + x + std::fmax(x, 0.5) + std::fmin(x, 0.5))
  float *output = device_zeros<float>(kCount * want.size());
  run<<<1, kCount>>>(upload(points), output);
  std::vector<float> got = download(output, kCount * want.size());
  for (std::size_t f = 0; f < want.size(); ++f)
    compare_near(names[f], want[f], std::vector<float>(got.begin() + kCount * f, got.begin() + kCount * (f + 1)), 1e-5);
  return 0;
}

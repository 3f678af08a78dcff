// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / double mathematics
// Double-precision mathematics: each function at a few points, near the host's.
#include "check.h"

// clang-format off
#define UNARY(APPLY) \
  APPLY(sin) APPLY(cos) APPLY(tan) APPLY(asin) APPLY(acos) APPLY(atan) APPLY(sinh) APPLY(cosh) APPLY(tanh) \
  APPLY(asinh) APPLY(atanh) APPLY(exp) APPLY(exp2) APPLY(expm1) APPLY(log) APPLY(log2) APPLY(log10) APPLY(log1p) \
  APPLY(sqrt) APPLY(cbrt) APPLY(floor) APPLY(ceil) APPLY(trunc) APPLY(round) APPLY(rint) APPLY(nearbyint) \
  APPLY(fabs) APPLY(erf) APPLY(erfc) APPLY(tgamma) APPLY(lgamma) APPLY(logb)
#define BINARY(APPLY) \
  APPLY(pow) APPLY(fmod) APPLY(atan2) APPLY(hypot) APPLY(fmin) APPLY(fmax) APPLY(fdim) APPLY(copysign) \
  APPLY(remainder)
// clang-format on

const double kPoints[5] = {0.125, 0.5, 0.75, 0.9, 0.99};

__global__ void run(const double *points, double *output) {
  double x = points[threadIdx.x];
  double *out = output + threadIdx.x;
#define APPLY(f) *out = f(x), out += 5;
  UNARY(APPLY)
#undef APPLY
#define APPLY(f) *out = f(x, 0.3), out += 5;
  BINARY(APPLY)
#undef APPLY
  int exponent;
  double whole, sine, cosine;
  double mantissa = frexp(x * 10, &exponent), fraction = modf(x * 10, &whole);
  *out = mantissa + exponent, out += 5;
  *out = fraction * 100 + whole, out += 5;
  sincos(x, &sine, &cosine);
  *out = sine * 10 + cosine, out += 5;
  *out = ldexp(x, 5) + scalbn(x, 2) + fma(x, 2.0, 1.0), out += 5;
  *out = rsqrt(x) + rcbrt(x) + sinpi(x) + cospi(x) + exp10(x), out += 5;
  *out = isnan(x / 0.0 - x / 0.0) + 10 * isinf(x / 0.0) + 100 * isfinite(x) + 1000 * (signbit(-x) != 0);
}

int main() {
  std::vector<std::vector<double>> want;
  std::vector<const char *> names;
  std::vector<double> points(kPoints, kPoints + 5), row(5);
#define ROW(name, value)        \
  for (int i = 0; i < 5; ++i) { \
    double x = kPoints[i];      \
    row[i] = value;             \
  }                             \
  names.push_back(name);        \
  want.push_back(row);
#define APPLY(f) ROW(#f, std::f(x))
  UNARY(APPLY)
#undef APPLY
#define APPLY(f) ROW(#f, std::f(x, 0.3))
  BINARY(APPLY)
#undef APPLY
  const double pi = 3.14159265358979323846;
  int e;
  double w;
  ROW("frexp", std::frexp(x * 10, &e) + std::ilogb(x * 10) + 1)
  ROW("modf", std::modf(x * 10, &w) * 100 + std::floor(x * 10))
  ROW("sincos", std::sin(x) * 10 + std::cos(x))
  ROW("ldexp", x * 32 + x * 4 + x * 2 + 1)
  ROW("rsqrt", 1 / std::sqrt(x) + 1 / std::cbrt(x) + std::sin(pi * x) + std::cos(pi * x) + std::pow(10.0, x))
  ROW("classes", 1111)
  double *output = device_zeros<double>(5 * want.size());
  run<<<1, 5>>>(upload(points), output);
  std::vector<double> got = download(output, 5 * want.size());
  for (std::size_t f = 0; f < want.size(); ++f)
    compare_near(names[f], want[f], std::vector<double>(got.begin() + 5 * f, got.begin() + 5 * f + 5), 1e-11);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / special functions
// clang-format off: it never comes to rest on lists of macro calls
//
// The functions that CUDA adds to the C library's, at ordinary, huge, tiny and invalid arguments: six digits of double,
// five of float, as an H200 gives them.
#include <cstdio>

#define DOUBLES(F)                                                                                                 \
  F(rsqrt)                                                                                                         \
  F(rcbrt)                                                                                                         \
  F(sinpi)                                                                                                         \
  F(cospi) F(erfinv) F(erfcinv) F(erfcx) F(normcdf) F(normcdfinv) F(cyl_bessel_i0) F(cyl_bessel_i1) F(exp10) F(j0) \
      F(j1) F(y0) F(y1) F(lgamma) F(tgamma) F(cbrt) F(logb) F(erf) F(erfc) F(expm1) F(log1p)
#define PRINT(name)                                                          \
  printf("%s", #name);                                                       \
  for (double x : inputs) printf(" %.6g", clean(name(x)));                   \
  printf("\n%sf", #name);                                                    \
  for (double x : inputs) printf(" %.5g", clean((double)name##f((float)x))); \
  printf("\n");

// The sign of a NaN is not specified.
__device__ double clean(double x) { return x != x ? __longlong_as_double(0x7ff8000000000000ll) : x; }

__global__ void unary() {
  const double inputs[] = {0.0, -0.0, 1e-30, 0.02, 0.25, 0.3,  0.5,  0.75,  0.999, 1.0,      1.25,      1.5, 1.9,
                           2.0, 2.5,  3.7,   10.0, 30.0, -0.3, -1.0, -2.25, -5.5,  INFINITY, -INFINITY, NAN};
  DOUBLES(PRINT)
}

__global__ void several() {
  double v[5] = {3.0, -4.0, 12.0, 84.0, 1e-3};
  float f[5] = {3.0f, -4.0f, 12.0f, 84.0f, 1e-3f};
  printf("%.6g %.6g %.6g %.6g\n", norm(5, v), rnorm(5, v), (double)normf(5, f), (double)rnormf(5, f));
  printf("%.6g %.6g %.6g %.6g\n", norm3d(1e200, 2e200, 2e200), rnorm3d(1e-200, 2e-200, 2e-200),
         norm4d(1.0, 1.0, 1.0, 1.0), rnorm4d(2.0, 4.0, 4.0, 8.0));
  printf("%.6g %.6g %.6g %.6g\n", (double)norm3df(1e30f, 2e30f, 2e30f), (double)rnorm3df(1e-30f, 2e-30f, 2e-30f),
         (double)norm4df(1, 1, 1, 1), (double)rnorm4df(2, 4, 4, 8));
  printf("%.6g %.6g %.6g %.6g\n", hypot(3e300, 4e300), rhypot(3e-300, 4e-300), (double)hypotf(3, 4),
         (double)rhypotf(3, 4));
  printf("%.6g %.6g\n", norm3d((double)NAN, (double)INFINITY, 1.0), rnorm3d(0.0, 0.0, 0.0));
  double s, c;
  float sf, cf;
  sincospi(0.3, &s, &c);
  sincospif(1.7f, &sf, &cf);
  printf("%.6g %.6g %.6g %.6g\n", s, c, (double)sf, (double)cf);
  printf("%.6g %.6g %.6g\n", jn(3, 2.5), yn(2, 1.5), (double)jnf(4, 3.5f));
  printf("%.6g %.6g %.6g\n", sinpi(1e15 + 0.5), cospi(123456.75), (double)sinpif(1000000.5f));
  printf("%.6g %.6g %.6g\n", normcdf(-30.0), erfcinv(1e-300), normcdfinv(1e-15));
  printf("%.6g %.6g %.6g\n", erfcx(-5.0), erfcx(1e10), cyl_bessel_i0(700.0));
  printf("%.6g %.6g %.6g\n", (double)fdividef(1.0f, 3.0f), fdim(4.0, 1.5), scalbn(1.5, 10));
}

int main() {
  unary<<<1, 1>>>();
  several<<<1, 1>>>();
  return cudaDeviceSynchronize();
}

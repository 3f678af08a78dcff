// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error-function relatives and modified Bessel functions in double precision; math_float.h rounds some of
// them for float.
//
// erfcx is the base. The inverse functions solve their equation with Newton's method on the logarithm of the
// complementary error function, where the tail is nearly a parabola, so that a few steps settle it to the last bits:
//   log erfc(y) = log erfcx(y) - y^2.
#pragma once

#include "function_attributes.h"
#ifdef __CUDACC__
#include "libc.h"
#else
#include <math.h>
#endif

#define __WARPLOOM_2_OVER_SQRT_PI 1.12837916709551257390
#define __WARPLOOM_SQRT_PI_OVER_2 0.88622692545275801365
#define __WARPLOOM_1_OVER_SQRT_PI 0.56418958354775628695

// exp(x*x) with the square in two parts.
__WARPLOOM_HOST_DEVICE double __warploom_exp_square(double x) {
  double square = x * x;
  double error = __builtin_fma(x, x, -square);
  double value = exp(square);
  return value < __builtin_inf() ? __builtin_fma(value, error, value) : value;
}

__WARPLOOM_HOST_DEVICE_CALL double erfcx(double x) {
  if (x < -26.7) return __builtin_inf();
  if (x < 10.0) return __warploom_exp_square(x) * erfc(x);
  if (x != x) return x;
  if (x > 1e9) return (1.0 / x) * __WARPLOOM_1_OVER_SQRT_PI;
  // The asymptotic series 1 - u + 3u^2 - 15u^3 ..., u = 1/(2x^2): its smallest term at x = 10 is below 2^-60.
  double u = 0.5 / (x * x);
  double series = 1.0;
  for (int k = 27; k >= 1; k -= 2) series = __builtin_fma(-k * u, series, 1.0);
  return series * (1.0 / x) * __WARPLOOM_1_OVER_SQRT_PI;
}

// y > 0 with erfc(y) = c, for c <= 1/2.
__WARPLOOM_HOST_DEVICE_CALL double __warploom_erfc_inverse_tail(double c) {
  double target = log(c);
  double y = __builtin_sqrt(-target);
  for (int i = 0; i < 20; ++i) {
    double scaled = erfcx(y);
    // Negative excess of log erfc(y) over the target, divided by the derivative -2/(sqrt(pi) erfcx(y)).
    double step = (log(scaled) - __builtin_fma(y, y, target)) * scaled * __WARPLOOM_SQRT_PI_OVER_2;
    y += step;
    if (__builtin_fabs(step) <= 1e-12 * y) break;
  }
  return y;
}

__WARPLOOM_HOST_DEVICE_CALL double erfinv(double x) {
  double magnitude = __builtin_fabs(x);
  if (magnitude == 1.0) return __builtin_copysign(__builtin_inf(), x);
  if (!(magnitude < 1.0)) return __builtin_nan("");
  if (magnitude >= 0.5) return __builtin_copysign(__warploom_erfc_inverse_tail(1.0 - magnitude), x);
  if (magnitude < 1e-9) return x * __WARPLOOM_SQRT_PI_OVER_2;
  // Newton with the second derivative (Halley): erf'' = -2 y erf'.
  double y = x * __WARPLOOM_SQRT_PI_OVER_2;
  for (int i = 0; i < 10; ++i) {
    double step = (erf(y) - x) * __WARPLOOM_SQRT_PI_OVER_2 * exp(y * y);
    step /= __builtin_fma(y, step, 1.0);
    y -= step;
    if (__builtin_fabs(step) <= 1e-9 * __builtin_fabs(y)) break;
  }
  return y;
}

__WARPLOOM_HOST_DEVICE_CALL double erfcinv(double x) {
  if (x == 0.0) return __builtin_inf();
  if (x == 2.0) return -__builtin_inf();
  if (!(x > 0.0 && x < 2.0)) return __builtin_nan("");
  if (x <= 0.5) return __warploom_erfc_inverse_tail(x);
  return erfinv(1.0 - x);
}

__WARPLOOM_HOST_DEVICE_CALL double normcdf(double x) {
  if (x > 38.5) return 1.0;
  if (x < -38.6) return 0.0;
  // -x/sqrt(2) in two parts: erfc multiplies a relative error of its argument by x^2.
  const double scale = -0.70710678118654757274, scale_low = 4.83364665672645672553e-17;
  double high = x * scale;
  double low = __builtin_fma(x, scale, -high) + x * scale_low;
  return __builtin_fma(-low * __WARPLOOM_1_OVER_SQRT_PI, exp(-high * high), 0.5 * erfc(high));
}

__WARPLOOM_HOST_DEVICE double normcdfinv(double p) {
  if (p == 0.5) return 0.0;
  return -1.41421356237309514547 * erfcinv(p + p);
}

// I_order(x) for x >= 0 from the power series. Its terms are positive; term and sum are kept in two doubles each, since
// some fifty roundings would add up.
__WARPLOOM_HOST_DEVICE_CALL double __warploom_bessel_i_series(int order, double x) {
  double quarter = 0.25 * x * x;
  double quarter_low = __builtin_fma(0.25 * x, x, -quarter);
  double term = order ? 0.5 * x : 1.0, term_low = 0.0;
  double sum = term, sum_low = 0.0;
  for (int k = 1; k < 200; ++k) {
    double divisor = (double)k * (k + order);
    double product = term * quarter;
    double product_low = __builtin_fma(term, quarter, -product) + term * quarter_low + term_low * quarter;
    term = product / divisor;
    term_low = (__builtin_fma(-term, divisor, product) + product_low) / divisor;
    double total = sum + term;
    // The smaller operand changes sides once the terms start to fall.
    double virtual_term = total - sum;
    sum_low += (sum - (total - virtual_term)) + (term - virtual_term) + term_low;
    sum = total;
    if (term <= 1e-17 * sum) break;
  }
  return sum + sum_low;
}

// exp(x)/sqrt(2 pi x) (1 - (m-1)/(8x) + (m-1)(m-9)/(2!(8x)^2) - ...), m = 4 order^2, for large x.
__WARPLOOM_HOST_DEVICE_CALL double __warploom_bessel_i_asymptotic(int order, double x) {
  double m = 4.0 * order * order;
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 60; ++k) {
    double odd = 2.0 * k - 1.0;
    double next = term * (odd * odd - m) / (8.0 * x * k);
    if (__builtin_fabs(next) >= __builtin_fabs(term)) break;
    term = next;
    sum += term;
    if (__builtin_fabs(term) <= 1e-17 * sum) break;
  }
  // exp(x) alone would overflow before the result does.
  double half = exp(0.5 * x);
  return half * (sum * half / __builtin_sqrt(6.28318530717958647693 * x));
}

__WARPLOOM_HOST_DEVICE_CALL double __warploom_bessel_i(int order, double x) {
  if (x != x) return x;
  double magnitude = __builtin_fabs(x);
  if (magnitude > 714.0) return __builtin_inf();
  return magnitude < 20.0 ? __warploom_bessel_i_series(order, magnitude)
                          : __warploom_bessel_i_asymptotic(order, magnitude);
}

__WARPLOOM_HOST_DEVICE double cyl_bessel_i0(double x) { return __warploom_bessel_i(0, x); }
__WARPLOOM_HOST_DEVICE double cyl_bessel_i1(double x) { return __builtin_copysign(__warploom_bessel_i(1, x), x); }

#undef __WARPLOOM_2_OVER_SQRT_PI
#undef __WARPLOOM_SQRT_PI_OVER_2
#undef __WARPLOOM_1_OVER_SQRT_PI

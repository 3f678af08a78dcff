// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double-precision functions that CUDA has and the C library has not. The rest (sin, exp10, tgamma, ...) is the host's
// libm itself, see libc.h. Error bounds are CUDA's or better.
#pragma once

#include "function_attributes.h"
#include "libc.h"

__WARPLOOM_HOST_DEVICE double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }

__WARPLOOM_HOST_DEVICE_CALL double rcbrt(double x) {
  double y = 1.0 / cbrt(x);
  if (!(__builtin_fabs(y) < __builtin_inf()) || y == 0.0) return y;
  // One Newton step: the C library's cbrt may be 4 ulp off.
  double residual = __builtin_fma(-(x * (y * y)), y, 1.0);
  return __builtin_fma(y, residual * (1.0 / 3.0), y);
}

// sin(pi r) and cos(pi r) for |r| <= 1/4, with pi in two parts.
__WARPLOOM_HOST_DEVICE double __warploom_times_pi(double r) {
  return __builtin_fma(r, 3.14159265358979311600, r * 1.2246467991473531772e-16);
}

// x = r + quarters/2 exactly with |r| <= 1/4; huge numbers are even integers.
__WARPLOOM_HOST_DEVICE double __warploom_reduce_half_turns(double x, int *quarters) {
  x = x - 2.0 * __builtin_rint(x * 0.5);
  double n = __builtin_rint(x + x);
  *quarters = (int)n;
  return __builtin_fma(n, -0.5, x);
}

__WARPLOOM_HOST_DEVICE_CALL double sinpi(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
  if (x == __builtin_trunc(x)) return __builtin_copysign(0.0, x);
  int quarters;
  double angle = __warploom_times_pi(__warploom_reduce_half_turns(x, &quarters));
  double value = (quarters & 1) ? cos(angle) : sin(angle);
  return (quarters & 2) ? -value : value;
}

__WARPLOOM_HOST_DEVICE_CALL double cospi(double x) {
  if (!(__builtin_fabs(x) < __builtin_inf())) return x - x;
  int quarters;
  double reduced = __warploom_reduce_half_turns(x, &quarters);
  if (reduced == 0.0 && (quarters & 1)) return 0.0;
  double angle = __warploom_times_pi(reduced);
  double value = (quarters & 1) ? sin(angle) : cos(angle);
  return ((quarters + 1) & 2) ? -value : value;
}

__WARPLOOM_HOST_DEVICE void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}

// A sum of squares, scaled by a power of two, kept in two doubles.
struct __warploom_square_sum {
  double high, low;
  int exponent;
  bool infinite;
};

__WARPLOOM_HOST_DEVICE_CALL __warploom_square_sum __warploom_sum_squares(int count, const double *v) {
  double largest = 0.0;
  __warploom_square_sum sum = {0.0, 0.0, 0, false};
  for (int i = 0; i < count; ++i) {
    double magnitude = __builtin_fabs(v[i]);
    sum.infinite |= magnitude == __builtin_inf();
    largest = magnitude > largest ? magnitude : largest;
  }
  if (sum.infinite) return sum;
  if (largest > 0.0) sum.exponent = ilogb(largest);
  for (int i = 0; i < count; ++i) {
    double scaled = ldexp(v[i], -sum.exponent);
    double square = scaled * scaled;
    double square_error = __builtin_fma(scaled, scaled, -square);
    double total = sum.high + square;
    double virtual_square = total - sum.high;
    sum.low += (sum.high - (total - virtual_square)) + (square - virtual_square) + square_error;
    sum.high = total;
  }
  return sum;
}

__WARPLOOM_HOST_DEVICE_CALL double __warploom_norm(int count, const double *v) {
  __warploom_square_sum sum = __warploom_sum_squares(count, v);
  if (sum.infinite) return __builtin_inf();
  double root = __builtin_sqrt(sum.high);
  if (!(root > 0.0)) return root;
  double correction = (__builtin_fma(-root, root, sum.high) + sum.low) / (root + root);
  return ldexp(root + correction, sum.exponent);
}

__WARPLOOM_HOST_DEVICE_CALL double __warploom_rnorm(int count, const double *v) {
  __warploom_square_sum sum = __warploom_sum_squares(count, v);
  if (sum.infinite) return 0.0;
  double root = __builtin_sqrt(sum.high);
  double y = 1.0 / root;
  if (!(root > 0.0)) return y;
  double product = sum.high * y;
  double product_error = __builtin_fma(sum.high, y, -product);
  double residual = __builtin_fma(-product, y, 1.0) - (product_error + sum.low * y) * y;
  return ldexp(__builtin_fma(y * 0.5, residual, y), -sum.exponent);
}

__WARPLOOM_HOST_DEVICE double norm(int dim, const double *p) { return __warploom_norm(dim, p); }
__WARPLOOM_HOST_DEVICE double rnorm(int dim, const double *p) { return __warploom_rnorm(dim, p); }
__WARPLOOM_HOST_DEVICE double norm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return __warploom_norm(3, v);
}
__WARPLOOM_HOST_DEVICE double rnorm3d(double a, double b, double c) {
  double v[3] = {a, b, c};
  return __warploom_rnorm(3, v);
}
__WARPLOOM_HOST_DEVICE double norm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return __warploom_norm(4, v);
}
__WARPLOOM_HOST_DEVICE double rnorm4d(double a, double b, double c, double d) {
  double v[4] = {a, b, c, d};
  return __warploom_rnorm(4, v);
}
__WARPLOOM_HOST_DEVICE double rhypot(double a, double b) {
  double v[2] = {a, b};
  return __warploom_rnorm(2, v);
}

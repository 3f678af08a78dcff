// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single-precision functions that CUDA has and the C library has not, and the float overloads of all such names.
// Most are the double function, rounded: right to the last bit nearly always.
#pragma once

#include "function_attributes.h"
#include "math_double.h"
#include "math_float_special.h"
#include "math_special.h"

__WARPLOOM_HOST_DEVICE float rsqrtf(float x) {
#pragma clang fp reassociate(on)  // nothing to LLVM here; tells the vectoriser that it may compute this in one go
  return 1.0f / __builtin_sqrtf(x);
}
__WARPLOOM_HOST_DEVICE float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
__WARPLOOM_HOST_DEVICE float fdividef(float x, float y) { return x / y; }
__WARPLOOM_HOST_DEVICE float sinpif(float x) { return (float)sinpi((double)x); }
__WARPLOOM_HOST_DEVICE float cospif(float x) { return (float)cospi((double)x); }
__WARPLOOM_HOST_DEVICE void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
__WARPLOOM_HOST_DEVICE float erfcxf(float x) { return (float)erfcx((double)x); }
__WARPLOOM_HOST_DEVICE float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
__WARPLOOM_HOST_DEVICE float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }

// Squares of floats neither overflow nor vanish in double. An infinity wins against a NaN.
__WARPLOOM_HOST_DEVICE bool __warploom_is_infinite(float x) { return __builtin_fabsf(x) == __builtin_inff(); }
__WARPLOOM_HOST_DEVICE double __warploom_length(float a, float b, float c, float d) {
  if (__warploom_is_infinite(a) || __warploom_is_infinite(b) || __warploom_is_infinite(c) || __warploom_is_infinite(d))
    return __builtin_inf();
  return __builtin_sqrt((double)a * a + (double)b * b + (double)c * c + (double)d * d);
}
__WARPLOOM_HOST_DEVICE_CALL double __warploom_length(int count, const float *v) {
  double sum = 0.0;
  bool infinite = false;
  for (int i = 0; i < count; ++i) {
    infinite |= __warploom_is_infinite(v[i]);
    sum += (double)v[i] * v[i];
  }
  return infinite ? __builtin_inf() : __builtin_sqrt(sum);
}
__WARPLOOM_HOST_DEVICE float normf(int dim, const float *p) { return (float)__warploom_length(dim, p); }
__WARPLOOM_HOST_DEVICE float rnormf(int dim, const float *p) { return (float)(1.0 / __warploom_length(dim, p)); }
__WARPLOOM_HOST_DEVICE float norm3df(float a, float b, float c) { return (float)__warploom_length(a, b, c, 0.0f); }
__WARPLOOM_HOST_DEVICE float rnorm3df(float a, float b, float c) {
  return (float)(1.0 / __warploom_length(a, b, c, 0.0f));
}
__WARPLOOM_HOST_DEVICE float norm4df(float a, float b, float c, float d) {
  return (float)__warploom_length(a, b, c, d);
}
__WARPLOOM_HOST_DEVICE float rnorm4df(float a, float b, float c, float d) {
  return (float)(1.0 / __warploom_length(a, b, c, d));
}
__WARPLOOM_HOST_DEVICE float rhypotf(float a, float b) { return (float)(1.0 / __warploom_length(a, b, 0.0f, 0.0f)); }

// The overloads of C++.
#define __WARPLOOM_FLOAT_OVERLOAD(NAME) \
  __WARPLOOM_HOST_DEVICE float NAME(float x) { return NAME##f(x); }
__WARPLOOM_FLOAT_OVERLOAD(rsqrt)
__WARPLOOM_FLOAT_OVERLOAD(rcbrt)
__WARPLOOM_FLOAT_OVERLOAD(sinpi)
__WARPLOOM_FLOAT_OVERLOAD(cospi)
__WARPLOOM_FLOAT_OVERLOAD(erfinv)
__WARPLOOM_FLOAT_OVERLOAD(erfcinv)
__WARPLOOM_FLOAT_OVERLOAD(erfcx)
__WARPLOOM_FLOAT_OVERLOAD(normcdf)
__WARPLOOM_FLOAT_OVERLOAD(normcdfinv)
__WARPLOOM_FLOAT_OVERLOAD(cyl_bessel_i0)
__WARPLOOM_FLOAT_OVERLOAD(cyl_bessel_i1)
__WARPLOOM_FLOAT_OVERLOAD(exp10)
__WARPLOOM_FLOAT_OVERLOAD(j0)
__WARPLOOM_FLOAT_OVERLOAD(j1)
__WARPLOOM_FLOAT_OVERLOAD(y0)
__WARPLOOM_FLOAT_OVERLOAD(y1)
#undef __WARPLOOM_FLOAT_OVERLOAD
__WARPLOOM_HOST_DEVICE float jn(int n, float x) { return jnf(n, x); }
__WARPLOOM_HOST_DEVICE float yn(int n, float x) { return ynf(n, x); }
__WARPLOOM_HOST_DEVICE void sincos(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
__WARPLOOM_HOST_DEVICE void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
__WARPLOOM_HOST_DEVICE float norm(int dim, const float *p) { return normf(dim, p); }
__WARPLOOM_HOST_DEVICE float rnorm(int dim, const float *p) { return rnormf(dim, p); }
__WARPLOOM_HOST_DEVICE float norm3d(float a, float b, float c) { return norm3df(a, b, c); }
__WARPLOOM_HOST_DEVICE float rnorm3d(float a, float b, float c) { return rnorm3df(a, b, c); }
__WARPLOOM_HOST_DEVICE float norm4d(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
__WARPLOOM_HOST_DEVICE float rnorm4d(float a, float b, float c, float d) { return rnorm4df(a, b, c, d); }
__WARPLOOM_HOST_DEVICE float rhypot(float a, float b) { return rhypotf(a, b); }

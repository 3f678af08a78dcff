// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erfinvf, erfcinvf, normcdff and normcdfinvf in float arithmetic, without loops: threads side by side compute them as
// vectors. The polynomials are those of the vector library (runtime/vector_math/erf.h, which names the papers).
#pragma once

#include "function_attributes.h"
#include "math_float_polynomials.h"
#ifdef __CUDACC__
#include "libc.h"
#else
#include <math.h>
#endif

// erfinv(x) / x for w = -log(1 - x^2).
__WARPLOOM_HOST_DEVICE float __warploom_erfinv_factor(float w) {
  return w > 6.0f ? __warploom_polynomial_erfinv_far(__builtin_sqrtf(w) - 3.25f)
                  : __warploom_polynomial_erfinv_near(w - 3.0f);
}

__WARPLOOM_HOST_DEVICE_CALL float erfinvf(float x) {
  float magnitude = __builtin_fabsf(x);
  float value = x * __warploom_erfinv_factor(-logf(__builtin_fmaf(-x, x, 1.0f)));
  if (magnitude == 1.0f) value = __builtin_copysignf(__builtin_inff(), x);
  return magnitude <= 1.0f ? value : __builtin_nanf("");
}

// erfinv(1 - x), where 1 - (1 - x)^2 is x (2 - x).
__WARPLOOM_HOST_DEVICE_CALL float erfcinvf(float x) {
  float rest = 1.0f - x, lost = (1.0f - rest) - x;
  float w = -logf(x * (2.0f - x)), factor = __warploom_erfinv_factor(w), root = __builtin_sqrtf(w);
  float value =
      w > 16.0f ? root + __warploom_polynomial_erfcinv_tail(root - 7.1f) : __builtin_fmaf(rest, factor, lost * factor);
  if (x == 0.0f) value = __builtin_inff();
  if (x == 2.0f) value = -__builtin_inff();
  return x >= 0.0f && x <= 2.0f ? value : __builtin_nanf("");
}

// Near 0 by erf, else erfc(a / sqrt(2)) / 2 = exp(-a^2 / 2) times what varies little.
__WARPLOOM_HOST_DEVICE_CALL float normcdff(float x) {
  const float root_half = 0x1.6a09e6p-1f, last = 15.5f, log_scale = 40.0f, scale = 0x1.397924p-58f;  // exp(-40)
  float near = x * root_half;
  float low = __builtin_fmaf(x, root_half, -near);
  near = __builtin_fmaf(near, __warploom_polynomial_erf(near * near), near + low);
  float a = __builtin_fabsf(x);
  if (a > last) a = last;
  float square = a * a, square_low = __builtin_fmaf(a, a, -square), scaled = a * root_half;
  float number = -0.5f * square;
  bool is_tiny = number < -80.0f;  // its exponential would have few bits
  float power = expf(is_tiny ? number + log_scale : number);
  power = __builtin_fmaf(power, -0.5f * square_low, power);
  float tail = 0.5f * power * __warploom_polynomial_erfcx((scaled - 3.0f) / (scaled + 3.0f)) / (scaled + 1.0f);
  if (is_tiny) tail *= scale;
  float far = x > 0.0f ? 1.0f - tail : tail;
  float value = __builtin_fabsf(x) < 0.7071f ? __builtin_fmaf(near, 0.5f, 0.5f) : far;
  return x != x ? x : value;
}

__WARPLOOM_HOST_DEVICE float normcdfinvf(float p) { return p == 0.5f ? 0.0f : -0x1.6a09e6p+0f * erfcinvf(p + p); }

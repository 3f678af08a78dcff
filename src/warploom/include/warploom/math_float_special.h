// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// erfinvf, erfcinvf, normcdff and normcdfinvf in float arithmetic, without loops: threads side by side compute them as
// vectors. The polynomials are those of the vector library (runtime/vector_math/erf.h, which names the papers).
#pragma once

#include "function_attributes.h"
#ifdef __CUDACC__
#include "libc.h"
#else
#include <math.h>
#endif

// erfinv(x) / x for w - 3, where w = -log(1 - x^2) lies in [0, 6].
__WARPLOOM_HOST_DEVICE float __warploom_erfinv_near(float z) {
  float sum = 0x1.e2e1eap-32f;
  sum = __builtin_fmaf(sum, z, -0x1.719c52p-28f);
  sum = __builtin_fmaf(sum, z, -0x1.d19b7ep-27f);
  sum = __builtin_fmaf(sum, z, 0x1.df8f32p-22f);
  sum = __builtin_fmaf(sum, z, -0x1.e8763p-20f);
  sum = __builtin_fmaf(sum, z, -0x1.aa1144p-17f);
  sum = __builtin_fmaf(sum, z, 0x1.9990a8p-13f);
  sum = __builtin_fmaf(sum, z, -0x1.b66b18p-11f);
  sum = __builtin_fmaf(sum, z, -0x1.7812dap-8f);
  sum = __builtin_fmaf(sum, z, 0x1.eedbeep-3f);
  sum = __builtin_fmaf(sum, z, 0x1.9fa074p+0f);
  return sum;
}

// The same for sqrt(w) - 3.25 in [2.44, 4.1].
__WARPLOOM_HOST_DEVICE float __warploom_erfinv_far(float z) {
  float sum = -0x1.6b096ep-15f;
  sum = __builtin_fmaf(sum, z, -0x1.fdc4e6p-13f);
  sum = __builtin_fmaf(sum, z, 0x1.02edbcp-10f);
  sum = __builtin_fmaf(sum, z, -0x1.c8ab56p-10f);
  sum = __builtin_fmaf(sum, z, 0x1.45c3f8p-9f);
  sum = __builtin_fmaf(sum, z, -0x1.ea8afp-9f);
  sum = __builtin_fmaf(sum, z, 0x1.5ffaa8p-8f);
  sum = __builtin_fmaf(sum, z, 0x1.0158a2p+0f);
  sum = __builtin_fmaf(sum, z, 0x1.8abcc4p+1f);
  return sum;
}

// erfcinv - sqrt(w) for sqrt(w) - 7.1 in [3.9, 10.3].
__WARPLOOM_HOST_DEVICE float __warploom_erfcinv_tail(float z) {
  float sum = -0x1.df4d5ap-35f;
  sum = __builtin_fmaf(sum, z, 0x1.61126p-32f);
  sum = __builtin_fmaf(sum, z, -0x1.5a204p-31f);
  sum = __builtin_fmaf(sum, z, 0x1.818046p-28f);
  sum = __builtin_fmaf(sum, z, -0x1.b92628p-25f);
  sum = __builtin_fmaf(sum, z, 0x1.36e284p-22f);
  sum = __builtin_fmaf(sum, z, -0x1.7f4b6ap-20f);
  sum = __builtin_fmaf(sum, z, 0x1.6137b6p-18f);
  sum = __builtin_fmaf(sum, z, 0x1.1e3b58p-17f);
  sum = __builtin_fmaf(sum, z, -0x1.0b9816p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.164f1p-7f);
  sum = __builtin_fmaf(sum, z, -0x1.0a7f74p-3f);
  return sum;
}

// (1 + a) exp(a^2) erfc(a) for (a - 3) / (a + 3), a in [.5, 11].
__WARPLOOM_HOST_DEVICE float __warploom_erfcx_times(float z) {
  float sum = -0x1.1e06b6p-12f;
  sum = __builtin_fmaf(sum, z, 0x1.590548p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.9d26fcp-10f);
  sum = __builtin_fmaf(sum, z, -0x1.400c6p-7f);
  sum = __builtin_fmaf(sum, z, 0x1.67dc42p-6f);
  sum = __builtin_fmaf(sum, z, -0x1.85edf2p-6f);
  sum = __builtin_fmaf(sum, z, -0x1.4f669ep-7f);
  sum = __builtin_fmaf(sum, z, 0x1.95966p-4f);
  sum = __builtin_fmaf(sum, z, -0x1.d8f06ep-3f);
  sum = __builtin_fmaf(sum, z, 0x1.6e9828p-1f);
  return sum;
}

// erf(x) / x - 1 for x^2, |x| <= 1.
__WARPLOOM_HOST_DEVICE float __warploom_erf_excess(float z) {
  float sum = 0x1.47755ap-14f;
  sum = __builtin_fmaf(sum, z, -0x1.a35262p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.53f23ep-8f);
  sum = __builtin_fmaf(sum, z, -0x1.b7f71cp-6f);
  sum = __builtin_fmaf(sum, z, 0x1.ce2ce6p-4f);
  sum = __builtin_fmaf(sum, z, -0x1.81273ep-2f);
  sum = __builtin_fmaf(sum, z, 0x1.06eba8p-3f);
  return sum;
}

// erfinv(x) / x.
__WARPLOOM_HOST_DEVICE float __warploom_erfinv_factor(float w) {
  return w > 6.0f ? __warploom_erfinv_far(__builtin_sqrtf(w) - 3.25f) : __warploom_erfinv_near(w - 3.0f);
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
  float value = w > 16.0f ? root + __warploom_erfcinv_tail(root - 7.1f) : __builtin_fmaf(rest, factor, lost * factor);
  if (x == 0.0f) value = __builtin_inff();
  if (x == 2.0f) value = -__builtin_inff();
  return x >= 0.0f && x <= 2.0f ? value : __builtin_nanf("");
}

// Near 0 by erf, else erfc(a / sqrt(2)) / 2 = exp(-a^2 / 2) times what varies little.
__WARPLOOM_HOST_DEVICE_CALL float normcdff(float x) {
  const float root_half = 0x1.6a09e6p-1f, last = 15.5f, log_scale = 40.0f, scale = 0x1.397924p-58f;  // exp(-40)
  float near = x * root_half;
  float low = __builtin_fmaf(x, root_half, -near);
  near = __builtin_fmaf(near, __warploom_erf_excess(near * near), near + low);
  float a = __builtin_fabsf(x);
  if (a > last) a = last;
  float square = a * a, square_low = __builtin_fmaf(a, a, -square), scaled = a * root_half;
  float number = -0.5f * square;
  bool is_tiny = number < -80.0f;  // its exponential would have few bits
  float power = expf(is_tiny ? number + log_scale : number);
  power = __builtin_fmaf(power, -0.5f * square_low, power);
  float tail = 0.5f * power * __warploom_erfcx_times((scaled - 3.0f) / (scaled + 3.0f)) / (scaled + 1.0f);
  if (is_tiny) tail *= scale;
  float far = x > 0.0f ? 1.0f - tail : tail;
  float value = __builtin_fabsf(x) < 0.7071f ? __builtin_fmaf(near, 0.5f, 0.5f) : far;
  return x != x ? x : value;
}

__WARPLOOM_HOST_DEVICE float normcdfinvf(float p) { return p == 0.5f ? 0.0f : -0x1.6a09e6p+0f * erfcinvf(p + p); }

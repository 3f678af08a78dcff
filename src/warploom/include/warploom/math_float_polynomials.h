// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by scripts/device_polynomials.py from runtime/vector_math/coefficients.h: do not edit. Without loops, so that
// threads side by side compute them as vectors.
#pragma once

#include "function_attributes.h"

// clang-format off

// erfinv(x)/x for w - 3, w = -log(1 - x^2) in [0, 6], relative, 2^-24.6
__WARPLOOM_HOST_DEVICE float __warploom_polynomial_erfinv_near(float z) {
  float sum = 0x1.e2e1ea0000000p-32f;
  sum = __builtin_fmaf(sum, z, -0x1.719c520000000p-28f);
  sum = __builtin_fmaf(sum, z, -0x1.d19b7e0000000p-27f);
  sum = __builtin_fmaf(sum, z, 0x1.df8f320000000p-22f);
  sum = __builtin_fmaf(sum, z, -0x1.e876300000000p-20f);
  sum = __builtin_fmaf(sum, z, -0x1.aa11440000000p-17f);
  sum = __builtin_fmaf(sum, z, 0x1.9990a80000000p-13f);
  sum = __builtin_fmaf(sum, z, -0x1.b66b180000000p-11f);
  sum = __builtin_fmaf(sum, z, -0x1.7812da0000000p-8f);
  sum = __builtin_fmaf(sum, z, 0x1.eedbee0000000p-3f);
  sum = __builtin_fmaf(sum, z, 0x1.9fa0740000000p+0f);
  return sum;
}

// erfinv(x)/x for sqrt(w) - 3.25 in [2.44, 4.1], relative, 2^-25.2
__WARPLOOM_HOST_DEVICE float __warploom_polynomial_erfinv_far(float z) {
  float sum = -0x1.6b096e0000000p-15f;
  sum = __builtin_fmaf(sum, z, -0x1.fdc4e60000000p-13f);
  sum = __builtin_fmaf(sum, z, 0x1.02edbc0000000p-10f);
  sum = __builtin_fmaf(sum, z, -0x1.c8ab560000000p-10f);
  sum = __builtin_fmaf(sum, z, 0x1.45c3f80000000p-9f);
  sum = __builtin_fmaf(sum, z, -0x1.ea8af00000000p-9f);
  sum = __builtin_fmaf(sum, z, 0x1.5ffaa80000000p-8f);
  sum = __builtin_fmaf(sum, z, 0x1.0158a20000000p+0f);
  sum = __builtin_fmaf(sum, z, 0x1.8abcc40000000p+1f);
  return sum;
}

// erfcinv - sqrt(w) for sqrt(w) - 7.1 in [3.9, 10.3], relative to erfcinv, 2^-30.3
__WARPLOOM_HOST_DEVICE float __warploom_polynomial_erfcinv_tail(float z) {
  float sum = -0x1.df4d5a0000000p-35f;
  sum = __builtin_fmaf(sum, z, 0x1.6112600000000p-32f);
  sum = __builtin_fmaf(sum, z, -0x1.5a20400000000p-31f);
  sum = __builtin_fmaf(sum, z, 0x1.8180460000000p-28f);
  sum = __builtin_fmaf(sum, z, -0x1.b926280000000p-25f);
  sum = __builtin_fmaf(sum, z, 0x1.36e2840000000p-22f);
  sum = __builtin_fmaf(sum, z, -0x1.7f4b6a0000000p-20f);
  sum = __builtin_fmaf(sum, z, 0x1.6137b60000000p-18f);
  sum = __builtin_fmaf(sum, z, 0x1.1e3b580000000p-17f);
  sum = __builtin_fmaf(sum, z, -0x1.0b98160000000p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.164f100000000p-7f);
  sum = __builtin_fmaf(sum, z, -0x1.0a7f740000000p-3f);
  return sum;
}

// (1 + a) exp(a^2) erfc(a) on [0.5, 11], t = (a - 3)/(a + 3), relative, 2^-26.7
__WARPLOOM_HOST_DEVICE float __warploom_polynomial_erfcx(float z) {
  float sum = -0x1.1e06b60000000p-12f;
  sum = __builtin_fmaf(sum, z, 0x1.5905480000000p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.9d26fc0000000p-10f);
  sum = __builtin_fmaf(sum, z, -0x1.400c600000000p-7f);
  sum = __builtin_fmaf(sum, z, 0x1.67dc420000000p-6f);
  sum = __builtin_fmaf(sum, z, -0x1.85edf20000000p-6f);
  sum = __builtin_fmaf(sum, z, -0x1.4f669e0000000p-7f);
  sum = __builtin_fmaf(sum, z, 0x1.9596600000000p-4f);
  sum = __builtin_fmaf(sum, z, -0x1.d8f06e0000000p-3f);
  sum = __builtin_fmaf(sum, z, 0x1.6e98280000000p-1f);
  return sum;
}

// erf(x)/x - 1, z = x^2, relative to erf(x)/x, 2^-29.1
__WARPLOOM_HOST_DEVICE float __warploom_polynomial_erf(float z) {
  float sum = 0x1.47755a0000000p-14f;
  sum = __builtin_fmaf(sum, z, -0x1.a352620000000p-11f);
  sum = __builtin_fmaf(sum, z, 0x1.53f23e0000000p-8f);
  sum = __builtin_fmaf(sum, z, -0x1.b7f71c0000000p-6f);
  sum = __builtin_fmaf(sum, z, 0x1.ce2ce60000000p-4f);
  sum = __builtin_fmaf(sum, z, -0x1.81273e0000000p-2f);
  sum = __builtin_fmaf(sum, z, 0x1.06eba80000000p-3f);
  return sum;
}

// clang-format on

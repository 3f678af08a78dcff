// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast single-precision intrinsics. Most are the accurate functions: within every bound that CUDA states for the
// fast ones. Some are faster in vectors, where they say so by a flag: it tells the vectoriser
// (passes/vector/vector_calls.py); to LLVM exp(log(y)) may be y.
#pragma once

#include "function_attributes.h"
#include "libc.h"

__WARPLOOM_DEVICE float __sinf(float x) {
#pragma clang fp reassociate(on)
  return __builtin_sinf(x);
}
__WARPLOOM_DEVICE float __cosf(float x) {
#pragma clang fp reassociate(on)
  return __builtin_cosf(x);
}
__WARPLOOM_DEVICE float __tanf(float x) { return tanf(x); }
__WARPLOOM_DEVICE float __tanhf(float x) { return tanhf(x); }
__WARPLOOM_DEVICE void __sincosf(float x, float *sine, float *cosine) {
  *sine = __sinf(x);
  *cosine = __cosf(x);
}
__WARPLOOM_DEVICE float __expf(float x) {
#pragma clang fp reassociate(on)
  return __builtin_expf(x);
}
__WARPLOOM_DEVICE float __exp10f(float x) {
#pragma clang fp reassociate(on)
  return __builtin_exp10f(x);
}
__WARPLOOM_DEVICE float __logf(float x) { return logf(x); }
__WARPLOOM_DEVICE float __log2f(float x) { return log2f(x); }
__WARPLOOM_DEVICE float __log10f(float x) { return log10f(x); }
__WARPLOOM_DEVICE float __powf(float x, float y) {
#pragma clang fp reassociate(on)
  return __builtin_powf(x, y);
}
__WARPLOOM_DEVICE float __fdividef(float x, float y) { return x / y; }
// Clamped to [0, 1]; a NaN becomes 0.
__WARPLOOM_DEVICE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

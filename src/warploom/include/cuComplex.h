// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers as float2 and double2, for host and device code. Usable from C.
#pragma once

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __WARPLOOM_COMPLEX static __inline__ __host__ __device__ __attribute__((unused))

// FUNCTION(f) is a function's name in single precision (suffix f) or double precision (no suffix). Division and the
// absolute value scale their operands, so that they overflow only when the result does.
#define __WARPLOOM_COMPLEX_FUNCTIONS(C, R, MAKE, REAL, IMAG, CONJ, ADD, SUB, MUL, DIV, ABS, FABS, HYPOT) \
  __WARPLOOM_COMPLEX C MAKE(R r, R i) {                                                                  \
    C z;                                                                                                 \
    z.x = r;                                                                                             \
    z.y = i;                                                                                             \
    return z;                                                                                            \
  }                                                                                                      \
  __WARPLOOM_COMPLEX R REAL(C x) { return x.x; }                                                         \
  __WARPLOOM_COMPLEX R IMAG(C x) { return x.y; }                                                         \
  __WARPLOOM_COMPLEX C CONJ(C x) { return MAKE(x.x, -x.y); }                                             \
  __WARPLOOM_COMPLEX C ADD(C x, C y) { return MAKE(x.x + y.x, x.y + y.y); }                              \
  __WARPLOOM_COMPLEX C SUB(C x, C y) { return MAKE(x.x - y.x, x.y - y.y); }                              \
  __WARPLOOM_COMPLEX C MUL(C x, C y) { return MAKE(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }      \
  __WARPLOOM_COMPLEX C DIV(C x, C y) {                                                                   \
    R inverse_scale = (R)1 / (FABS(y.x) + FABS(y.y));                                                    \
    R a = x.x * inverse_scale, b = x.y * inverse_scale;                                                  \
    R c = y.x * inverse_scale, d = y.y * inverse_scale;                                                  \
    R inverse = (R)1 / (c * c + d * d);                                                                  \
    return MAKE((a * c + b * d) * inverse, (b * c - a * d) * inverse);                                   \
  }                                                                                                      \
  __WARPLOOM_COMPLEX R ABS(C x) { return HYPOT(x.x, x.y); }

__WARPLOOM_COMPLEX_FUNCTIONS(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
                             cuCmulf, cuCdivf, cuCabsf, fabsf, hypotf)
__WARPLOOM_COMPLEX_FUNCTIONS(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub,
                             cuCmul, cuCdiv, cuCabs, fabs, hypot)
#undef __WARPLOOM_COMPLEX_FUNCTIONS

__WARPLOOM_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
__WARPLOOM_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
__WARPLOOM_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}
// x * y + d.
__WARPLOOM_COMPLEX cuComplex cuCfmaf(cuComplex x, cuComplex y, cuComplex d) {
  return make_cuComplex(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);
}
__WARPLOOM_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  return make_cuDoubleComplex(x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x);
}
#undef __WARPLOOM_COMPLEX

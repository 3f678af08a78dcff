// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / cuComplex and math constants
// clang-format off: it never comes to rest on lists of macro calls
//
// cuComplex.h and math_constants.h, on both sides.
#include <cuComplex.h>
#include <math_constants.h>

#include <cstdio>

#define FLOATS(F)                                                                                                    \
  F(INF)                                                                                                             \
  F(MIN_DENORM)                                                                                                      \
  F(MAX_NORMAL)                                                                                                      \
  F(NEG_ZERO) F(ZERO) F(ONE) F(SQRT_HALF) F(SQRT_HALF_HI) F(SQRT_TWO) F(THIRD) F(PIO4) F(PIO2) F(3PIO4) F(2_OVER_PI) \
      F(SQRT_2_OVER_PI) F(PI) F(L2E) F(L2T) F(LG2) F(LGE) F(LN2) F(LNT) F(LNPI) F(TWO_TO_M126) F(TWO_TO_126)         \
          F(NORM_HUGE) F(TWO_TO_23) F(TWO_TO_24) F(TWO_TO_31) F(TWO_TO_32) F(TRIG_PLOSS)
#define DOUBLES(F)                                                                                                     \
  F(INF)                                                                                                               \
  F(NEG_ZERO)                                                                                                          \
  F(MIN_DENORM)                                                                                                        \
  F(ZERO) F(ONE) F(SQRT_TWO) F(SQRT_HALF) F(THIRD) F(TWOTHIRD) F(PIO4) F(PIO2) F(3PIO4) F(2_OVER_PI) F(PI) F(SQRT_2PI) \
      F(SQRT_PIO2) F(SQRT_2OPI) F(L2E) F(L2T) F(LG2) F(LGE) F(LN2) F(LNT) F(LNPI) F(LN2_X_1024) F(LN2_X_1025)          \
          F(LN2_X_1075) F(LG2_X_1024) F(LG2_X_1075) F(TWO_TO_23) F(TWO_TO_52) F(TWO_TO_53) F(TWO_TO_54) F(TWO_TO_M54)  \
              F(TWO_TO_M1022) F(TRIG_PLOSS) F(DBL2INT_CVT)
#define PRINT_FLOAT(n) printf("%s %x\n", #n, __float_as_int(CUDART_##n##_F));
#define PRINT_DOUBLE(n) printf("%s %llx\n", #n, __double_as_longlong(CUDART_##n));

__global__ void constants() {
  FLOATS(PRINT_FLOAT)
  DOUBLES(PRINT_DOUBLE)
  printf("%x %llx\n", __float_as_int(CUDART_NAN_F), __double_as_longlong(CUDART_NAN));
}

__host__ __device__ void print(const char *what, cuDoubleComplex z) { printf("%s %.6g %.6g\n", what, z.x, z.y); }

__host__ __device__ void complex_numbers() {
  cuFloatComplex a = make_cuFloatComplex(1.0f, 2.0f), b = make_cuComplex(3.0f, -4.0f);
  print("float mul", cuComplexFloatToDouble(cuCmulf(a, b)));
  print("float div", cuComplexFloatToDouble(cuCdivf(a, b)));
  print("float fma", cuComplexFloatToDouble(cuCfmaf(a, b, a)));
  printf("%g %g %g\n", (double)cuCabsf(b), (double)cuCrealf(a), (double)cuCimagf(cuConjf(a)));
  cuDoubleComplex c = make_cuDoubleComplex(1e200, -2e200), d = make_cuDoubleComplex(3e200, 4e200);
  print("div", cuCdiv(c, d));
  print("sub", cuCsub(c, d));
  print("add", cuCadd(c, cuConj(d)));
  printf("%g %g %g\n", cuCabs(d), cuCreal(c),
         cuCimag(cuCfma(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(3, 4), c)));
}
__global__ void complex_on_device() { complex_numbers(); }

int main() {
  constants<<<1, 1>>>();
  cudaDeviceSynchronize();
  complex_on_device<<<1, 1>>>();
  cudaDeviceSynchronize();
  complex_numbers();
  return 0;
}

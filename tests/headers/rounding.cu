// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / rounding modes at the edges
//
// Arithmetic in each rounding mode, with overflow, underflow, cancellation and signed zeros.
#include "checksum.h"

#define MODES(F, name, ...) \
  F(name##_rn, __VA_ARGS__) F(name##_rz, __VA_ARGS__) F(name##_ru, __VA_ARGS__) F(name##_rd, __VA_ARGS__)
#define UNARY(F)            \
  MODES(F, __frcp, float)   \
  MODES(F, __fsqrt, float)  \
  MODES(F, __drcp, double)  \
  MODES(F, __dsqrt, double) \
  F(__frsqrt_rn, float)     \
  F(__saturatef, float)
#define BINARY(F)                  \
  MODES(F, __fadd, float, float)   \
  MODES(F, __fsub, float, float)   \
  MODES(F, __fmul, float, float)   \
  MODES(F, __fdiv, float, float)   \
  MODES(F, __dadd, double, double) \
  MODES(F, __dsub, double, double) \
  MODES(F, __dmul, double, double) \
  MODES(F, __ddiv, double, double)
#define TERNARY(F)                      \
  MODES(F, __fmaf, float, float, float) \
  MODES(F, __fma, double, double, double)

UNARY(DEVICE_FUNCTION_1)
BINARY(DEVICE_FUNCTION_2)
TERNARY(DEVICE_FUNCTION_3)

// Sums that cancel to zero or nearly so, in which the product's own rounding error decides.
#define CANCEL(mode)                                                                  \
  __global__ void check_cancel_##mode(u64 *sum) {                                     \
    for (u32 i = threadIdx.x; i < kInputs; i += blockDim.x) {                         \
      double a = Input<double>::get(i, 0), b = Input<double>::get(i, 1);              \
      float c = Input<float>::get(i, 0), d = Input<float>::get(i, 1);                 \
      add_to_checksum(sum, i, to_bits(__fma_##mode(a, b, -(a * b))));                 \
      add_to_checksum(sum, i, to_bits(__fma_##mode(a, b, nextafter(-(a * b), 0.0)))); \
      add_to_checksum(sum, i, to_bits(__fmaf_##mode(c, d, -(c * d))));                \
      add_to_checksum(sum, i, to_bits(__dadd_##mode(a, -a)));                         \
      add_to_checksum(sum, i, to_bits(__fsub_##mode(c, c)));                          \
      add_to_checksum(sum, i, to_bits(__dadd_##mode(a, nextafter(-a, 0.0))));         \
    }                                                                                 \
  }
CANCEL(rn)
CANCEL(rz)
CANCEL(ru)
CANCEL(rd)

int main() {
  UNARY(PRINT_CHECKSUM)
  BINARY(PRINT_CHECKSUM)
  TERNARY(PRINT_CHECKSUM)
  MODES(PRINT_CHECKSUM, cancel, 0)
  return cudaDeviceSynchronize();
}

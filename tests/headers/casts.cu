// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / conversions in each rounding mode
//
// Type casts: each rounding mode, saturation, NaN.
#include "checksum.h"

#define MODES(F, name, A) F(name##_rn, A) F(name##_rz, A) F(name##_ru, A) F(name##_rd, A)
#define CASTS(F)                   \
  MODES(F, __float2int, float)     \
  MODES(F, __float2uint, float)    \
  MODES(F, __float2ll, float)      \
  MODES(F, __float2ull, float)     \
  MODES(F, __double2int, double)   \
  MODES(F, __double2uint, double)  \
  MODES(F, __double2ll, double)    \
  MODES(F, __double2ull, double)   \
  MODES(F, __double2float, double) \
  MODES(F, __int2float, int)       \
  MODES(F, __uint2float, u32)      \
  MODES(F, __ll2float, long long)  \
  MODES(F, __ull2float, u64)       \
  MODES(F, __ll2double, long long) \
  MODES(F, __ull2double, u64)      \
  F(__int2double_rn, int)          \
  F(__uint2double_rn, u32)         \
  F(__int_as_float, int)           \
  F(__uint_as_float, u32) F(__longlong_as_double, long long) F(__double2hiint, double) F(__double2loint, double)

CASTS(DEVICE_FUNCTION_1)
DEVICE_FUNCTION_2(__hiloint2double, int, int)

__global__ void print_edges() {
  printf("float nan: %d %u %lld %llu\n", __float2int_rz(nanf("")), __float2uint_rz(nanf("")), __float2ll_rz(nanf("")),
         __float2ull_rz(nanf("")));
  printf("double nan: %d %u %lld %llu\n", __double2int_rz(nan("")), __double2uint_rz(nan("")), __double2ll_rz(nan("")),
         __double2ull_rz(nan("")));
  printf("large: %d %u %lld %llu\n", __float2int_rn(3e9f), __float2uint_rn(-2.5f), __float2ll_rn(-1e30f),
         __double2ull_rn(1e30));
  printf("halves: %d %d %d %d\n", __float2int_rn(2.5f), __float2int_rn(-3.5f), __float2int_ru(-2.5f),
         __float2int_rd(-2.5f));
}

int main() {
  CASTS(PRINT_CHECKSUM)
  PRINT_CHECKSUM(__hiloint2double)
  print_edges<<<1, 1>>>();
  return cudaDeviceSynchronize();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / DPX intrinsics
//
// Dynamic-programming intrinsics.
#include "checksum.h"

#define FUSED(F, name)           \
  F(name##_s32, int, int, int)   \
  F(name##_u32, u32, u32, u32)   \
  F(name##_s16x2, u32, u32, u32) \
  F(name##_u16x2, u32, u32, u32) F(name##_s32_relu, int, int, int) F(name##_s16x2_relu, u32, u32, u32)
#define TERNARY(F) FUSED(F, __viaddmax) FUSED(F, __viaddmin) FUSED(F, __vimax3) FUSED(F, __vimin3)
#define BINARY(F)               \
  F(__vimax_s32_relu, int, int) \
  F(__vimax_s16x2_relu, u32, u32) F(__vimin_s32_relu, int, int) F(__vimin_s16x2_relu, u32, u32)
TERNARY(DEVICE_FUNCTION_3)
BINARY(DEVICE_FUNCTION_2)

#define WHICH(name)                                             \
  __device__ u64 which##name(u32 a, u32 b) {                    \
    bool p, q, r, s;                                            \
    u64 words = (u64)(u32)name##_s32((int)a, (int)b, &p) << 32; \
    words ^= name##_u32(a, b, &q);                              \
    words ^= (u64)name##_s16x2(a, b, &r, &s) << 16;             \
    words ^= (u64)(p | q << 1 | r << 2 | s << 3) << 8;          \
    words ^= (u64)name##_u16x2(a, b, &r, &s) << 24;             \
    return words ^ (u64)(r | s << 1) << 60;                     \
  }                                                             \
  DEVICE_FUNCTION_2(which##name, u32, u32)
WHICH(__vibmax)
WHICH(__vibmin)

int main() {
  TERNARY(PRINT_CHECKSUM)
  BINARY(PRINT_CHECKSUM)
  PRINT_CHECKSUM(which__vibmax)
  PRINT_CHECKSUM(which__vibmin)
  return cudaDeviceSynchronize();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / integer intrinsics on whole words
// clang-format off: it never comes to rest on lists of macro calls
//
// Integer intrinsics on whole words.
#include "checksum.h"

__device__ u32 fns(u32 mask, u32 base, int offset) { return __fns(mask, base & 31, offset % 34); }

#define UNARY(F)   \
  F(__popc, u32)   \
  F(__popcll, u64) \
  F(__clz, int) F(__clzll, long long) F(__ffs, int) F(__ffsll, long long) F(__brev, u32) F(__brevll, u64)
#define BINARY(F)                                                                                             \
  F(__mulhi, int, int)                                                                                        \
  F(__umulhi, u32, u32)                                                                                       \
  F(__mul64hi, long long, long long)                                                                          \
  F(__umul64hi, u64, u64) F(__mul24, int, int) F(__umul24, u32, u32) F(__hadd, int, int) F(__rhadd, int, int) \
      F(__uhadd, u32, u32) F(__urhadd, u32, u32)
#define TERNARY(F)                                                                                       \
  F(__sad, int, int, u32)                                                                                \
  F(__usad, u32, u32, u32)                                                                               \
  F(__byte_perm, u32, u32, u32)                                                                          \
  F(__funnelshift_l, u32, u32, u32) F(__funnelshift_lc, u32, u32, u32) F(__funnelshift_r, u32, u32, u32) \
      F(__funnelshift_rc, u32, u32, u32) F(fns, u32, u32, int) F(__dp2a_lo, int, int, int) F(__dp2a_hi, int, int, int)
UNARY(DEVICE_FUNCTION_1)
BINARY(DEVICE_FUNCTION_2)
TERNARY(DEVICE_FUNCTION_3)

__device__ int dp4a_signed(int a, int b, int c) { return __dp4a(a, b, c); }
__device__ u32 dp4a_unsigned(u32 a, u32 b, u32 c) { return __dp4a(a, b, c); }
__device__ int dp4a_vector(u32 a, u32 b, int c) { return __dp4a(from_bits<char4>(a), from_bits<char4>(b), c); }
__device__ u32 dp2a_vector(u32 a, u32 b, u32 c) {
  return __dp2a_lo(from_bits<ushort2>(a), from_bits<uchar4>(b), c) ^
         __dp2a_hi(from_bits<ushort2>(a), from_bits<uchar4>(b), c);
}
__device__ u32 mixed_min(int a, u32 b) { return min(a, b) ^ max(b, a); }
__device__ long long mixed_max(long long a, long long b) { return u64(max(a, b)) - u64(min(a, b)); }
DEVICE_FUNCTION_3(dp4a_signed, int, int, int)
DEVICE_FUNCTION_3(dp4a_unsigned, u32, u32, u32)
DEVICE_FUNCTION_3(dp4a_vector, u32, u32, int)
DEVICE_FUNCTION_3(dp2a_vector, u32, u32, u32)
DEVICE_FUNCTION_2(mixed_min, int, u32)
DEVICE_FUNCTION_2(mixed_max, long long, long long)

int main() {
  UNARY(PRINT_CHECKSUM)
  BINARY(PRINT_CHECKSUM)
  TERNARY(PRINT_CHECKSUM)
  PRINT_CHECKSUM(dp4a_signed)
  PRINT_CHECKSUM(dp4a_unsigned)
  PRINT_CHECKSUM(dp4a_vector)
  PRINT_CHECKSUM(dp2a_vector)
  PRINT_CHECKSUM(mixed_min)
  PRINT_CHECKSUM(mixed_max)
  return cudaDeviceSynchronize();
}

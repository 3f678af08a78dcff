// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer intrinsics on whole words.
#pragma once

#include "../vector_types.h"
#include "function_attributes.h"

__WARPLOOM_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
__WARPLOOM_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__WARPLOOM_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
__WARPLOOM_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
__WARPLOOM_DEVICE int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz((unsigned int)x) + 1; }
__WARPLOOM_DEVICE int __ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll((unsigned long long)x) + 1; }
__WARPLOOM_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__WARPLOOM_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// The position of the offset-th set bit from `base` on (upwards for a positive offset), ~0u if there is none.
__WARPLOOM_DEVICE_CALL unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return (mask >> base) & 1 ? base : ~0u;
  unsigned int rest = offset > 0 ? mask & (~0u << base) : __builtin_bitreverse32(mask & (~0u >> (31 - base)));
  int count = offset > 0 ? offset : -offset;
  while (--count > 0) rest &= rest - 1;
  if (rest == 0) return ~0u;
  unsigned int position = (unsigned int)__builtin_ctz(rest);
  return offset > 0 ? position : 31 - position;
}

// Four bytes of y:x, each named by the lower three bits of a digit of s.
__WARPLOOM_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
  unsigned long long bytes = (unsigned long long)y << 32 | x;
  return (unsigned int)(bytes >> 8 * (s & 7) & 0xff) | (unsigned int)(bytes >> 8 * (s >> 4 & 7) & 0xff) << 8 |
         (unsigned int)(bytes >> 8 * (s >> 8 & 7) & 0xff) << 16 |
         (unsigned int)(bytes >> 8 * (s >> 12 & 7) & 0xff) << 24;
}

__WARPLOOM_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) << (shift & 31) >> 32);
}
__WARPLOOM_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? lo : __funnelshift_l(lo, hi, shift);
}
__WARPLOOM_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (shift & 31));
}
__WARPLOOM_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return shift >= 32 ? hi : __funnelshift_r(lo, hi, shift);
}

__WARPLOOM_DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
__WARPLOOM_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
  return (unsigned int)((unsigned long long)x * y >> 32);
}
__WARPLOOM_DEVICE long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
__WARPLOOM_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
__WARPLOOM_DEVICE int __warploom_low24(int x) { return (int)((unsigned int)x << 8) >> 8; }
__WARPLOOM_DEVICE int __mul24(int x, int y) { return (int)((long long)__warploom_low24(x) * __warploom_low24(y)); }
__WARPLOOM_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }

__WARPLOOM_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
  return (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x) + z;
}
__WARPLOOM_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
__WARPLOOM_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
__WARPLOOM_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
__WARPLOOM_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y) >> 1);
}
__WARPLOOM_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}

// Dot products of four bytes, and of two halfwords with the lower or the upper two bytes, added to c.
#define __WARPLOOM_DOT(W, kind)                                                                              \
  __WARPLOOM_DEVICE W __dp4a(W a, W b, W c) { return (W)__warploom_dot4_##kind((int)a, (int)b, (int)c); }    \
  __WARPLOOM_DEVICE W __dp2a_lo(W a, W b, W c) { return (W)__warploom_dot2_##kind((int)a, (int)b, (int)c); } \
  __WARPLOOM_DEVICE W __dp2a_hi(W a, W b, W c) {                                                             \
    return (W)__warploom_dot2_##kind((int)a, (int)((unsigned int)b >> 16), (int)c);                          \
  }
__WARPLOOM_DOT(int, ss)
__WARPLOOM_DOT(unsigned int, uu)
#undef __WARPLOOM_DOT
#define __WARPLOOM_DOT_VECTORS(W, B4, H2)                                    \
  __WARPLOOM_DEVICE W __dp4a(B4 a, B4 b, W c) {                              \
    return __dp4a(__builtin_bit_cast(W, a), __builtin_bit_cast(W, b), c);    \
  }                                                                          \
  __WARPLOOM_DEVICE W __dp2a_lo(H2 a, B4 b, W c) {                           \
    return __dp2a_lo(__builtin_bit_cast(W, a), __builtin_bit_cast(W, b), c); \
  }                                                                          \
  __WARPLOOM_DEVICE W __dp2a_hi(H2 a, B4 b, W c) {                           \
    return __dp2a_hi(__builtin_bit_cast(W, a), __builtin_bit_cast(W, b), c); \
  }
__WARPLOOM_DOT_VECTORS(int, char4, short2)
__WARPLOOM_DOT_VECTORS(unsigned int, uchar4, ushort2)
#undef __WARPLOOM_DOT_VECTORS

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of PTX are bits: an instruction reads them as values of its type and writes its result back as bits.
// Included by the C++ that frontend/ptx makes of inline assembly, never by a program.
#pragma once

#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#include "../../cuda_fp8.h"
#include "../device_abi.h"

#define WARPLOOM_PTX static __inline__ __device__ __attribute__((always_inline))

namespace warploom {
namespace ptx {

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned __int128 u128;
typedef __int128 s128;

// Two halfwords of a register.
struct u16x2 {
  u16 x, y;
};
struct s16x2 {
  s16 x, y;
};

template <int Bytes>
struct word;
template <>
struct word<1> {
  typedef u8 unsigned_;
  typedef s8 signed_;
  typedef u16 wide;
};
template <>
struct word<2> {
  typedef u16 unsigned_;
  typedef s16 signed_;
  typedef u32 wide;
};
template <>
struct word<4> {
  typedef u32 unsigned_;
  typedef s32 signed_;
  typedef u64 wide;
};
template <>
struct word<8> {
  typedef u64 unsigned_;
  typedef s64 signed_;
  typedef u128 wide;
};
template <>
struct word<16> {
  typedef u128 unsigned_;
  typedef s128 signed_;
};
template <class T>
using bits_of = typename word<sizeof(T)>::unsigned_;
template <class T>
inline constexpr bool is_signed = T(-1) < T(0);

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;
template <class T>
inline constexpr bool is_float = same<T, float> || same<T, double>;
template <class T>
inline constexpr bool is_small = same<T, __half> || same<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_pair = same<T, __half2> || same<T, __nv_bfloat162>;
template <class T>
inline constexpr bool is_integer = !is_float<T> && !is_small<T> && !is_pair<T>;

// Twice as wide, as signed as before.
template <class T>
struct twice {
  typedef typename word<sizeof(T)>::wide type;
};
template <>
struct twice<s16> {
  typedef s32 type;
};
template <>
struct twice<s32> {
  typedef s64 type;
};
template <>
struct twice<s64> {
  typedef s128 type;
};

// A register as a value of T: its lower bits where it is wider.
template <class T, class R>
WARPLOOM_PTX T in(R value) {
  if constexpr (same<T, bool>) {
    return value != 0;
  } else {
    return __builtin_bit_cast(T, static_cast<bits_of<T>>(value));
  }
}

// A result into a register: extended by the sign of its type where the register is wider.
template <class R, class T>
WARPLOOM_PTX void set(R &target, T value) {
  if constexpr (same<R, bool> || same<T, bool>) {
    target = static_cast<R>(value);
  } else if constexpr (sizeof(R) > sizeof(T) && is_integer<T>) {
    target = static_cast<R>(value);
  } else {
    target = static_cast<R>(__builtin_bit_cast(bits_of<T>, value));
  }
}

// The special registers that have no function of the device ABI.
WARPLOOM_PTX u32 lanemask_eq() { return 1u << __warploom_lane_id(); }
WARPLOOM_PTX u32 lanemask_lt() { return lanemask_eq() - 1; }
WARPLOOM_PTX u32 lanemask_le() { return lanemask_lt() | lanemask_eq(); }
WARPLOOM_PTX u32 lanemask_gt() { return ~lanemask_le(); }
WARPLOOM_PTX u32 lanemask_ge() { return ~lanemask_lt(); }
WARPLOOM_PTX u32 threads_of_block() {
  return __warploom_block_dim_x() * __warploom_block_dim_y() * __warploom_block_dim_z();
}
WARPLOOM_PTX u32 nwarpid() { return (threads_of_block() + 31) / 32; }

}  // namespace ptx
}  // namespace warploom

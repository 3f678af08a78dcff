// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix, movmatrix and mma.sync with the fragments that the PTX manual draws.
//
// With g = lane / 4 and t = lane % 4, a register of a factor holds e = 32 / bits elements of one row (of a) or column
// (of b), consecutive in k:
//   a[2i + h]: row g + 8h, k = 4e i + e t + (0 .. e-1)        (with 8 rows: a[i], row g)
//   b[i]:      column g,   k = 4e i + e t + (0 .. e-1)
//   d[2h + j]: row g + 8h, column 2t + j                      (16-bit results: two of one row in a register)
#pragma once

#include "convert.h"
#include "warp.h"

namespace warploom {
namespace ptx {

inline constexpr u32 whole_warp = 0xffffffffu;

template <class W>
WARPLOOM_PTX_WARP W from_lane(W value, u32 lane, const char *file, int line) {
  return static_cast<W>(__warploom_shfl_idx(whole_warp, value, static_cast<int>(lane), 32, file, line));
}

// The formats of the elements of a factor: how many a register holds, and each as a number to multiply.
template <class T>
struct small_element {
  typedef u32 register_;
  typedef float number;
  static constexpr int count = 2;
  WARPLOOM_PTX static number at(u32 word, int i) {
    return small_float::value_of(__builtin_bit_cast(T, static_cast<u16>(word >> 16 * i)));
  }
};
struct tf32_element {
  typedef u32 register_;
  typedef float number;
  static constexpr int count = 1;
  static __inline__ __device__ __attribute__((always_inline)) number at(u32 word, int) {
    return __builtin_bit_cast(float, word & ~0x1fffu);
  }
};
struct double_element {
  typedef u64 register_;
  typedef double number;
  static constexpr int count = 1;
  static __inline__ __device__ __attribute__((always_inline)) number at(u64 word, int) {
    return __builtin_bit_cast(double, word);
  }
};
template <bool Signed, int Bits>
struct integer_element {
  typedef u32 register_;
  typedef s32 number;
  static constexpr int count = 32 / Bits;
  static __inline__ __device__ __attribute__((always_inline)) number at(u32 word, int i) {
    const u32 top = word << (32 - Bits * (i + 1));
    return Signed ? static_cast<s32>(top) >> (32 - Bits) : static_cast<s32>(top >> (32 - Bits));
  }
};

// Bytes are multiplied four at a time; the sum of all products of an instruction is far from the ends of 32 bits.
template <class A, class B>
inline constexpr bool are_bytes = false;
template <bool SignedA, bool SignedB>
inline constexpr bool are_bytes<integer_element<SignedA, 8>, integer_element<SignedB, 8>> = true;
template <class A, class B>
struct byte_products;
template <bool SignedA, bool SignedB>
struct byte_products<integer_element<SignedA, 8>, integer_element<SignedB, 8>> {
  WARPLOOM_PTX static s32 add(u32 a, u32 b, s32 sum) {
    const s32 left = static_cast<s32>(a), right = static_cast<s32>(b);
    if constexpr (SignedA) {
      return SignedB ? __warploom_dot4_ss(left, right, sum) : __warploom_dot4_su(left, right, sum);
    } else {
      return SignedB ? __warploom_dot4_us(left, right, sum) : __warploom_dot4_uu(left, right, sum);
    }
  }
};

WARPLOOM_PTX float multiply_add(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
WARPLOOM_PTX double multiply_add(double a, double b, double sum) { return __builtin_fma(a, b, sum); }
WARPLOOM_PTX s64 multiply_add(s32 a, s32 b, s64 sum) { return sum + static_cast<s64>(a) * b; }
template <class Sum, bool Saturate>
WARPLOOM_PTX Sum end_of_sum(Sum sum) {
  return sum;
}
template <class Result, bool Saturate>
WARPLOOM_PTX s32 end_of_sum(s64 sum) {
  return integer_to_integer<Saturate, s32>(sum);
}

// d = a b + c. Rows: 8 or 16; Steps: registers of b. Sum: what adds up (s64 for integers, wrapped or clamped at the
// end).
template <class A, class B, int Rows, int Steps, bool Saturate, class Sum, class Value>
WARPLOOM_PTX_WARP void mma(Value *d, const typename A::register_ *a, const typename B::register_ *b, const Value *c,
                           const char *file, int line) {
  const u32 lane = __warploom_lane_id(), row = lane & ~3u, column = (lane & 3u) * 8;
  constexpr int halves = Rows / 8;
  Sum sums[2 * halves];
  s32 products[2 * halves] = {};
  for (int i = 0; i < 2 * halves; ++i) sums[i] = c[i];
  for (int step = 0; step < Steps; ++step) {
    for (u32 t = 0; t < 4; ++t) {
      const auto left = from_lane(b[step], column + t, file, line),
                 right = from_lane(b[step], column + 4 + t, file, line);
      for (int half = 0; half < halves; ++half) {
        const auto factor = from_lane(a[step * halves + half], row + t, file, line);
        if constexpr (are_bytes<A, B>) {
          products[2 * half] = byte_products<A, B>::add(factor, left, products[2 * half]);
          products[2 * half + 1] = byte_products<A, B>::add(factor, right, products[2 * half + 1]);
          continue;
        }
        for (int i = 0; i < A::count; ++i) {
          sums[2 * half] = multiply_add(A::at(factor, i), B::at(left, i), sums[2 * half]);
          sums[2 * half + 1] = multiply_add(A::at(factor, i), B::at(right, i), sums[2 * half + 1]);
        }
      }
    }
  }
  for (int i = 0; i < 2 * halves; ++i) {
    if constexpr (same<Sum, s64>) {
      d[i] = integer_to_integer<Saturate, s32>(sums[i] + products[i]);
    } else {
      d[i] = sums[i];
    }
  }
}
WARPLOOM_PTX void unpack_halves(float *values, u32 word) {
  values[0] = small_float::value_of(__builtin_bit_cast(__half, static_cast<u16>(word)));
  values[1] = small_float::value_of(__builtin_bit_cast(__half, static_cast<u16>(word >> 16)));
}
WARPLOOM_PTX u32 pack_halves(const float *values) {
  return __builtin_bit_cast(u32, cvt_pair<rn, false, __half2>(values[1], values[0]));
}

// 8x8 matrices of 16-bit elements: lane 8m + r gives the address of row r of matrix m.
template <bool Transposed>
WARPLOOM_PTX_WARP u32 load_matrix(u64 address, int index, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), base = static_cast<u32>(index) * 8;
  if constexpr (Transposed) {
    const u32 upper = base + (lane & 3u) * 2, column = lane / 4;
    const u64 first = from_lane(address, upper, file, line), second = from_lane(address, upper + 1, file, line);
    return static_cast<const u16 *>(shared_pointer(first))[column] |
           static_cast<u32>(static_cast<const u16 *>(shared_pointer(second))[column]) << 16;
  } else {
    const u64 row = from_lane(address, base + lane / 4, file, line);
    return static_cast<const u32 *>(shared_pointer(row))[lane & 3u];
  }
}
template <bool Transposed>
WARPLOOM_PTX_WARP void store_matrix(u64 address, int index, u32 value, const char *file, int line) {
  const u32 lane = __warploom_lane_id(), base = static_cast<u32>(index) * 8;
  if constexpr (Transposed) {
    const u32 upper = base + (lane & 3u) * 2, column = lane / 4;
    const u64 first = from_lane(address, upper, file, line), second = from_lane(address, upper + 1, file, line);
    static_cast<u16 *>(shared_pointer(first))[column] = static_cast<u16>(value);
    static_cast<u16 *>(shared_pointer(second))[column] = static_cast<u16>(value >> 16);
  } else {
    const u64 row = from_lane(address, base + lane / 4, file, line);
    static_cast<u32 *>(shared_pointer(row))[lane & 3u] = value;
  }
}
WARPLOOM_PTX_WARP u32 transpose_matrix(u32 value, WARPLOOM_PTX_HERE) {
  const u32 lane = __warploom_lane_id(), half = lane / 4 & 1u, word = lane / 8;
  const u32 upper = from_lane(value, (lane & 3u) * 8 + word, file, line);
  const u32 lower = from_lane(value, (lane & 3u) * 8 + 4 + word, file, line);
  return (upper >> 16 * half & 0xffff) | (lower >> 16 * half) << 16;
}

}  // namespace ptx
}  // namespace warploom

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer and bit instructions. Sums and products wrap, shifts clamp.
#pragma once

#include "registers.h"

namespace warploom {
namespace ptx {

template <bool Saturate, class T>
WARPLOOM_PTX T integer_add(T a, T b) {
  if constexpr (Saturate) {
    T sum;
    return __builtin_add_overflow(a, b, &sum)
               ? (b < 0 ? static_cast<T>(bits_of<T>(1) << (8 * sizeof(T) - 1)) : static_cast<T>(~bits_of<T>(0) >> 1))
               : sum;
  } else {
    return static_cast<T>(static_cast<bits_of<T>>(a) + static_cast<bits_of<T>>(b));
  }
}
template <bool Saturate, class T>
WARPLOOM_PTX T integer_sub(T a, T b) {
  if constexpr (Saturate) {
    T difference;
    return __builtin_sub_overflow(a, b, &difference)
               ? (b > 0 ? static_cast<T>(bits_of<T>(1) << (8 * sizeof(T) - 1)) : static_cast<T>(~bits_of<T>(0) >> 1))
               : difference;
  } else {
    return static_cast<T>(static_cast<bits_of<T>>(a) - static_cast<bits_of<T>>(b));
  }
}

// Carry chains: `carry` is CC.CF, which a subtraction leaves as its borrow.
template <bool Uses, bool Sets, class T>
WARPLOOM_PTX T carry_add(T a, T b, bool &carry) {
  typedef bits_of<T> U;
  U sum = U(a) + U(b);
  bool over = sum < U(a);
  if constexpr (Uses) {
    const U more = sum + U(carry);
    over |= more < sum;
    sum = more;
  }
  if constexpr (Sets) carry = over;
  return static_cast<T>(sum);
}
template <bool Uses, bool Sets, class T>
WARPLOOM_PTX T carry_sub(T a, T b, bool &carry) {
  typedef bits_of<T> U;
  U difference = U(a) - U(b);
  bool under = U(a) < U(b);
  if constexpr (Uses) {
    const U less = difference - U(carry);
    under |= less > difference;
    difference = less;
  }
  if constexpr (Sets) carry = under;
  return static_cast<T>(difference);
}

template <class T>
WARPLOOM_PTX typename twice<T>::type mul_wide(T a, T b) {
  typedef typename twice<T>::type W;
  return static_cast<W>(W(a) * W(b));
}
template <class T>
WARPLOOM_PTX T mul_lo(T a, T b) {
  typedef bits_of<T> U;
  return static_cast<T>(static_cast<u64>(static_cast<U>(a)) * static_cast<u64>(static_cast<U>(b)));
}
template <class T>
WARPLOOM_PTX T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
}
template <class T>
WARPLOOM_PTX T low24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}
template <class T>
WARPLOOM_PTX T mul24_lo(T a, T b) {
  return mul_lo(low24(a), low24(b));
}
template <class T>
WARPLOOM_PTX T mul24_hi(T a, T b) {
  return static_cast<T>(mul_wide(low24(a), low24(b)) >> 16);
}

template <class T>
WARPLOOM_PTX T sad(T a, T b, T c) {
  typedef bits_of<T> U;
  return static_cast<T>(U(c) + (a > b ? U(a) - U(b) : U(b) - U(a)));
}
template <class T>
WARPLOOM_PTX T integer_abs(T a) {
  typedef bits_of<T> U;
  return a < 0 ? static_cast<T>(U(0) - U(a)) : a;
}
template <class T>
WARPLOOM_PTX T integer_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
WARPLOOM_PTX T integer_max(T a, T b) {
  return a < b ? b : a;
}

template <class T>
WARPLOOM_PTX T shl(T a, u32 count) {
  return count >= 8 * sizeof(T) ? T(0) : static_cast<T>(bits_of<T>(a) << count);
}
template <class T>
WARPLOOM_PTX T shr(T a, u32 count) {
  if (count >= 8 * sizeof(T)) {
    if constexpr (is_signed<T>) return a < 0 ? T(-1) : T(0);
    return T(0);
  }
  return static_cast<T>(a >> count);
}

template <class T>
WARPLOOM_PTX T bfe(T a, u32 position, u32 length) {
  constexpr u32 top = 8 * sizeof(T) - 1;
  typedef bits_of<T> U;
  position &= 0xff;
  length &= 0xff;
  const u32 last = position + length > top + 1 ? top : position + length - 1;
  const bool sign = is_signed<T> && length != 0 && (U(a) >> last & 1);
  const U field = position > top ? U(0) : U(a) >> position;
  const U inside = length > top ? ~U(0) : (U(1) << length) - 1;
  // Beyond the number's own top the field is filled with the sign.
  const U valid = position > top ? U(0) : ~U(0) >> position;
  return static_cast<T>((field & inside & valid) | (sign ? ~(inside & valid) : U(0)));
}
template <class T>
WARPLOOM_PTX T bfi(T a, T b, u32 position, u32 length) {
  constexpr u32 bits = 8 * sizeof(T);
  position &= 0xff;
  length &= 0xff;
  if (position >= bits) return b;
  const T mask = static_cast<T>((length >= bits ? ~T(0) : (T(1) << length) - 1) << position);
  return static_cast<T>((b & ~mask) | (static_cast<T>(a << position) & mask));
}
template <bool ShiftAmount, class T>
WARPLOOM_PTX u32 bfind(T a) {
  typedef bits_of<T> U;
  constexpr u32 top = 8 * sizeof(T) - 1;
  U value = static_cast<U>(a);
  if constexpr (is_signed<T>) value = a < 0 ? ~value : value;
  if (value == 0) return ~0u;
  const u32 position = top - static_cast<u32>(sizeof(T) == 8 ? __builtin_clzll(value) : __builtin_clz(value));
  return ShiftAmount ? top - position : position;
}
template <class T>
WARPLOOM_PTX T brev(T a) {
  if constexpr (sizeof(T) == 8) return __builtin_bitreverse64(a);
  return __builtin_bitreverse32(a);
}
template <class T>
WARPLOOM_PTX u32 clz(T a) {
  if (a == 0) return 8 * sizeof(T);
  return static_cast<u32>(sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(a));
}
template <class T>
WARPLOOM_PTX u32 popc(T a) {
  return static_cast<u32>(sizeof(T) == 8 ? __builtin_popcountll(a) : __builtin_popcount(a));
}
template <bool Wrap>
WARPLOOM_PTX u32 bmsk(u32 position, u32 length) {
  if (Wrap) return (length & 31) == 0 ? 0 : ((1u << (length & 31)) - 1) << (position & 31);
  const u32 mask = length >= 32 ? ~0u : (1u << length) - 1;
  return position >= 32 ? 0 : mask << position;
}
template <bool Wrap, class T>
WARPLOOM_PTX T szext(T a, u32 bits) {
  if (Wrap) bits &= 31;
  if (bits >= 32) return a;
  if (bits == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - bits)) >> (32 - bits));
}

// The upper or lower word of b:a, shifted.
template <bool Left, bool Wrap>
WARPLOOM_PTX u32 shf(u32 a, u32 b, u32 count) {
  count = Wrap ? count & 31 : (count > 32 ? 32 : count);
  const u64 both = static_cast<u64>(b) << 32 | a;
  return static_cast<u32>(Left ? both << count >> 32 : both >> count);
}

// Byte `selector & 7` of b:a; with bit 3 set, its sign in all eight bits.
WARPLOOM_PTX u32 prmt_byte(u64 bytes, u32 selector) {
  const u32 byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
  return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}
WARPLOOM_PTX u32 prmt(u32 a, u32 b, u32 c) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  return prmt_byte(bytes, c & 15) | prmt_byte(bytes, c >> 4 & 15) << 8 | prmt_byte(bytes, c >> 8 & 15) << 16 |
         prmt_byte(bytes, c >> 12 & 15) << 24;
}
// The modes of prmt pick their four bytes by the lower two bits of c.
WARPLOOM_PTX u32 prmt_mode(u32 a, u32 b, u32 c, u32 s0, u32 s1, u32 s2, u32 s3) {
  const u32 all[4] = {s0, s1, s2, s3};
  return prmt(a, b, all[c & 3]);
}
WARPLOOM_PTX u32 prmt_f4e(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x3210, 0x4321, 0x5432, 0x6543); }
WARPLOOM_PTX u32 prmt_b4e(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x5670, 0x6701, 0x7012, 0x0123); }
WARPLOOM_PTX u32 prmt_rc8(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x0000, 0x1111, 0x2222, 0x3333); }
WARPLOOM_PTX u32 prmt_ecl(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x3210, 0x3211, 0x3222, 0x3333); }
WARPLOOM_PTX u32 prmt_ecr(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x0000, 0x1110, 0x2210, 0x3210); }
WARPLOOM_PTX u32 prmt_rc16(u32 a, u32 b, u32 c) { return prmt_mode(a, b, c, 0x1010, 0x3232, 0x1010, 0x3232); }

// The function of two words whose value for bits (b, c) is bit 2b + c of Table.
template <unsigned Table>
WARPLOOM_PTX u32 lop2(u32 b, u32 c) {
  if constexpr (Table == 0x0) return 0;
  if constexpr (Table == 0x1) return ~(b | c);
  if constexpr (Table == 0x2) return ~b & c;
  if constexpr (Table == 0x3) return ~b;
  if constexpr (Table == 0x4) return b & ~c;
  if constexpr (Table == 0x5) return ~c;
  if constexpr (Table == 0x6) return b ^ c;
  if constexpr (Table == 0x7) return ~(b & c);
  if constexpr (Table == 0x8) return b & c;
  if constexpr (Table == 0x9) return ~(b ^ c);
  if constexpr (Table == 0xa) return c;
  if constexpr (Table == 0xb) return ~b | c;
  if constexpr (Table == 0xc) return b;
  if constexpr (Table == 0xd) return b | ~c;
  if constexpr (Table == 0xe) return b | c;
  return ~0u;
}
// Of three words: the upper half of the table holds a = 1.
template <unsigned Table>
WARPLOOM_PTX u32 lop3(u32 a, u32 b, u32 c) {
  constexpr unsigned one = Table >> 4 & 15, zero = Table & 15;
  if constexpr (one == zero) return lop2<zero>(b, c);
  if constexpr (one == (zero ^ 15)) return a ^ lop2<zero>(b, c);
  return (a & lop2<one>(b, c)) | (~a & lop2<zero>(b, c));
}

// A and B: whether the parts of a and of b have a sign.
template <class A, class B>
WARPLOOM_PTX u32 dp4a(u32 a, u32 b, u32 c) {
  constexpr bool first = A(-1) < A(0), second = B(-1) < B(0);
  const s32 left = static_cast<s32>(a), right = static_cast<s32>(b), sum = static_cast<s32>(c);
  if constexpr (first && second) return static_cast<u32>(__warploom_dot4_ss(left, right, sum));
  if constexpr (first && !second) return static_cast<u32>(__warploom_dot4_su(left, right, sum));
  if constexpr (!first && second) return static_cast<u32>(__warploom_dot4_us(left, right, sum));
  if constexpr (!first && !second) return static_cast<u32>(__warploom_dot4_uu(left, right, sum));
}
template <class A, class B>
WARPLOOM_PTX u32 dp2a(u32 a, u32 b, u32 c, int first) {
  constexpr bool signed_a = A(-1) < A(0), signed_b = B(-1) < B(0);
  const s32 left = static_cast<s32>(a), right = static_cast<s32>(b >> 8 * first), sum = static_cast<s32>(c);
  if constexpr (signed_a && signed_b) return static_cast<u32>(__warploom_dot2_ss(left, right, sum));
  if constexpr (signed_a && !signed_b) return static_cast<u32>(__warploom_dot2_su(left, right, sum));
  if constexpr (!signed_a && signed_b) return static_cast<u32>(__warploom_dot2_us(left, right, sum));
  if constexpr (!signed_a && !signed_b) return static_cast<u32>(__warploom_dot2_uu(left, right, sum));
}

// Halfwords, each by itself.
template <class T>
WARPLOOM_PTX T add_pairs(T a, T b) {
  return {static_cast<decltype(a.x)>(a.x + b.x), static_cast<decltype(a.x)>(a.y + b.y)};
}
template <bool Larger, bool Relu, class T>
WARPLOOM_PTX T extreme_pairs(T a, T b) {
  T result = Larger ? T{integer_max(a.x, b.x), integer_max(a.y, b.y)} : T{integer_min(a.x, b.x), integer_min(a.y, b.y)};
  if (Relu && result.x < 0) result.x = 0;
  if (Relu && result.y < 0) result.y = 0;
  return result;
}

}  // namespace ptx
}  // namespace warploom

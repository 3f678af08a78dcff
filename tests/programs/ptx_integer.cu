// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / integers
// Integer instructions of inline PTX against plain C on the host, in all threads and in some.
#include "check.h"

using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define WORD(NAME, ASM, ...)                                                                  \
  struct NAME {                                                                               \
    using type = u32;                                                                         \
    static constexpr const char *name = #NAME;                                                \
    static __device__ u32 device(u32 a, u32 b, u32 c) {                                       \
      u32 d;                                                                                  \
      asm(ASM : "=r"(d) : "r"(a), "r"(b), "r"(c));                                            \
      return d;                                                                               \
    }                                                                                         \
    static u32 host(u32 a, u32 b, u32 c) {                                                    \
      const int sa = static_cast<int>(a), sb = static_cast<int>(b), sc = static_cast<int>(c); \
      (void)sa, (void)sb, (void)sc;                                                           \
      __VA_ARGS__                                                                             \
    }                                                                                         \
  };
#define LONG(NAME, ASM, ...)                            \
  struct NAME {                                         \
    using type = u64;                                   \
    static constexpr const char *name = #NAME;          \
    static __device__ u64 device(u64 a, u64 b, u64 c) { \
      u64 d;                                            \
      asm(ASM : "=l"(d) : "l"(a), "l"(b), "l"(c));      \
      return d;                                         \
    }                                                   \
    static u64 host(u64 a, u64 b, u64 c) {              \
      (void)a, (void)b, (void)c;                        \
      __VA_ARGS__                                       \
    }                                                   \
  };

static u32 permuted(u32 a, u32 b, u32 selector) {
  const u64 bytes = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 digit = selector >> 4 * i & 15;
    u32 byte = static_cast<u32>(bytes >> 8 * (digit & 7)) & 255;
    if (digit & 8) byte = byte >= 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}
static u32 selected(u32 a, u32 b, u32 c, const u32 (&modes)[4]) { return permuted(a, b, modes[c & 3]); }
static u32 table(u32 a, u32 b, u32 c, u32 truth) {
  u32 result = 0;
  for (int i = 0; i < 32; ++i) result |= (truth >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
  return result;
}
// As the PTX manual's pseudo-code has it, bit by bit.
template <class T>
static T extracted(T a, u32 position, u32 length, bool is_signed) {
  const int top = 8 * sizeof(T) - 1;
  const int p = position & 255, l = length & 255;
  const int last = p + l - 1 < top ? p + l - 1 : top;
  const T sign = is_signed && l != 0 ? a >> last & 1 : 0;
  T d = 0;
  for (int i = 0; i <= top; ++i) d |= (i < l && p + i <= top ? a >> (p + i) & 1 : sign) << i;
  return d;
}
template <class T>
static T inserted(T a, T b, u32 position, u32 length) {
  T d = b;
  for (int i = 0, p = position & 255; i < static_cast<int>(length & 255) && p + i < static_cast<int>(8 * sizeof(T));
       ++i) {
    d = (d & ~(T(1) << (p + i))) | (a >> i & 1) << (p + i);
  }
  return d;
}
static u32 clamped(long long value) {
  return static_cast<u32>(value > 2147483647ll ? 2147483647ll : value < -2147483648ll ? -2147483648ll : value);
}

WORD(add_sat, "add.sat.s32 %0, %1, %2;", return clamped(0ll + sa + sb);)
WORD(sub_sat, "sub.sat.s32 %0, %1, %2;", return clamped(0ll + sa - sb);)
WORD(mad_lo, "mad.lo.s32 %0, %1, %2, %3;", return a * b + c;)
WORD(mad_hi_u, "mad.hi.u32 %0, %1, %2, %3;", return static_cast<u32>(u64{a} * b >> 32) + c;)
WORD(mul_hi_s, "mul.hi.s32 %0, %1, %2;", return static_cast<u32>(1ll * sa * sb >> 32);)
WORD(mul24, "mul24.lo.s32 %0, %1, %2;",
     return static_cast<u32>(1ll * (static_cast<int>(a << 8) >> 8) * (static_cast<int>(b << 8) >> 8));)
WORD(mul24_hi, "mul24.hi.u32 %0, %1, %2;", return static_cast<u32>(u64{a & 0xffffff} * (b & 0xffffff) >> 16);)
WORD(sad_s, "sad.s32 %0, %1, %2, %3;", return c + (sa > sb ? a - b : b - a);)
WORD(div_u, "div.u32 %0, %1, %2;", return b == 0 ? ~0u : a / b;)
WORD(abs_s, "abs.s32 %0, %1;", return sa < 0 ? 0 - a : a;)
WORD(min_s, "min.s32 %0, %1, %2;", return sa < sb ? a : b;)
WORD(max_u, "max.u32 %0, %1, %2;", return a > b ? a : b;)
WORD(cnot, "cnot.b32 %0, %3;", return c == 0;)
WORD(shl_clamps, "shl.b32 %0, %1, %3;", return c > 31 ? 0 : a << c;)
WORD(shr_s_clamps, "shr.s32 %0, %1, %3;", return static_cast<u32>(sa >> (c > 31 ? 31 : c));)
WORD(shf_l_wrap, "shf.l.wrap.b32 %0, %1, %2, %3;", return static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32);)
WORD(shf_r_clamp, "shf.r.clamp.b32 %0, %1, %2, %3;", return static_cast<u32>((u64{b} << 32 | a) >> (c > 32 ? 32 : c));)
WORD(bfe_u, "bfe.u32 %0, %1, %3, %2;", return extracted<u32>(a, c, b, false);)
WORD(bfe_s, "bfe.s32 %0, %1, %3, 7;", return extracted<u32>(a, c, 7, true);)
WORD(bfe_s_wide, "bfe.s32 %0, %1, %2, %3;", return extracted<u32>(a, b, c, true);)
WORD(bfi_w, "bfi.b32 %0, %1, %2, %3, 9;", return inserted<u32>(a, b, c, 9);)
WORD(bfi_any, "bfi.b32 %0, %1, %1, %2, %3;", return inserted<u32>(a, a, b, c);)
WORD(bfind_u, "bfind.u32 %0, %1;", return a == 0 ? ~0u : 31 - static_cast<u32>(__builtin_clz(a));)
WORD(bfind_s, "bfind.shiftamt.s32 %0, %1;", a = sa < 0 ? ~a : a;
     return a == 0 ? ~0u : static_cast<u32>(__builtin_clz(a));)
WORD(brev, "brev.b32 %0, %1;", u32 d = 0; for (int i = 0; i < 32; ++i) d |= (a >> i & 1) << (31 - i); return d;)
WORD(clz, "clz.b32 %0, %3;", return c == 0 ? 32 : static_cast<u32>(__builtin_clz(c));)
WORD(popc, "popc.b32 %0, %1;", return static_cast<u32>(__builtin_popcount(a));)
WORD(prmt, "prmt.b32 %0, %1, %2, %3;", return permuted(a, b, c);)
WORD(prmt_any, "prmt.b32 %0, %1, %2, %2;", return permuted(a, b, b);)
WORD(prmt_f4e, "prmt.b32.f4e %0, %1, %2, %3;", return selected(a, b, c, {0x3210, 0x4321, 0x5432, 0x6543});)
WORD(prmt_b4e, "prmt.b32.b4e %0, %1, %2, %3;", return selected(a, b, c, {0x5670, 0x6701, 0x7012, 0x0123});)
WORD(prmt_rc8, "prmt.b32.rc8 %0, %1, %2, %3;", return selected(a, b, c, {0x0000, 0x1111, 0x2222, 0x3333});)
WORD(prmt_ecl, "prmt.b32.ecl %0, %1, %2, %3;", return selected(a, b, c, {0x3210, 0x3211, 0x3222, 0x3333});)
WORD(prmt_ecr, "prmt.b32.ecr %0, %1, %2, %3;", return selected(a, b, c, {0x0000, 0x1110, 0x2210, 0x3210});)
WORD(prmt_rc16, "prmt.b32.rc16 %0, %1, %2, %3;", return selected(a, b, c, {0x1010, 0x3232, 0x1010, 0x3232});)
WORD(lop3_xor, "lop3.b32 %0, %1, %2, %3, 0x96;", return a ^ b ^ c;)
WORD(lop3_choice, "lop3.b32 %0, %1, %2, %3, 0xca;", return (a & b) | (~a & c);)
WORD(lop3_odd, "lop3.b32 %0, %1, %2, %3, 0x1d;", return table(a, b, c, 0x1d);)
WORD(
    dp4a_mixed, "dp4a.u32.s32 %0, %1, %2, %3;", for (int i = 0; i < 32; i += 8) {
      c += static_cast<u32>(static_cast<int>(a >> i & 255) * static_cast<signed char>(b >> i));
    } return c;)
WORD(
    dp2a_hi, "dp2a.hi.s32.u32 %0, %1, %2, %3;", for (int i = 0; i < 2; ++i) {
      c += static_cast<u32>(static_cast<short>(a >> 16 * i) * static_cast<int>(b >> (16 + 8 * i) & 255));
    } return c;)
WORD(slct, "slct.u32.s32 %0, %1, %2, %1;", return sa >= 0 ? a : b;)
WORD(guarded, "{ .reg .pred p, q; setp.lt.or.s32 p|q, %1, %2, 0; @p mov.b32 %0, %3; @!p not.b32 %0, %3; }",
     return sa < sb ? c : ~c;)
WORD(nested_scopes,
     "{ .reg .u32 t; mov.u32 t, %1; { .reg .u32 t; mov.u32 t, %2; add.u32 t, t, %3; xor.b32 %0, t, 1; } "
     "sub.u32 %0, %0, t; }",
     return ((b + c) ^ 1) - a;)
WORD(loop,
     "{ .reg .pred p; .reg .u32 n, s; mov.u32 n, 5; mov.u32 s, %1; AGAIN: mad.lo.u32 s, s, 3, %2;"
     " sub.u32 n, n, 1; setp.ne.u32 p, n, 0; @p bra AGAIN; mov.u32 %0, s; }",
     for (int i = 0; i < 5; ++i) a = a * 3 + b;
     return a;)
WORD(halves, "{ .reg .b16 x, y; mov.b32 {x, y}, %1; mov.b32 %0, {y, x}; }", return a >> 16 | a << 16;)
WORD(
    vabsdiff4_sum, "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", for (int i = 0; i < 32; i += 8) {
      c += static_cast<u32>(std::abs(static_cast<int>(a >> i & 255) - static_cast<int>(b >> i & 255)));
    } return c;)
static u32 clamped_to(int value, int least, int most) {
  return static_cast<u32>(value < least ? least : value > most ? most : value);
}
WORD(pack_s4, "cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;",
     return c << 8 | (clamped_to(sa, -8, 7) & 15) << 4 | (clamped_to(sb, -8, 7) & 15);)
WORD(pack_u2, "cvt.pack.sat.u2.s32.b32 %0, %1, %2, %3;",
     return c << 4 | clamped_to(sa, 0, 3) << 2 | clamped_to(sb, 0, 3);)
WORD(pack_s8, "cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;",
     return c << 16 | (clamped_to(sa, -128, 127) & 255) << 8 | (clamped_to(sb, -128, 127) & 255);)
WORD(pack_u16, "cvt.pack.sat.u16.s32 %0, %1, %2;", return clamped_to(sa, 0, 65535) << 16 | clamped_to(sb, 0, 65535);)
WORD(vshr_add, "vshr.u32.u32.u32.clamp.add %0, %1, %3, %2;", return (c > 31 ? 0 : a >> c) + b;)
WORD(vadd_parts, "vadd.s32.u32.s32.sat %0, %1.b3, %2.h1;",
     return (a >> 24) + static_cast<u32>(static_cast<short>(b >> 16));)

LONG(add_64, "add.s64 %0, %1, %2;", return a + b;)
LONG(mul_hi_64, "mul.hi.u64 %0, %1, %2;", return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);)
// The manual wants positions and lengths up to 255; nvcc's code for 64 bits does not cut larger ones.
LONG(bfe_64,
     "{ .reg .u32 p, l; cvt.u32.u64 p, %2; cvt.u32.u64 l, %3; and.b32 p, p, 255; and.b32 l, l, 255;"
     " bfe.s64 %0, %1, p, l; }",
     return extracted<u64>(a, static_cast<u32>(b), static_cast<u32>(c), true);)
LONG(bfi_64, "{ .reg .u32 p; cvt.u32.u64 p, %3; and.b32 p, p, 255; bfi.b64 %0, %1, %2, p, 20; }",
     return inserted<u64>(a, b, static_cast<u32>(c), 20);)
LONG(shl_64, "{ .reg .u32 n; cvt.u32.u64 n, %3; shl.b64 %0, %1, n; }", const u32 n = static_cast<u32>(c);
     return n > 63 ? 0 : a << n;)
LONG(popc_64, "{ .reg .u32 n; popc.b64 n, %1; cvt.u64.u32 %0, n; }", return static_cast<u64>(__builtin_popcountll(a));)
LONG(wide, "{ .reg .u32 x, y; cvt.u32.u64 x, %1; cvt.u32.u64 y, %2; mad.wide.s32 %0, x, y, %3; }",
     return static_cast<u64>(1ll * static_cast<int>(a) * static_cast<int>(b)) + c;)
// 128-bit sum of a:b and c:a, upper half: two carry chains of 32-bit words.
LONG(carries,
     "{ .reg .u32 al, ah, bl, bh, cl, ch, d0, d1, d2, d3; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2;"
     " mov.b64 {cl, ch}, %3; add.cc.u32 d0, bl, al; addc.cc.u32 d1, bh, ah; addc.cc.u32 d2, al, cl;"
     " addc.u32 d3, ah, ch; mov.b64 %0, {d2, d3}; }",
     const unsigned __int128 x = static_cast<unsigned __int128>(a) << 64 | b;
     const unsigned __int128 y = static_cast<unsigned __int128>(c) << 64 | a; return static_cast<u64>((x + y) >> 64);)
LONG(borrows,
     "{ .reg .u32 al, ah, bl, bh, d0, d1; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; sub.cc.u32 d0, al, bl;"
     " subc.u32 d1, ah, bh; mov.b64 %0, {d0, d1}; }",
     return a - b;)
LONG(product,
     "{ .reg .u32 al, ah, bl, bh, d1, d2, d3; mov.b64 {al, ah}, %1; mov.b64 {bl, bh}, %2; mul.hi.u32 d1, al, bl;"
     " mad.lo.cc.u32 d1, al, bh, d1; madc.hi.u32 d2, al, bh, 0; mad.lo.cc.u32 d1, ah, bl, d1;"
     " madc.hi.cc.u32 d2, ah, bl, d2; addc.u32 d3, 0, 0; mad.lo.cc.u32 d2, ah, bh, d2; madc.hi.u32 d3, ah, bh, d3;"
     " mov.b64 %0, {d2, d3}; }",
     return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);)

template <class Op, class T = typename Op::type>
__global__ void run(const T *a, const T *b, const T *c, T *d, int n, int every) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % every == 0) d[i] = Op::device(a[i], b[i], c[i]);
}

template <class T>
static std::vector<T> numbers(std::uint32_t seed) {
  Lcg lcg{seed};
  std::vector<T> values;
  for (int i = 0; i < 300; ++i) {
    T value = 0;
    for (unsigned k = 0; k < sizeof(T) / 2; ++k) value = static_cast<T>(value << 16 ^ lcg.next());
    if (i % 5 == 1) value = static_cast<T>(T(1) << (8 * sizeof(T) - 1)) - static_cast<T>(i & 1);
    if (i % 11 == 2) value = i % 2 ? ~T(0) : T(0);
    values.push_back(value);
  }
  return values;
}

template <class Op>
static void test() {
  using T = typename Op::type;
  std::vector<T> a = numbers<T>(1), b = numbers<T>(2), c = numbers<T>(3);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % 3 != 0) c[i] = static_cast<T>(i % 70);
    if (b[i] == 0) b[i] = 9;
    if (i % 7 == 3) b[i] = static_cast<T>(i % 40);
    if (b[i] == 0) b[i] = 1;
  }
  T *da = upload(a), *db = upload(b), *dc = upload(c);
  int wrong = 0;
  for (int every = 1; every <= 3; every += 2) {
    T *dd = device_zeros<T>(a.size());
    run<Op><<<4, 96>>>(da, db, dc, dd, static_cast<int>(a.size()), every);
    const std::vector<T> d = download(dd, a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T wanted = i % static_cast<std::size_t>(every) == 0 ? Op::host(a[i], b[i], c[i]) : T(0);
      if (d[i] != wanted && wrong++ == 0) {
        std::printf("%s(%llx, %llx, %llx) is %llx, not %llx\n", Op::name, (unsigned long long)a[i],
                    (unsigned long long)b[i], (unsigned long long)c[i], (unsigned long long)d[i],
                    (unsigned long long)wanted);
      }
    }
    CHECK(cudaFree(dd));
  }
  std::printf("%s: %d wrong\n", Op::name, wrong);
}

template <class... Ops>
static void test_all() {
  (test<Ops>(), ...);
}

int main() {
  test_all<add_sat, sub_sat, mad_lo, mad_hi_u, mul_hi_s, mul24, mul24_hi, sad_s, div_u, abs_s, min_s, max_u, cnot,
           shl_clamps, shr_s_clamps, shf_l_wrap, shf_r_clamp, bfe_u, bfe_s, bfe_s_wide, bfi_w, bfi_any, bfind_u,
           bfind_s, brev, clz, popc, prmt, prmt_any, prmt_f4e, prmt_b4e, prmt_rc8, prmt_ecl, prmt_ecr, prmt_rc16,
           lop3_xor, lop3_choice, lop3_odd, dp4a_mixed, dp2a_hi, slct, guarded, nested_scopes, loop, halves,
           vabsdiff4_sum, vshr_add, vadd_parts, pack_s4, pack_u2, pack_s8, pack_u16>();
  test_all<add_64, mul_hi_64, bfe_64, bfi_64, shl_64, popc_64, wide, carries, borrows, product>();
  return 0;
}

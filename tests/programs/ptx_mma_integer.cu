// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / mma.sync of bytes, 4-bit integers and bits: every shape and sign, wrapped and saturated sums
// arch: sm_90
//
// Products in registers as the PTX manual numbers them, by two warps of a block, against a loop on the host: of random
// elements, of the ones furthest from zero, and of ones that all have the top bit set.
#include "check.h"

typedef std::uint32_t u32;
constexpr int kLanes = 64;

struct Registers {
  u32 a[4], b[2];
  int c[4];
};

#define KERNEL_1_1_2(name, form)                                             \
  __global__ void name(const Registers *in, int *d) {                        \
    const Registers &r = in[threadIdx.x];                                    \
    int *const out = d + threadIdx.x * 4;                                    \
    asm volatile("mma.sync.aligned." form " {%0, %1}, {%2}, {%3}, {%4, %5};" \
                 : "=r"(out[0]), "=r"(out[1])                                \
                 : "r"(r.a[0]), "r"(r.b[0]), "r"(r.c[0]), "r"(r.c[1]));      \
  }
#define KERNEL_2_1_4(name, form)                                                                               \
  __global__ void name(const Registers *in, int *d) {                                                          \
    const Registers &r = in[threadIdx.x];                                                                      \
    int *const out = d + threadIdx.x * 4;                                                                      \
    asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"              \
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])                                      \
                 : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]), "r"(r.c[0]), "r"(r.c[1]), "r"(r.c[2]), "r"(r.c[3])); \
  }
#define KERNEL_4_2_4(name, form)                                                                                 \
  __global__ void name(const Registers *in, int *d) {                                                            \
    const Registers &r = in[threadIdx.x];                                                                        \
    int *const out = d + threadIdx.x * 4;                                                                        \
    asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])                                        \
                 : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]), "r"(r.c[0]),    \
                   "r"(r.c[1]), "r"(r.c[2]), "r"(r.c[3]));                                                       \
  }

// A kernel for each shape, sign and end of sums.
#define EACH_SIGN(X, ...) X(s, s, __VA_ARGS__) X(s, u, __VA_ARGS__) X(u, s, __VA_ARGS__) X(u, u, __VA_ARGS__)
#define EACH_END(A, B, KERNEL, shape, bits)                                         \
  KERNEL(shape##_##A##B##bits, #shape ".row.col.s32." #A #bits "." #B #bits ".s32") \
  KERNEL(shape##_##A##B##bits##_sat, #shape ".row.col.satfinite.s32." #A #bits "." #B #bits ".s32")
EACH_SIGN(EACH_END, KERNEL_1_1_2, m8n8k16, 8)
EACH_SIGN(EACH_END, KERNEL_2_1_4, m16n8k16, 8)
EACH_SIGN(EACH_END, KERNEL_4_2_4, m16n8k32, 8)
EACH_SIGN(EACH_END, KERNEL_1_1_2, m8n8k32, 4)
EACH_SIGN(EACH_END, KERNEL_2_1_4, m16n8k32, 4)
EACH_SIGN(EACH_END, KERNEL_4_2_4, m16n8k64, 4)
#define EACH_OPERATION(KERNEL, shape)                           \
  KERNEL(shape##_xor, #shape ".row.col.s32.b1.b1.s32.xor.popc") \
  KERNEL(shape##_and, #shape ".row.col.s32.b1.b1.s32.and.popc")
EACH_OPERATION(KERNEL_1_1_2, m8n8k128)
EACH_OPERATION(KERNEL_2_1_4, m16n8k128)
EACH_OPERATION(KERNEL_4_2_4, m16n8k256)

enum End { kWrap, kSaturate, kXor, kAnd };

struct Form {
  const char *name;
  void (*kernel)(const Registers *, int *);
  int rows, depth, bits;
  bool signed_a, signed_b;
  End end;
};

int element(u32 word, int at, int bits, bool is_signed) {
  const u32 top = word << (32 - bits * (at + 1));
  return is_signed ? static_cast<int>(top) >> (32 - bits) : static_cast<int>(top >> (32 - bits));
}

// A word of random elements, of the largest or smallest, or of bytes or halves of them with only the top bit set.
u32 word(Lcg &lcg, int pattern, int bits, bool is_signed) {
  const u32 tops = bits == 8 ? 0x80808080u : bits == 4 ? 0x88888888u : ~0u;
  if (pattern == 0) return lcg.next() << 8 ^ lcg.next();
  return pattern == 1 && is_signed ? tops : pattern == 1 ? ~0u : is_signed ? ~tops : tops;
}

void check(const Form &form) {
  std::vector<int> want, got;
  const int per_word = 32 / form.bits, halves = form.rows / 8;
  for (int pattern = 0; pattern < 3; ++pattern) {
    Lcg lcg{static_cast<u32>(pattern + form.depth * 7 + form.rows)};
    std::vector<Registers> in(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (u32 &each : in[lane].a) each = word(lcg, pattern, form.bits, form.signed_a);
      for (u32 &each : in[lane].b) each = word(lcg, pattern, form.bits, form.signed_b);
      for (int i = 0; i < 4; ++i) in[lane].c[i] = i == 0 ? 0x7fffffff - lane : i == 1 ? -0x7fffffff + lane : i * lane;
    }
    int *const result = device_zeros<int>(kLanes * 4);
    form.kernel<<<1, kLanes>>>(upload(in), result);
    const std::vector<int> found = download(result, kLanes * 4);
    for (int warp = 0; warp < kLanes; warp += 32) {
      for (int row = 0; row < form.rows; ++row) {
        for (int column = 0; column < 8; ++column) {
          const int lane = warp + row % 8 * 4 + column / 2, at = row / 8 * 2 + column % 2;
          long long sum = in[lane].c[at];
          for (int k = 0; k < form.depth; ++k) {
            const int step = k / (4 * per_word), quad = k / per_word % 4;
            const u32 x = in[warp + row % 8 * 4 + quad].a[step * halves + row / 8];
            const u32 y = in[warp + column * 4 + quad].b[step];
            const int left = element(x, k % per_word, form.bits, form.signed_a);
            const int right = element(y, k % per_word, form.bits, form.signed_b);
            sum += form.end == kXor ? left ^ right : left * right;
          }
          if (form.end == kSaturate) sum = std::max(-(1ll << 31), std::min((1ll << 31) - 1, sum));
          want.push_back(static_cast<int>(static_cast<u32>(sum)));
          got.push_back(found[lane * 4 + at]);
        }
      }
    }
  }
  compare(form.name, want, got);
}

#define CHECK_END(A, B, shape, bits, rows, depth)                                                                  \
  check({#shape "_" #A #B #bits, shape##_##A##B##bits, rows, depth, bits, #A[0] == 's', #B[0] == 's', kWrap});     \
  check({#shape "_" #A #B #bits "_sat", shape##_##A##B##bits##_sat, rows, depth, bits, #A[0] == 's', #B[0] == 's', \
         kSaturate});

int main() {
  EACH_SIGN(CHECK_END, m8n8k16, 8, 8, 16)
  EACH_SIGN(CHECK_END, m16n8k16, 8, 16, 16)
  EACH_SIGN(CHECK_END, m16n8k32, 8, 16, 32)
  EACH_SIGN(CHECK_END, m8n8k32, 4, 8, 32)
  EACH_SIGN(CHECK_END, m16n8k32, 4, 16, 32)
  EACH_SIGN(CHECK_END, m16n8k64, 4, 16, 64)
  check({"m8n8k128_xor", m8n8k128_xor, 8, 128, 1, false, false, kXor});
  check({"m8n8k128_and", m8n8k128_and, 8, 128, 1, false, false, kAnd});
  check({"m16n8k128_xor", m16n8k128_xor, 16, 128, 1, false, false, kXor});
  check({"m16n8k128_and", m16n8k128_and, 16, 128, 1, false, false, kAnd});
  check({"m16n8k256_xor", m16n8k256_xor, 16, 256, 1, false, false, kXor});
  check({"m16n8k256_and", m16n8k256_and, 16, 256, 1, false, false, kAnd});
  return 0;
}

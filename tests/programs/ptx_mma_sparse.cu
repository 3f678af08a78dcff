// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / mma.sp: every shape, type and selector; infinities beside elements that are not there
// arch: sm_90
//
// A factor with two of each four elements (one of two tf32, two of four pairs of 4-bit integers) by a dense one,
// against a loop on the host that first makes the whole factor, element by element, as the PTX manual draws the
// registers.
#include <limits>

#include "check.h"

typedef std::uint32_t u32;
constexpr int kLanes = 64;

struct Registers {
  u32 a[4], b[4], places;
  float c[4];
  int c_whole[4];
};

#define TO(letter) letter(out[0]), letter(out[1]), letter(out[2]), letter(out[3])
#define SUMS(letter, c) letter(r.c[0]), letter(r.c[1]), letter(r.c[2]), letter(r.c[3])
#define A_2 "r"(r.a[0]), "r"(r.a[1])
#define B_2 "r"(r.b[0]), "r"(r.b[1])
#define A_4 A_2, "r"(r.a[2]), "r"(r.a[3])
#define B_4 B_2, "r"(r.b[2]), "r"(r.b[3])
#define OPERANDS_2 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11}, %12, "
#define OPERANDS_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, %16, "
#define KERNEL(name, form, count, selector, T, letter, c)                 \
  __global__ void name(const Registers *in, T *d) {                       \
    const Registers &r = in[threadIdx.x];                                 \
    T *const out = d + threadIdx.x * 4;                                   \
    asm volatile("mma." form " " OPERANDS_##count #selector ";"           \
                 : TO("=" letter)                                         \
                 : A_##count, B_##count, SUMS(letter, c), "r"(r.places)); \
  }
#define FLOATS(name, form, count, selector) KERNEL(name, form, count, selector, float, "f", c)
#define WHOLE(name, form, count, selector) KERNEL(name, form, count, selector, int, "r", c_whole)
#define SP "sp.sync.aligned."

FLOATS(f16_k16_0, SP "m16n8k16.row.col.f32.f16.f16.f32", 2, 0)
FLOATS(f16_k16_1, "sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 1)
FLOATS(f16_k16_2, SP "m16n8k16.row.col.f32.f16.f16.f32", 2, 2)
FLOATS(f16_k16_3, SP "m16n8k16.row.col.f32.f16.f16.f32", 2, 3)
FLOATS(f16_k32_0, SP "m16n8k32.row.col.f32.f16.f16.f32", 4, 0)
FLOATS(f16_k32_1, SP "m16n8k32.row.col.f32.f16.f16.f32", 4, 1)
FLOATS(bf16_k16_2, SP "m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2)
FLOATS(bf16_k32_1, SP "m16n8k32.row.col.f32.bf16.bf16.f32", 4, 1)
FLOATS(tf32_k8_3, SP "m16n8k8.row.col.f32.tf32.tf32.f32", 2, 3)
FLOATS(tf32_k16_1, SP "m16n8k16.row.col.f32.tf32.tf32.f32", 4, 1)
FLOATS(e4m3_k64_0, SP "m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 0)
WHOLE(s8_k32_0, SP "m16n8k32.row.col.s32.s8.s8.s32", 2, 0)
WHOLE(u8_k32_1, SP "m16n8k32.row.col.s32.u8.u8.s32", 2, 1)
WHOLE(s8_k64_0, SP "m16n8k64.row.col.satfinite.s32.s8.u8.s32", 4, 0)
WHOLE(s4_k64_1, SP "m16n8k64.row.col.s32.s4.s4.s32", 2, 1)
WHOLE(s4_k128_0, SP "m16n8k128.row.col.s32.s4.u4.s32", 4, 0)

// Bits of an element and what it is worth.
struct Type {
  int bits;
  double (*value)(u32 word);
  u32 infinity;
};
double half_value(u32 x) {
  const int exponent = x >> 10 & 31;
  const double size =
      exponent == 31 ? std::numeric_limits<double>::infinity() : (1024 + (x & 1023)) * std::ldexp(1, exponent - 25);
  return (x >> 15) != 0 ? -size : size;
}
float float_value(u32 x) {
  float value;
  std::memcpy(&value, &x, sizeof value);
  return value;
}
const Type kHalf = {16, half_value, 0x7c00}, kBfloat = {16, [](u32 x) { return double{float_value(x << 16)}; }, 0x7f80},
           kTf32 = {32, [](u32 x) { return double{float_value(x)}; }, 0x7f800000},
           kE4m3 = {8,
                    [](u32 x) {
                      return ((x >> 7) != 0 ? -1.0 : 1.0) * (8 + (x & 7)) * std::ldexp(1, int(x >> 3 & 15) - 10);
                    },
                    0},
           kS8 = {8, [](u32 x) { return double(static_cast<signed char>(x)); }, 0},
           kU8 = {8, [](u32 x) { return double(x); }, 0},
           kS4 = {4, [](u32 x) { return double(x < 8 ? int(x) : int(x) - 16); }, 0},
           kU4 = {4, [](u32 x) { return double(x); }, 0};

u32 element(const u32 *words, int bits, int number) {
  const int each = 32 / bits;
  return words[number / each] >> number % each * bits & (bits == 32 ? ~0u : (1u << bits) - 1);
}

// A small normal number of the type, so that sums are exact.
u32 random_element(Lcg &lcg, const Type &type) {
  const u32 x = lcg.next() >> 8;
  if (type.bits == 32) return (x & 1) << 31 | (127 + x / 2 % 2) << 23 | (x >> 4 & 3) << 21;
  if (type.value == kBfloat.value) return (x & 1) << 15 | (127 + x / 2 % 2) << 7 | (x >> 4 & 3) << 5;
  if (type.value == kHalf.value) return (x & 1) << 15 | (15 + x / 2 % 2) << 10 | (x >> 4 & 3) << 8;
  if (type.value == kE4m3.value) return (x & 1) << 7 | (7 + x / 2 % 2) << 3 | (x >> 4 & 3) << 1;
  return x & ((1u << type.bits) - 1);
}
u32 random_word(Lcg &lcg, const Type &type) {
  u32 word = 0;
  for (int at = 0; at < 32; at += type.bits) word |= random_element(lcg, type) << at;
  return word;
}
// Which two of each four elements of 8 groups: the first one lies before the second one. Of tf32 the four are halves.
u32 random_places(Lcg &lcg, const Type &type) {
  const u32 pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, halves[] = {0x4, 0xe};
  u32 word = 0;
  for (int group = 0; group < 8; ++group) {
    const u32 x = lcg.next() >> 16;
    word |= (type.bits == 32 ? halves[x % 2] : pairs[x % 6]) << 4 * group;
  }
  return word;
}

// The word and the first bit of the places of group `group` in row `row` of a warp, as the manual draws them.
u32 places_of(const Registers *warp, const Type &type, int groups, int selector, int row, int group) {
  const Registers *const four = warp + row % 8 * 4;
  const int lower = row / 8;
  if (type.bits >= 16) {
    const int lane = groups == 4 ? selector : 2 * selector + group / 4;
    return four[lane].places >> (16 * lower + 4 * (group % 4)) & 15;
  }
  const int lane = groups == 8 ? 2 * selector + lower : 2 * (group / 8) + lower;
  return four[lane].places >> 4 * (group % 8) & 15;
}

// Row `row` of the whole factor, and which of its elements are there.
void make_row(const Registers *warp, const Type &type, int depth, int selector, int row, double *values,
              bool *present) {
  const int granule = type.bits >= 16 ? 16 : 8, groups = depth * type.bits / granule / 4, part = type.bits / granule;
  for (int group = 0; group < groups; ++group) {
    const u32 places = places_of(warp, type, groups, selector, row, group);
    for (int which = 0; which < 2; ++which) {
      const int kept = group * 2 + which, per_word = 32 / granule;  // granules of the row
      const int lane = kept / per_word % 4, word = kept / per_word / 4 * 2 + row / 8;
      const u32 bits = warp[row % 8 * 4 + lane].a[word] >> kept % per_word * granule;
      const int column = group * 4 + static_cast<int>(places >> 2 * which & 3);
      if (part == 2) {
        values[column / 2] = type.value(warp[row % 8 * 4 + lane].a[word]);
        present[column / 2] = true;
        continue;
      }
      for (int i = 0; i < granule / type.bits; ++i) {
        const int at = column * (granule / type.bits) + i;
        values[at] = type.value(bits >> i * type.bits & ((1u << type.bits) - 1));
        present[at] = true;
      }
    }
  }
}

template <class T>
T end_of(double sum, bool saturates) {
  if constexpr (std::is_same_v<T, float>) return static_cast<float>(sum);
  if (saturates) return static_cast<T>(std::max(-2147483648.0, std::min(2147483647.0, sum)));
  return static_cast<T>(static_cast<u32>(static_cast<long long>(sum)));
}

template <class T>
void check(const char *name, void (*kernel)(const Registers *, T *), const Type &a, const Type &b, int depth,
           int selector, bool saturates = false) {
  Lcg lcg{static_cast<u32>(depth * 9 + a.bits + selector)};
  std::vector<T> want, got;
  std::vector<Registers> in(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    Registers &r = in[lane];
    for (u32 &each : r.a) each = random_word(lcg, a);
    for (u32 &each : r.b) each = random_word(lcg, b);
    r.places = random_places(lcg, a);
    for (int i = 0; i < 4; ++i) {
      r.c[i] = static_cast<float>(lane - i);
      r.c_whole[i] = i == 0 ? 0x7fffffff - lane : i == 1 ? -0x7fffffff + lane : i * lane;
    }
  }
  // Column 3 of the first warp: infinite where k is 5, which only rows that have element 5 see.
  if (b.infinity != 0) {
    const int per_word = 32 / b.bits, lane = 3 * 4 + 5 / per_word % 4, shift = 5 % per_word * b.bits;
    u32 &word = in[lane].b[5 / per_word / 4];
    word = (word & ~(b.bits == 32 ? ~0u : ((1u << b.bits) - 1) << shift)) | b.infinity << shift;
  }
  T *const result = device_zeros<T>(kLanes * 4);
  kernel<<<1, kLanes>>>(upload(in), result);
  const std::vector<T> found = download(result, kLanes * 4);
  for (int warp = 0; warp < kLanes; warp += 32) {
    for (int row = 0; row < 16; ++row) {
      std::vector<double> values(depth);
      bool present[128] = {};
      make_row(&in[warp], a, depth, selector, row, values.data(), present);
      for (int column = 0; column < 8; ++column) {
        const int lane = warp + row % 8 * 4 + column / 2, at = row / 8 * 2 + column % 2, per_word = 32 / b.bits;
        double sum = std::is_same_v<T, float> ? double{in[lane].c[at]} : double(in[lane].c_whole[at]);
        for (int k = 0; k < depth; ++k) {
          const Registers &holder = in[warp + column * 4 + k / per_word % 4];
          if (present[k]) sum += values[k] * b.value(element(&holder.b[k / per_word / 4], b.bits, k % per_word));
        }
        want.push_back(end_of<T>(sum, saturates));
        got.push_back(found[lane * 4 + at]);
      }
    }
  }
  compare(name, want, got);
}

int main() {
  check("f16_k16_0", f16_k16_0, kHalf, kHalf, 16, 0);
  check("f16_k16_1", f16_k16_1, kHalf, kHalf, 16, 1);
  check("f16_k16_2", f16_k16_2, kHalf, kHalf, 16, 2);
  check("f16_k16_3", f16_k16_3, kHalf, kHalf, 16, 3);
  check("f16_k32_0", f16_k32_0, kHalf, kHalf, 32, 0);
  check("f16_k32_1", f16_k32_1, kHalf, kHalf, 32, 1);
  check("bf16_k16_2", bf16_k16_2, kBfloat, kBfloat, 16, 2);
  check("bf16_k32_1", bf16_k32_1, kBfloat, kBfloat, 32, 1);
  check("tf32_k8_3", tf32_k8_3, kTf32, kTf32, 8, 3);
  check("tf32_k16_1", tf32_k16_1, kTf32, kTf32, 16, 1);
  check("e4m3_k64_0", e4m3_k64_0, kE4m3, kE4m3, 64, 0);
  check("s8_k32_0", s8_k32_0, kS8, kS8, 32, 0);
  check("u8_k32_1", u8_k32_1, kU8, kU8, 32, 1);
  check("s8_k64_0", s8_k64_0, kS8, kU8, 64, 0, true);
  check("s4_k64_1", s4_k64_1, kS4, kS4, 64, 1);
  check("s4_k128_0", s4_k128_0, kS4, kU4, 128, 0);
  return 0;
}

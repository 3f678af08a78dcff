// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90
// feature: Inline PTX / floating point and conversions
// Floating-point instructions and conversions of inline PTX whose results follow from the manual bit by bit.
#include "check.h"

using u32 = std::uint32_t;
using u64 = std::uint64_t;

static u32 bits(float value) {
  u32 word;
  std::memcpy(&word, &value, 4);
  return word;
}

struct Case {
  const char *name;
  u32 wanted;
};
static const float kTiny = 1e-40f;
static const u32 kNan = 0x7fffffff;

__global__ void run(u32 *out, float one, float third, float tiny, float inf, double wide, u32 word) {
  int n = 0;
  float f;
  u32 r;
  unsigned short h;
#define F(ASM, ...)                 \
  asm(ASM : "=f"(f) : __VA_ARGS__); \
  out[n++] = __float_as_uint(f);
#define R(ASM, ...)                 \
  asm(ASM : "=r"(r) : __VA_ARGS__); \
  out[n++] = r;
#define H(ASM, ...)                 \
  asm(ASM : "=h"(h) : __VA_ARGS__); \
  out[n++] = h;
  F("add.rz.f32 %0, %1, 0f32000000;", "f"(one))
  F("add.rp.f32 %0, %1, 0f32000000;", "f"(one))
  F("add.ftz.f32 %0, %1, 0f00000000;", "f"(tiny))
  F("add.f32 %0, %1, 0f00000000;", "f"(tiny))
  F("add.sat.f32 %0, %1, %1;", "f"(one))
  F("fma.rn.f32 %0, %1, 0f40000000, 0f3F800000;", "f"(one))
  F("min.f32 %0, %1, 0f7FC00000;", "f"(one))
  F("max.NaN.f32 %0, %1, 0f7FC00000;", "f"(one))
  F("abs.f32 %0, 0fBF800000; // %1", "f"(one))
  F("neg.f32 %0, %1;", "f"(one))
  F("copysign.f32 %0, 0f80000000, %1;", "f"(one))
  F("rcp.rn.f32 %0, 0f40000000; // %1", "f"(one))
  F("sqrt.rn.f32 %0, 0f41100000; // %1", "f"(one))
  F("ex2.approx.ftz.f32 %0, 0f40400000; // %1", "f"(one))
  F("lg2.approx.f32 %0, 0f41000000; // %1", "f"(one))
  F("cvt.rni.f32.f32 %0, 0f40200000; // %1", "f"(one))
  F("cvt.rz.f32.f64 %0, %1;", "d"(wide))
  F("cvt.rn.f32.f64 %0, %1;", "d"(wide))
  F("cvt.rn.f32.s32 %0, %1;", "r"(word))
  F("cvt.rn.f32.u32 %0, %1;", "r"(word))
  F("cvt.rn.f32.u8 %0, %1;", "r"(word))
  F("cvt.f32.f16 %0, %1;", "h"((unsigned short)0x3555))
  F("{ .reg .b16 t; cvt.rn.bf16.f32 t, %1; cvt.f32.bf16 %0, t; }", "f"(third))
  F("selp.f32 %0, %1, 0f00000000, 1; // %1", "f"(one))
  R("cvt.rzi.s32.f32 %0, 0fC0200000; // %1", "f"(one))
  R("cvt.rmi.s32.f32 %0, 0fC0200000; // %1", "f"(one))
  R("cvt.rni.u32.f32 %0, 0fC0200000; // %1", "f"(one))
  R("cvt.rzi.s32.f32 %0, %1;", "f"(inf))
  R("cvt.rzi.s32.f32 %0, 0f7FC00000; // %1", "f"(one))
  R("cvt.rzi.u8.f32 %0, 0f43960000; // %1", "f"(one))
  R("cvt.s32.s8 %0, %1;", "r"(word))
  R("cvt.sat.s8.s32 %0, 300; // %1", "r"(word))
  R("cvt.u16.u32 %0, %1;", "r"(word))
  R("cvt.rna.tf32.f32 %0, %1;", "f"(third))
  R("cvt.rn.f16x2.f32 %0, %1, 0f40000000;", "f"(one))
  R("cvt.rn.relu.bf16x2.f32 %0, %1, 0fC0000000;", "f"(one))
  R("{ .reg .pred p; setp.lt.f32 p, %1, 0f7FC00000; selp.u32 %0, 1, 0, p; }", "f"(one))
  R("{ .reg .pred p; setp.ltu.f32 p, %1, 0f7FC00000; selp.u32 %0, 1, 0, p; }", "f"(one))
  R("{ .reg .pred p; setp.eq.ftz.f32 p, %1, 0f00000000; selp.u32 %0, 1, 0, p; }", "f"(tiny))
  R("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }", "f"(tiny))
  R("set.gt.u32.f32 %0, %1, 0f00000000;", "f"(one))
  R("fma.rn.f16x2 %0, %1, %1, %1;", "r"(0x40003c00))
  R("add.f16x2 %0, %1, %2;", "r"(0x40003c00), "r"(0x3c003c00))
  R("ex2.approx.f16x2 %0, %1;", "r"(0x40003c00))
  H("ex2.approx.f16 %0, %1;", "h"((unsigned short)0x4200))
  H("tanh.approx.f16 %0, %1;", "h"((unsigned short)0x0000))
  H("cvt.rn.f16.s32 %0, %1;", "r"(2049))
  H("cvt.rp.f16.s32 %0, %1;", "r"(2049))
  H("cvt.rn.satfinite.e4m3x2.f32 %0, %1, 0f40000000;", "f"(inf))
}

int main() {
  const u32 word = 0x8000ffc1;
  const double wide = 1.0 + 0x1.8p-24;
  const Case cases[] = {
      {"add.rz", bits(1.0f)},
      {"add.rp", bits(1.0f) + 1},
      {"add.ftz", 0},
      {"add", bits(kTiny)},
      {"add.sat", bits(1.0f)},
      {"fma", bits(3.0f)},
      {"min", bits(1.0f)},
      {"max.NaN", kNan},
      {"abs", bits(1.0f)},
      {"neg", bits(-1.0f)},
      {"copysign", bits(-1.0f)},
      {"rcp", bits(0.5f)},
      {"sqrt", bits(3.0f)},
      {"ex2", bits(8.0f)},
      {"lg2", bits(3.0f)},
      {"cvt.rni.f32", bits(2.0f)},
      {"cvt.rz.f32.f64", bits(1.0f)},
      {"cvt.rn.f32.f64", bits(1.0f) + 1},
      {"cvt.f32.s32", bits(static_cast<float>(static_cast<int>(word)))},
      {"cvt.f32.u32", bits(static_cast<float>(word))},
      {"cvt.f32.u8", bits(193.0f)},
      {"cvt.f32.f16", bits(0.333251953125f)},
      {"cvt.bf16", 0x3eab0000},
      {"selp", bits(1.0f)},
      {"rzi", static_cast<u32>(-2)},
      {"rmi", static_cast<u32>(-3)},
      {"rni.u32", 0},
      {"inf to s32", 0x7fffffff},
      {"nan to s32", 0},
      {"300 to u8", 255},
      {"s8", static_cast<u32>(-63)},
      {"sat.s8", 127},
      {"u16", 0xffc1},
      {"tf32", 0x3eaaa000},
      {"f16x2", 0x3c004000},
      {"bf16x2", 0x3f800000},
      {"lt", 0},
      {"ltu", 1},
      {"eq.ftz", 1},
      {"subnormal", 1},
      {"set", ~0u},
      {"fma.f16x2", 0x46004000},
      {"add.f16x2", 0x42004000},
      {"ex2.f16x2", 0x44004000},
      {"ex2.f16", 0x4800},
      {"tanh.f16", 0},
      {"cvt.rn.f16.s32", 0x6800},
      {"cvt.rp.f16.s32", 0x6801},
      {"e4m3x2", 0x7e40},
  };
  const int count = sizeof cases / sizeof *cases;
  u32 *out = device_zeros<u32>(count);
  run<<<1, 1>>>(out, 1.0f, 1.0f / 3.0f, kTiny, INFINITY, wide, word);
  const std::vector<u32> got = download(out, count);
  for (int i = 0; i < count; ++i) {
    if (got[i] == cases[i].wanted) std::printf("%s: right\n", cases[i].name);
    if (got[i] != cases[i].wanted) std::printf("%s: %08x, not %08x\n", cases[i].name, got[i], cases[i].wanted);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / f32x2: add, sub, mul, fma of two floats in a register, in every rounding
// arch: sm_100
//
// Each half rounds as the instruction for one float does.
#include "check.h"

typedef std::uint64_t u64;

#define BOTH(name, x2, one, operands, ...)                                             \
  asm(x2 " " operands : "=l"(pair) : __VA_ARGS__);                                     \
  out[name * 4] = __uint_as_float(unsigned(pair));                                     \
  out[name * 4 + 1] = __uint_as_float(unsigned(pair >> 32));                           \
  out[name * 4 + 2] = one(__uint_as_float(unsigned(a)), __uint_as_float(unsigned(b))); \
  out[name * 4 + 3] = one(__uint_as_float(unsigned(a >> 32)), __uint_as_float(unsigned(b >> 32)));

__device__ float plus_ab(float a, float b) { return __fmaf_rn(a, b, a); }
__device__ float minus(float a, float b) { return __fadd_rn(a, -b); }

__global__ void compute(const u64 *in, float *all) {
  const u64 a = in[threadIdx.x], b = in[threadIdx.x + 1];
  float *const out = all + threadIdx.x * 24;
  u64 pair;
  BOTH(0, "add.rn.f32x2", __fadd_rn, "%0, %1, %2;", "l"(a), "l"(b))
  BOTH(1, "sub.rn.f32x2", minus, "%0, %1, %2;", "l"(a), "l"(b))
  BOTH(2, "mul.rz.f32x2", __fmul_rz, "%0, %1, %2;", "l"(a), "l"(b))
  BOTH(3, "mul.rp.f32x2", __fmul_ru, "%0, %1, %2;", "l"(a), "l"(b))
  BOTH(4, "add.rm.f32x2", __fadd_rd, "%0, %1, %2;", "l"(a), "l"(b))
  BOTH(5, "fma.rn.f32x2", plus_ab, "%0, %1, %2, %1;", "l"(a), "l"(b))
}

int main() {
  constexpr int kThreads = 256;
  Lcg lcg{11};
  std::vector<u64> in;
  for (int i = 0; i <= kThreads; ++i) {
    const u64 exponents = u64(96 + lcg.below(64)) << 55 | u64(96 + lcg.below(64)) << 23;
    in.push_back(exponents | (u64(lcg.next()) << 40 ^ u64(lcg.next())) & 0x807fffff807fffffull);
  }
  float *const all = device_zeros<float>(kThreads * 24);
  compute<<<1, kThreads>>>(upload(in), all);
  const std::vector<float> found = download(all, kThreads * 24);
  std::vector<float> want, got;
  for (std::size_t i = 0; i < found.size(); ++i) (i % 4 < 2 ? got : want).push_back(found[i]);
  compare("pairs", want, got);
  return 0;
}

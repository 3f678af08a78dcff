// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / carries from one asm statement to the next: in loops, through functions, with other work
// between
//
// Numbers of several words as libraries of large numbers write them: a function for each instruction.
#include "check.h"

typedef std::uint32_t u32;
typedef std::uint64_t u64;
constexpr int kWords = 8;

#define INSTRUCTION(name, text)                                        \
  __device__ __forceinline__ u32 name(u32 a, u32 b) {                  \
    u32 result;                                                        \
    asm volatile(text " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b)); \
    return result;                                                     \
  }
INSTRUCTION(add_cc, "add.cc.u32")
INSTRUCTION(addc_cc, "addc.cc.u32")
INSTRUCTION(addc, "addc.u32")
INSTRUCTION(sub_cc, "sub.cc.u32")
INSTRUCTION(subc_cc, "subc.cc.u32")
INSTRUCTION(subc, "subc.u32")
__device__ u32 mad_lo_cc(u32 a, u32 b, u32 c) {
  u32 result;
  asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
__device__ u32 madc_hi(u32 a, u32 b, u32 c) {
  u32 result;
  asm volatile("madc.hi.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}

struct Number {
  u32 word[kWords];
};

// The carry out of the last word.
__device__ u32 add(Number &sum, const Number &a, const Number &b) {
  sum.word[0] = add_cc(a.word[0], b.word[0]);
  for (int i = 1; i < kWords; ++i) sum.word[i] = addc_cc(a.word[i], b.word[i]);
  return addc(0, 0);
}
__device__ u32 subtract(Number &difference, const Number &a, const Number &b) {
  difference.word[0] = sub_cc(a.word[0], b.word[0]);
  for (int i = 1; i < kWords; ++i) {
    difference.word[i] = subc_cc(a.word[i], b.word[i]);
    if (difference.word[i] == 12345) difference.word[i] = 12345;
  }
  return subc(0, 0);
}

__global__ void compute(const Number *in, Number *out) {
  const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
  Number sum, difference;
  const u32 over = add(sum, in[at], in[at + 1]), under = subtract(difference, in[at], in[at + 1]);
  out[at * 3] = sum;
  out[at * 3 + 1] = difference;
  Number rest = {};
  rest.word[0] = over;
  rest.word[1] = under;
  rest.word[2] = mad_lo_cc(in[at].word[0], in[at].word[1], sum.word[2]);
  rest.word[3] = madc_hi(in[at].word[0], in[at].word[1], 7);
  if (at % 3 == 0) {  // some lanes only
    rest.word[4] = add_cc(in[at].word[3], in[at].word[4]);
    rest.word[5] = addc(at, 5);
  }
  out[at * 3 + 2] = rest;
}

int main() {
  constexpr u32 kThreads = 96;
  std::vector<Number> in(kThreads + 1);
  Lcg lcg{9};
  for (Number &each : in) {
    for (u32 &word : each.word) word = lcg.below(4) == 0 ? ~0u : lcg.below(4) == 0 ? 0 : lcg.next() << 8 ^ lcg.next();
  }
  Number *const out = device_zeros<Number>(kThreads * 3);
  compute<<<3, kThreads / 3>>>(upload(in), out);
  std::vector<u32> want, got;
  for (const Number &each : download(out, kThreads * 3)) got.insert(got.end(), each.word, each.word + kWords);
  for (u32 at = 0; at < kThreads; ++at) {
    const Number &a = in[at], &b = in[at + 1];
    u64 carry = 0, borrow = 0;
    Number sum, difference, rest = {};
    for (int i = 0; i < kWords; ++i) {
      carry += u64(a.word[i]) + b.word[i];
      sum.word[i] = u32(carry);
      carry >>= 32;
      borrow = u64(a.word[i]) - b.word[i] - borrow;
      difference.word[i] = u32(borrow);
      borrow = borrow >> 63;
    }
    const u64 product = u64(a.word[0]) * a.word[1], low = u64(u32(product)) + sum.word[2];
    rest.word[0] = u32(carry);
    rest.word[1] = u32(0 - borrow);
    rest.word[2] = u32(low);
    rest.word[3] = u32(product >> 32) + 7 + u32(low >> 32);
    if (at % 3 == 0) {
      const u64 pair = u64(a.word[3]) + a.word[4];
      rest.word[4] = u32(pair);
      rest.word[5] = at + 5 + u32(pair >> 32);
    }
    for (const Number &each : {sum, difference, rest}) want.insert(want.end(), each.word, each.word + kWords);
  }
  compare("carries", want, got);
  return 0;
}

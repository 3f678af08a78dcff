// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XORWOW (Marsaglia, "Xorshift RNGs", 2003): five words of xorshift and a Weyl counter. Subsequences are 2^67 apart.
#pragma once

#include "normal_cache.h"

struct curandStateXORWOW : warploom::curand::normal_cache {
  unsigned int d;
  unsigned int v[5];
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace warploom {
namespace curand {

// x^(digit * 16^place) modulo the minimal polynomial of a step: steps first, then subsequences.
static __device__ const unsigned xorwow_jump[2 * 16 * 15][5] = {
#include "xorwow_jump.inc"
};

constexpr unsigned xorwow_weyl = 362437;

__WARPLOOM_DEVICE unsigned xorwow_next_word(unsigned oldest, unsigned newest) {
  const unsigned t = oldest ^ oldest >> 2;
  return newest ^ newest << 4 ^ t ^ t << 1;
}

// v = p(T) v for a polynomial p of degree below 160: the sum of the states i steps ahead, over the bits i of p.
__WARPLOOM_DEVICE_CALL void xorwow_apply(unsigned *v, const unsigned *polynomial) {
  unsigned sum[5] = {};
  unsigned w[5] = {v[0], v[1], v[2], v[3], v[4]};
  for (unsigned word = 0; word < 5; ++word) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const unsigned chosen = 0u - (polynomial[word] >> bit & 1u);
      for (unsigned i = 0; i < 5; ++i) sum[i] ^= chosen & w[i];
      const unsigned next = xorwow_next_word(w[0], w[4]);
      for (unsigned i = 0; i < 4; ++i) w[i] = w[i + 1];
      w[4] = next;
    }
  }
  for (unsigned i = 0; i < 5; ++i) v[i] = sum[i];
}

__WARPLOOM_DEVICE void xorwow_jump_by(unsigned *v, unsigned long long count, unsigned first_row) {
  for (unsigned row = first_row; count != 0; count >>= 4, row += 15) {
    const unsigned digit = static_cast<unsigned>(count & 15);
    if (digit != 0) xorwow_apply(v, xorwow_jump[row + digit - 1]);
  }
}

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  warploom::curand::xorwow_jump_by(state->v, n, 0);
  state->d += static_cast<unsigned>(n) * warploom::curand::xorwow_weyl;
}

// 2^67 steps are a multiple of the Weyl counter's period.
__WARPLOOM_DEVICE void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
  warploom::curand::xorwow_jump_by(state->v, n, 240);
}

__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStateXORWOW_t *state) {
  const unsigned s0 = static_cast<unsigned>(seed) ^ 0xaad26b49u, s1 = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu;
  const unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
  state->d = 6615241u + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  state->forget();
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

__WARPLOOM_DEVICE unsigned int curand(curandStateXORWOW_t *state) {
  const unsigned next = warploom::curand::xorwow_next_word(state->v[0], state->v[4]);
  for (unsigned i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = next;
  state->d += warploom::curand::xorwow_weyl;
  return next + state->d;
}

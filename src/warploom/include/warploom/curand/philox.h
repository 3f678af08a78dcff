// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): ten rounds of multiplication over
// a 128-bit counter. Subsequences are 2^66 numbers apart: the counter's upper half.
#pragma once

#include "../../vector_types.h"
#include "normal_cache.h"

struct curandStatePhilox4_32_10 : warploom::curand::normal_cache {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;  // how many of the four words of `output` have been handed out
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace warploom {
namespace curand {

__WARPLOOM_DEVICE uint4 philox_words(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xd2511f53ULL * counter.x, b = 0xcd9e8d57ULL * counter.z;
    counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
               static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a)};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

__WARPLOOM_DEVICE void philox_advance(curandStatePhilox4_32_10_t *state, unsigned long long low,
                                      unsigned long long high) {
  const unsigned long long old = state->ctr.x | static_cast<unsigned long long>(state->ctr.y) << 32;
  const unsigned long long sum = old + low;
  high += (state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32) + (sum < old);
  state->ctr = {static_cast<unsigned>(sum), static_cast<unsigned>(sum >> 32), static_cast<unsigned>(high),
                static_cast<unsigned>(high >> 32)};
  state->output = philox_words(state->ctr, state->key);
}

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += static_cast<unsigned>(n & 3);
  n >>= 2;
  if (state->STATE > 3) {
    ++n;
    state->STATE -= 4;
  }
  warploom::curand::philox_advance(state, n, 0);
}

__WARPLOOM_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  warploom::curand::philox_advance(state, 0, n);
}

__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStatePhilox4_32_10_t *state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  state->STATE = 0;
  state->forget();
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

__WARPLOOM_DEVICE unsigned int curand(curandStatePhilox4_32_10_t *state) {
  const uint4 words = state->output;
  const unsigned at = state->STATE;
  const unsigned result = at == 0 ? words.x : at == 1 ? words.y : at == 2 ? words.z : words.w;
  if (++state->STATE == 4) {
    state->STATE = 0;
    warploom::curand::philox_advance(state, 1, 0);
  }
  return result;
}

// The next four numbers of the sequence.
__WARPLOOM_DEVICE uint4 curand4(curandStatePhilox4_32_10_t *state) {
  const uint4 old = state->output;
  warploom::curand::philox_advance(state, 1, 0);
  const uint4 next = state->output;
  switch (state->STATE) {
    case 0:
      return old;
    case 1:
      return {old.y, old.z, old.w, next.x};
    case 2:
      return {old.z, old.w, next.x, next.y};
    default:
      return {old.w, next.x, next.y, next.z};
  }
}

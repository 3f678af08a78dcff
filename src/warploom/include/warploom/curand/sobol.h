// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobol's quasi-random sequences, one dimension a state, in Gray-code order: number i is the sum (exclusive or) of the
// direction vectors of the bits of i ^ i >> 1. Scrambling is a shift of the digits (another first number), beside what
// is in the direction vectors.
#pragma once

#include "poisson.h"

namespace warploom {
namespace curand {

template <class Word, int kBits>
struct sobol {
  Word i;
  Word x;
  Word direction_vectors[kBits];
};

template <class Word, int kBits>
__WARPLOOM_DEVICE void sobol_init(sobol<Word, kBits> *state, const Word *vectors, Word shift, Word offset) {
  Word x = shift;
  const Word gray = offset ^ offset >> 1;
  for (int bit = 0; bit < kBits; ++bit) {
    state->direction_vectors[bit] = vectors[bit];
    x ^= gray >> bit & 1 ? vectors[bit] : Word(0);
  }
  state->i = offset;
  state->x = x;
}

template <class Word, int kBits>
__WARPLOOM_DEVICE void sobol_skip(sobol<Word, kBits> *state, Word n) {
  const Word next = state->i + n;
  const Word changed = (state->i ^ state->i >> 1) ^ (next ^ next >> 1);
  for (int bit = 0; bit < kBits; ++bit) {
    state->x ^= changed >> bit & 1 ? state->direction_vectors[bit] : Word(0);
  }
  state->i = next;
}

template <class Word, int kBits>
__WARPLOOM_DEVICE Word sobol_next(sobol<Word, kBits> *state) {
  const Word result = state->x;
  const int zero = state->i == Word(-1) ? 0 : __builtin_ctzll(~static_cast<unsigned long long>(state->i));
  state->x ^= state->direction_vectors[zero];
  ++state->i;
  return result;
}

// Uniform in (0, 1]; what cuRAND gives as a double, and the middle of the interval that the number stands for.
__WARPLOOM_DEVICE double sobol_uniform(unsigned x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
__WARPLOOM_DEVICE double sobol_unit(unsigned x) { return x * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__WARPLOOM_DEVICE double sobol_unit(unsigned long long x) {
  return static_cast<double>(x >> 11) * 1.1102230246251565e-16 + 5.551115123125783e-17;
}
__WARPLOOM_DEVICE double sobol_uniform(unsigned long long x) { return sobol_unit(x); }
__WARPLOOM_DEVICE float sobol_unit_float(unsigned x) { return unit_float(x); }
__WARPLOOM_DEVICE float sobol_unit_float(unsigned long long x) { return unit_float(static_cast<unsigned>(x >> 32)); }

// A quasi-random sequence keeps its evenness under the inverse of the distribution function, which takes one number,
// and loses it under Box and Muller's transform. The upper half is the lower one mirrored: 1 is never met.
template <class Word>
__WARPLOOM_DEVICE double sobol_normal(Word x) {
  const bool upper = x >> (8 * sizeof(Word) - 1) != 0;
  const double z = normcdfinv(sobol_unit(upper ? static_cast<Word>(~x) : x));
  return upper ? -z : z;
}

}  // namespace curand
}  // namespace warploom

struct curandStateSobol32 : warploom::curand::sobol<unsigned int, 32> {};
struct curandStateScrambledSobol32 : warploom::curand::sobol<unsigned int, 32> {};
struct curandStateSobol64 : warploom::curand::sobol<unsigned long long, 64> {};
struct curandStateScrambledSobol64 : warploom::curand::sobol<unsigned long long, 64> {};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

__WARPLOOM_DEVICE void curand_init(const unsigned int *direction_vectors, unsigned int offset,
                                   curandStateSobol32_t *state) {
  warploom::curand::sobol_init(state, direction_vectors, 0u, offset);
}
__WARPLOOM_DEVICE void curand_init(const unsigned int *direction_vectors, unsigned int scramble, unsigned int offset,
                                   curandStateScrambledSobol32_t *state) {
  warploom::curand::sobol_init(state, direction_vectors, scramble, offset);
}
__WARPLOOM_DEVICE void curand_init(const unsigned long long *direction_vectors, unsigned long long offset,
                                   curandStateSobol64_t *state) {
  warploom::curand::sobol_init(state, direction_vectors, 0ULL, offset);
}
__WARPLOOM_DEVICE void curand_init(const unsigned long long *direction_vectors, unsigned long long scramble,
                                   unsigned long long offset, curandStateScrambledSobol64_t *state) {
  warploom::curand::sobol_init(state, direction_vectors, scramble, offset);
}

#define WARPLOOM_SOBOL(STATE, WORD)                                                                                  \
  __WARPLOOM_DEVICE void skipahead(WORD n, STATE *state) { warploom::curand::sobol_skip(state, n); }                 \
  __WARPLOOM_DEVICE WORD curand(STATE *state) { return warploom::curand::sobol_next(state); }                        \
  __WARPLOOM_DEVICE float curand_uniform(STATE *state) { return warploom::curand::sobol_unit_float(curand(state)); } \
  __WARPLOOM_DEVICE double curand_uniform_double(STATE *state) {                                                     \
    return warploom::curand::sobol_uniform(curand(state));                                                           \
  }                                                                                                                  \
  __WARPLOOM_DEVICE double curand_normal_double(STATE *state) {                                                      \
    return warploom::curand::sobol_normal(curand(state));                                                            \
  }                                                                                                                  \
  __WARPLOOM_DEVICE float curand_normal(STATE *state) { return static_cast<float>(curand_normal_double(state)); }    \
  __WARPLOOM_DEVICE float curand_log_normal(STATE *state, float mean, float deviation) {                             \
    return __builtin_expf(mean + deviation * curand_normal(state));                                                  \
  }                                                                                                                  \
  __WARPLOOM_DEVICE double curand_log_normal_double(STATE *state, double mean, double deviation) {                   \
    return __builtin_exp(mean + deviation * curand_normal_double(state));                                            \
  }                                                                                                                  \
  __WARPLOOM_DEVICE unsigned int curand_poisson(STATE *state, double lambda) {                                       \
    return warploom::curand::poisson_inverse(warploom::curand::sobol_unit(curand(state)), lambda);                   \
  }
WARPLOOM_SOBOL(curandStateSobol32_t, unsigned int)
WARPLOOM_SOBOL(curandStateScrambledSobol32_t, unsigned int)
WARPLOOM_SOBOL(curandStateSobol64_t, unsigned long long)
WARPLOOM_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef WARPLOOM_SOBOL

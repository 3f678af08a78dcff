// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
// 1999). Subsequences are 2^76 steps apart, sequences 2^127.
#pragma once

#include "normal_cache.h"

struct curandStateMRG32k3a : warploom::curand::normal_cache {
  unsigned int s1[3];  // oldest first
  unsigned int s2[3];
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace warploom {
namespace curand {

constexpr unsigned mrg_m1 = 4294967087u, mrg_m2 = 4294944443u;

struct mrg_matrix {
  unsigned a[3][3];
};

__WARPLOOM_DEVICE unsigned mrg_dot(const unsigned *row, unsigned x, unsigned y, unsigned z, unsigned modulus) {
  const unsigned long long first = static_cast<unsigned long long>(row[0]) * x % modulus;
  const unsigned long long second = static_cast<unsigned long long>(row[1]) * y % modulus;
  const unsigned long long third = static_cast<unsigned long long>(row[2]) * z % modulus;
  return static_cast<unsigned>((first + second + third) % modulus);
}

// s = A^n s.
__WARPLOOM_DEVICE_CALL void mrg_jump(unsigned *s, mrg_matrix matrix, unsigned long long n, unsigned modulus) {
  for (; n != 0; n >>= 1) {
    const mrg_matrix m = matrix;
    if (n & 1) {
      const unsigned x = s[0], y = s[1], z = s[2];
      for (int row = 0; row < 3; ++row) s[row] = mrg_dot(m.a[row], x, y, z, modulus);
    }
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        matrix.a[row][column] = mrg_dot(m.a[row], m.a[0][column], m.a[1][column], m.a[2][column], modulus);
      }
    }
  }
}

__WARPLOOM_DEVICE void mrg_jump_both(curandStateMRG32k3a_t *state, unsigned long long n, const mrg_matrix &first,
                                     const mrg_matrix &second) {
  mrg_jump(state->s1, first, n, mrg_m1);
  mrg_jump(state->s2, second, n, mrg_m2);
}

__WARPLOOM_DEVICE unsigned mrg_residue(long long x, unsigned modulus) {
  const long long rest = x % static_cast<long long>(modulus);
  return static_cast<unsigned>(rest < 0 ? rest + modulus : rest);
}

// The generator's own number: 1 to m1.
__WARPLOOM_DEVICE unsigned mrg_next(curandStateMRG32k3a_t *state) {
  unsigned *s1 = state->s1, *s2 = state->s2;
  const unsigned p1 = mrg_residue(1403580LL * s1[1] - 810728LL * s1[0], mrg_m1);
  const unsigned p2 = mrg_residue(527612LL * s2[2] - 1370589LL * s2[0], mrg_m2);
  s1[0] = s1[1];
  s1[1] = s1[2];
  s1[2] = p1;
  s2[0] = s2[1];
  s2[1] = s2[2];
  s2[2] = p2;
  return p1 > p2 ? p1 - p2 : p1 + (mrg_m1 - p2);
}

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) {
  using namespace warploom::curand;
  const mrg_matrix first = {{{0, 1, 0}, {0, 0, 1}, {mrg_m1 - 810728u, 1403580u, 0}}};
  const mrg_matrix second = {{{0, 1, 0}, {0, 0, 1}, {mrg_m2 - 1370589u, 0, 527612u}}};
  mrg_jump_both(state, n, first, second);
}

// The matrices of 2^76 and 2^127 steps.
__WARPLOOM_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) {
  const warploom::curand::mrg_matrix first = {{{82758667u, 1871391091u, 4127413238u},
                                               {3672831523u, 69195019u, 1871391091u},
                                               {3672091415u, 3528743235u, 69195019u}}};
  const warploom::curand::mrg_matrix second = {{{1511326704u, 3759209742u, 1610795712u},
                                                {4292754251u, 1511326704u, 3889917532u},
                                                {3859662829u, 4292754251u, 3708466080u}}};
  warploom::curand::mrg_jump_both(state, n, first, second);
}
__WARPLOOM_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) {
  const warploom::curand::mrg_matrix first = {{{2427906178u, 3580155704u, 949770784u},
                                               {226153695u, 1230515664u, 3580155704u},
                                               {1988835001u, 986791581u, 1230515664u}}};
  const warploom::curand::mrg_matrix second = {{{1464411153u, 277697599u, 1610723613u},
                                                {32183930u, 1464411153u, 1022607788u},
                                                {2824425944u, 32183930u, 2093834863u}}};
  warploom::curand::mrg_jump_both(state, n, first, second);
}

__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                                   curandStateMRG32k3a_t *state) {
  using namespace warploom::curand;
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    const unsigned long long x = static_cast<unsigned>(seed) ^ 0x55555555u;
    const unsigned long long y = static_cast<unsigned>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
      state->s1[i] = static_cast<unsigned>((i == 1 ? y : x) * 12345u % mrg_m1);
      state->s2[i] = static_cast<unsigned>((i == 1 ? x : y) * 12345u % mrg_m2);
    }
  }
  state->forget();
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
}

// The generator's numbers, stretched to 32 bits.
__WARPLOOM_DEVICE unsigned int curand(curandStateMRG32k3a_t *state) {
  return static_cast<unsigned>(warploom::curand::mrg_next(state) * 1.000000048662);
}

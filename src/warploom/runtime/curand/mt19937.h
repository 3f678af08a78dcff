// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mersenne twister of Matsumoto and Nishimura ("Mersenne twister: a 623-dimensionally equidistributed uniform
// pseudorandom number generator", 1998), initialised as its authors' 2002 version, with cuRAND's distributions.
#pragma once

#include <random>

#include "curand_kernel.h"

namespace warploom::curand {

struct MersenneTwister {
  std::mt19937 twister;
};

inline unsigned word_of(MersenneTwister *state) { return static_cast<unsigned>(state->twister()); }
inline float curand_uniform(MersenneTwister *state) { return unit_float(word_of(state)); }
inline double curand_uniform_double(MersenneTwister *state) {
  const unsigned x = word_of(state);
  return unit_double(x, word_of(state));
}
inline float2 curand_normal2(MersenneTwister *state) {
  const unsigned x = word_of(state);
  return normal_pair(x, word_of(state));
}
inline double2 curand_normal2_double(MersenneTwister *state) {
  uint4 x;
  x.x = word_of(state);
  x.y = word_of(state);
  x.z = word_of(state);
  x.w = word_of(state);
  return normal_pair_double(x);
}
inline double curand_normal_double(MersenneTwister *state) { return curand_normal2_double(state).x; }

template <class State>
unsigned word_of(State *state) {
  return ::curand(state);
}

}  // namespace warploom::curand

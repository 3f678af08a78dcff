// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete distributions that the host has tabulated (curandCreatePoissonDistribution).
#pragma once

#include "sobol.h"

// cumulative[i]: the probability of at most first + i. The last one is 1.
struct curandDiscreteDistribution_st {
  unsigned int first;
  unsigned int count;
  const double *cumulative;
};

namespace warploom {
namespace curand {

__WARPLOOM_DEVICE unsigned discrete(double uniform, curandDiscreteDistribution_t distribution) {
  unsigned low = 0, high = distribution->count - 1;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (distribution->cumulative[middle] < uniform) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return distribution->first + low;
}

}  // namespace curand
}  // namespace warploom

template <class State>
__WARPLOOM_DEVICE unsigned int curand_discrete(State *state, curandDiscreteDistribution_t distribution) {
  return warploom::curand::discrete(curand_uniform_double(state), distribution);
}
__WARPLOOM_DEVICE uint4 curand_discrete4(curandStatePhilox4_32_10_t *state, curandDiscreteDistribution_t distribution) {
  uint4 result;
  result.x = curand_discrete(state, distribution);
  result.y = curand_discrete(state, distribution);
  result.z = curand_discrete(state, distribution);
  result.w = curand_discrete(state, distribution);
  return result;
}

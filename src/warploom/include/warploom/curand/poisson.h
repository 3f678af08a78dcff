// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson numbers. Knuth's product of uniforms up to a mean of 64; Hoermann's transformed rejection ("The transformed
// rejection method for generating Poisson random variables", 1993, PTRS) up to 4000, where cuRAND uses another method:
// the distribution is the same, the numbers are not; a rounded normal number above.
#pragma once

#include "../math_special.h"
#include "normal.h"

namespace warploom {
namespace curand {

template <class State>
__WARPLOOM_DEVICE_CALL unsigned poisson_small(State *state, double mean) {
  unsigned count = 0;
  float product = __builtin_expf(static_cast<float>(mean));
  do {
    ++count;
    product *= curand_uniform(state);
  } while (product > 1.0f);
  return count - 1;
}

template <class State>
__WARPLOOM_DEVICE_CALL unsigned poisson_medium(State *state, double mean) {
  const double b = 0.931 + 2.53 * __builtin_sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  const double log_mean = __builtin_log(mean);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
    const double us = 0.5 - __builtin_fabs(u);
    const double k = __builtin_floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return static_cast<unsigned>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double accept = k * log_mean - mean - __builtin_lgamma(k + 1);
    if (__builtin_log(v * inverse_alpha / (a / (us * us) + b)) <= accept) return static_cast<unsigned>(k);
  }
}

// The smallest count whose distribution function reaches `u` in (0, 1]: summed from the most likely count on.
__WARPLOOM_DEVICE_CALL unsigned poisson_inverse(double u, double mean) {
  if (!(mean > 0)) return 0;
  if (mean > 4000) {
    const double rounded =
        __builtin_floor(mean + __builtin_sqrt(mean) * normcdfinv(u < 1 ? u : 1 - 5.551115123125783e-17) + 0.5);
    return rounded > 0 ? static_cast<unsigned>(rounded) : 0;
  }
  double count = __builtin_floor(mean);
  double term = __builtin_exp(count * __builtin_log(mean) - mean - __builtin_lgamma(count + 1));
  double below = 0, lower = term;
  for (double k = count; k > 0 && lower > 1e-20; --k) below += lower *= k / mean;
  for (; count > 0 && below >= u; --count) {
    term *= count / mean;
    below -= term;
  }
  for (double reached = below + term; reached < u && term > 1e-20; reached += term) term *= mean / ++count;
  return static_cast<unsigned>(count);
}

template <class State>
__WARPLOOM_DEVICE unsigned poisson(State *state, double mean) {
  if (mean < 64) return poisson_small(state, mean);
  if (mean <= 4000) return poisson_medium(state, mean);
  return static_cast<unsigned>(__builtin_sqrt(mean) * curand_normal_double(state) + mean + 0.5);
}

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE unsigned int curand_poisson(curandStateXORWOW_t *state, double lambda) {
  return warploom::curand::poisson(state, lambda);
}
__WARPLOOM_DEVICE unsigned int curand_poisson(curandStateMRG32k3a_t *state, double lambda) {
  return warploom::curand::poisson(state, lambda);
}
__WARPLOOM_DEVICE unsigned int curand_poisson(curandStatePhilox4_32_10_t *state, double lambda) {
  return warploom::curand::poisson(state, lambda);
}
__WARPLOOM_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
  uint4 result;
  result.x = curand_poisson(state, lambda);
  result.y = curand_poisson(state, lambda);
  result.z = curand_poisson(state, lambda);
  result.w = curand_poisson(state, lambda);
  return result;
}

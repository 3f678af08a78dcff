// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniform numbers in (0, 1].
#pragma once

#include "mrg32k3a.h"
#include "philox.h"
#include "xorwow.h"

namespace warploom {
namespace curand {

__WARPLOOM_DEVICE float unit_float(unsigned x) {
  return static_cast<float>(x) * 2.3283064365386963e-10f + 1.1641532182693481e-10f;
}
// 53 bits of two numbers.
__WARPLOOM_DEVICE double unit_double(unsigned x, unsigned y) {
  const unsigned long long bits = x ^ static_cast<unsigned long long>(y) << 21;
  return static_cast<double>(bits) * 1.1102230246251565e-16 + 5.551115123125783e-17;
}
constexpr double mrg_unit = 2.3283065498378288e-10;  // 1 / (m1 + 1)

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE float curand_uniform(curandStateXORWOW_t *state) {
  return warploom::curand::unit_float(curand(state));
}
__WARPLOOM_DEVICE double curand_uniform_double(curandStateXORWOW_t *state) {
  const unsigned x = curand(state);
  return warploom::curand::unit_double(x, curand(state));
}

__WARPLOOM_DEVICE float curand_uniform(curandStatePhilox4_32_10_t *state) {
  return warploom::curand::unit_float(curand(state));
}
// One number of 32 bits, as cuRAND has it; the calls for several doubles have 53.
__WARPLOOM_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__WARPLOOM_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  using warploom::curand::unit_float;
  const uint4 x = curand4(state);
  return {unit_float(x.x), unit_float(x.y), unit_float(x.z), unit_float(x.w)};
}
__WARPLOOM_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  using warploom::curand::unit_double;
  const uint4 x = curand4(state);
  return {unit_double(x.x, x.y), unit_double(x.z, x.w)};
}
__WARPLOOM_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}

__WARPLOOM_DEVICE float curand_uniform(curandStateMRG32k3a_t *state) {
  return static_cast<float>(warploom::curand::mrg_next(state) * warploom::curand::mrg_unit);
}
__WARPLOOM_DEVICE double curand_uniform_double(curandStateMRG32k3a_t *state) {
  return warploom::curand::mrg_next(state) * warploom::curand::mrg_unit;
}

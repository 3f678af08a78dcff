// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normal and log-normal numbers: the Box-Muller transform of two uniform ones.
#pragma once

#include "uniform.h"

namespace warploom {
namespace curand {

constexpr double pi = 3.14159265358979323846;

// `radius` and `angle` are uniform in (0, 1] and (0, 2 pi].
__WARPLOOM_DEVICE float2 box_muller(float radius, float angle) {
  const float length = __builtin_sqrtf(-2.0f * __builtin_logf(radius));
  return {length * __builtin_sinf(angle), length * __builtin_cosf(angle)};
}
// Both uniform in (0, 1].
__WARPLOOM_DEVICE double2 box_muller(double radius, double turn) {
  const double length = __builtin_sqrt(-2.0 * __builtin_log(radius)), angle = turn * (2 * pi);
  return {length * __builtin_sin(angle), length * __builtin_cos(angle)};
}
__WARPLOOM_DEVICE float2 normal_pair(unsigned x, unsigned y) {
  constexpr float turn = static_cast<float>(2 * pi * 2.3283064365386963e-10);
  return box_muller(unit_float(x), static_cast<float>(y) * turn + turn / 2);
}
__WARPLOOM_DEVICE double2 normal_pair_double(uint4 x) {
  return box_muller(unit_double(x.x, x.y), unit_double(x.z, x.w));
}

__WARPLOOM_DEVICE float2 two_normals(curandStateXORWOW_t *state) {
  const unsigned x = ::curand(state);
  return normal_pair(x, ::curand(state));
}
__WARPLOOM_DEVICE float2 two_normals(curandStatePhilox4_32_10_t *state) {
  const unsigned x = ::curand(state);
  return normal_pair(x, ::curand(state));
}
__WARPLOOM_DEVICE float2 two_normals(curandStateMRG32k3a_t *state) {
  const float x = curand_uniform(state);
  return box_muller(x, curand_uniform(state) * static_cast<float>(2 * pi));
}
__WARPLOOM_DEVICE double2 two_normals_double(curandStateXORWOW_t *state) {
  uint4 x;
  x.x = ::curand(state);
  x.y = ::curand(state);
  x.z = ::curand(state);
  x.w = ::curand(state);
  return normal_pair_double(x);
}
__WARPLOOM_DEVICE double2 two_normals_double(curandStatePhilox4_32_10_t *state) {
  return normal_pair_double(curand4(state));
}
__WARPLOOM_DEVICE double2 two_normals_double(curandStateMRG32k3a_t *state) {
  const double x = curand_uniform_double(state);
  return box_muller(x, curand_uniform_double(state));
}

template <class State>
__WARPLOOM_DEVICE float2 two_log_normals(State *state, float mean, float deviation) {
  const float2 two = two_normals(state);
  return {__builtin_expf(mean + deviation * two.x), __builtin_expf(mean + deviation * two.y)};
}
template <class State>
__WARPLOOM_DEVICE double2 two_log_normals_double(State *state, double mean, double deviation) {
  const double2 two = two_normals_double(state);
  return {__builtin_exp(mean + deviation * two.x), __builtin_exp(mean + deviation * two.y)};
}

// The number kept from the last call of this kind, else the first of two new ones.
template <class State, class Make>
__WARPLOOM_DEVICE float one_of(State *state, kept kind, Make make) {
  if (state->float_kind == kind) {
    state->float_kind = kept::none;
    return state->next_float;
  }
  const float2 two = make();
  state->float_kind = kind;
  state->next_float = two.y;
  return two.x;
}
template <class State, class Make>
__WARPLOOM_DEVICE double one_of_double(State *state, kept kind, Make make) {
  if (state->double_kind == kind) {
    state->double_kind = kept::none;
    return state->next_double;
  }
  const double2 two = make();
  state->double_kind = kind;
  state->next_double = two.y;
  return two.x;
}

}  // namespace curand
}  // namespace warploom

#define WARPLOOM_NORMAL(STATE)                                                                                     \
  __WARPLOOM_DEVICE float curand_normal(STATE *state) {                                                            \
    using namespace warploom::curand;                                                                              \
    return one_of(state, kept::normal, [state] { return two_normals(state); });                                    \
  }                                                                                                                \
  __WARPLOOM_DEVICE float2 curand_normal2(STATE *state) { return warploom::curand::two_normals(state); }           \
  __WARPLOOM_DEVICE double curand_normal_double(STATE *state) {                                                    \
    using namespace warploom::curand;                                                                              \
    return one_of_double(state, kept::normal, [state] { return two_normals_double(state); });                      \
  }                                                                                                                \
  __WARPLOOM_DEVICE double2 curand_normal2_double(STATE *state) {                                                  \
    return warploom::curand::two_normals_double(state);                                                            \
  }                                                                                                                \
  __WARPLOOM_DEVICE float curand_log_normal(STATE *state, float mean, float deviation) {                           \
    using namespace warploom::curand;                                                                              \
    return one_of(state, kept::log_normal, [=] { return two_log_normals(state, mean, deviation); });               \
  }                                                                                                                \
  __WARPLOOM_DEVICE float2 curand_log_normal2(STATE *state, float mean, float deviation) {                         \
    return warploom::curand::two_log_normals(state, mean, deviation);                                              \
  }                                                                                                                \
  __WARPLOOM_DEVICE double curand_log_normal_double(STATE *state, double mean, double deviation) {                 \
    using namespace warploom::curand;                                                                              \
    return one_of_double(state, kept::log_normal, [=] { return two_log_normals_double(state, mean, deviation); }); \
  }                                                                                                                \
  __WARPLOOM_DEVICE double2 curand_log_normal2_double(STATE *state, double mean, double deviation) {               \
    return warploom::curand::two_log_normals_double(state, mean, deviation);                                       \
  }
WARPLOOM_NORMAL(curandStateXORWOW_t)
WARPLOOM_NORMAL(curandStatePhilox4_32_10_t)
WARPLOOM_NORMAL(curandStateMRG32k3a_t)
#undef WARPLOOM_NORMAL

__WARPLOOM_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const uint4 x = curand4(state);
  const float2 a = warploom::curand::normal_pair(x.x, x.y), b = warploom::curand::normal_pair(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}
__WARPLOOM_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return {a.x, a.y, b.x, b.y};
}
__WARPLOOM_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation) {
  const float4 x = curand_normal4(state);
  return {__builtin_expf(mean + deviation * x.x), __builtin_expf(mean + deviation * x.y),
          __builtin_expf(mean + deviation * x.z), __builtin_expf(mean + deviation * x.w)};
}
__WARPLOOM_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double deviation) {
  const double2 a = curand_log_normal2_double(state, mean, deviation);
  const double2 b = curand_log_normal2_double(state, mean, deviation);
  return {a.x, a.y, b.x, b.y};
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32 (Saito, Matsumoto: "Variants of Mersenne Twister Suitable for Graphic Processors", 2013), period 2^11213 - 1:
// the threads of a block, up to 256, draw from one state together, thread t the t-th next number. All threads of the
// block must call.
#pragma once

#include "sobol.h"

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351  // words of the state
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGP32_N MTGPDC_N
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200

// What the host has of one generator, and what the device has of all. A table's entry is the sum over GF(2) of those
// for the bits of its index.
struct mtgp32_params_fast {
  int mexp;
  int pos;
  int sh1;
  int sh2;
  unsigned int tbl[16];
  unsigned int tmp_tbl[16];
  unsigned int flt_tmp_tbl[16];
  unsigned int mask;
  unsigned char poly_sha1[21];  // an identity for people; zeros here
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;

struct mtgp32_kernel_params {
  unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][16];
  unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][16];
  unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][16];
  unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
  unsigned int mask[1];
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

struct curandStateMtgp32 {
  unsigned int s[MTGP32_STATE_SIZE];  // a ring, whose oldest word is at `offset`
  int offset;
  int pIdx;
  mtgp32_kernel_params_t *k;
  int precise_double_flag;
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

#ifdef __CUDACC__  // and not for host code of another compiler

namespace warploom {
namespace curand {

// Number `index` of the next `count`; then the state is `count` further. Of 32 bits, or the bits of a float in [1, 2).
template <bool kFloat>
__WARPLOOM_DEVICE unsigned mtgp_step(curandStateMtgp32_t *state, unsigned index, unsigned count) {
  const mtgp32_kernel_params_t &all = *state->k;
  const int one = state->pIdx;
  const unsigned first = static_cast<unsigned>(state->offset) + index;
  const auto word = [state, first](unsigned distance) -> unsigned & {
    return state->s[first + distance & MTGP32_STATE_MASK];
  };
  unsigned x = (word(0) & all.mask[0]) ^ word(1);
  x ^= x << all.sh1_tbl[one];
  const unsigned y = x ^ word(all.pos_tbl[one]) >> all.sh2_tbl[one];
  const unsigned made = y ^ all.param_tbl[one][y & 15];
  word(MTGPDC_N) = made;
  unsigned t = word(all.pos_tbl[one] - 1);
  t ^= t >> 16;
  t ^= t >> 8;
  const unsigned temper = kFloat ? all.single_temper_tbl[one][t & 15] : all.temper_tbl[one][t & 15];
  __syncthreads();
  if (index == 0) state->offset = static_cast<int>(static_cast<unsigned>(state->offset) + count & MTGP32_STATE_MASK);
  __syncthreads();
  return (kFloat ? made >> 9 : made) ^ temper;
}

__WARPLOOM_DEVICE unsigned mtgp_thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__WARPLOOM_DEVICE unsigned mtgp_threads() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace curand
}  // namespace warploom

__WARPLOOM_DEVICE unsigned int curand(curandStateMtgp32_t *state) {
  using namespace warploom::curand;
  return mtgp_step<false>(state, mtgp_thread(), mtgp_threads());
}
// For `n` threads, of which the caller is number `index`; all of the block call.
__WARPLOOM_DEVICE unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index,
                                                      unsigned char n) {
  return warploom::curand::mtgp_step<false>(state, index, n);
}
// In [0, 1).
__WARPLOOM_DEVICE float curand_mtgp32_single(curandStateMtgp32_t *state) {
  using namespace warploom::curand;
  return __uint_as_float(mtgp_step<true>(state, mtgp_thread(), mtgp_threads())) - 1.0f;
}
__WARPLOOM_DEVICE float curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index,
                                                      unsigned char n) {
  return __uint_as_float(warploom::curand::mtgp_step<true>(state, index, n)) - 1.0f;
}

__WARPLOOM_DEVICE float curand_uniform(curandStateMtgp32_t *state) {
  return warploom::curand::unit_float(curand(state));
}
// One number of 32 bits.
__WARPLOOM_DEVICE double curand_uniform_double(curandStateMtgp32_t *state) {
  return warploom::curand::sobol_uniform(curand(state));
}
// Nothing is kept for the next call in a state that threads share: one number each, through the inverse of the
// distribution function.
__WARPLOOM_DEVICE double curand_normal_double(curandStateMtgp32_t *state) {
  return warploom::curand::sobol_normal(curand(state));
}
__WARPLOOM_DEVICE float curand_normal(curandStateMtgp32_t *state) {
  return static_cast<float>(curand_normal_double(state));
}
__WARPLOOM_DEVICE float curand_log_normal(curandStateMtgp32_t *state, float mean, float deviation) {
  return __builtin_expf(mean + deviation * curand_normal(state));
}
__WARPLOOM_DEVICE double curand_log_normal_double(curandStateMtgp32_t *state, double mean, double deviation) {
  return __builtin_exp(mean + deviation * curand_normal_double(state));
}
__WARPLOOM_DEVICE unsigned int curand_poisson(curandStateMtgp32_t *state, double lambda) {
  return warploom::curand::poisson_inverse(curand_uniform_double(state), lambda);
}

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MTGP32: states for the device, made on the host. State i of an array has parameter set i; the seeds of the states
// follow each other, as on an H200.
#pragma once

#define CURAND_MTGP32_HOST_H

#include <memory>
#include <vector>

#include "curand.h"
#include "curand_mtgp32.h"
#include "curand_mtgp32dc_p_11213.h"

namespace warploom {
namespace curand {

// MTGP's state for a seed.
inline void mtgp_seed(unsigned *words, const mtgp32_params_fast_t &one, unsigned seed) {
  const unsigned hidden = one.tbl[4] ^ one.tbl[8] << 16;
  unsigned mixed = hidden;
  mixed += mixed >> 16;
  mixed += mixed >> 8;
  for (int i = 0; i < MTGPDC_N; ++i) words[i] = (mixed & 0xffu) * 0x01010101u;
  words[0] = seed;
  words[1] = hidden;
  for (int i = 1; i < MTGPDC_N; ++i) {
    words[i] ^= 1812433253u * (words[i - 1] ^ words[i - 1] >> 30) + static_cast<unsigned>(i);
  }
}

// The seed of state `i` of an array.
inline unsigned mtgp_seed_of(unsigned long long seed, unsigned i) {
  return static_cast<unsigned>(seed ^ seed >> 32) + i + 1;
}

}  // namespace curand
}  // namespace warploom

// Copies `params`, CURAND_NUM_MTGP32_PARAMS of them, to `p` on the device.
inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[], mtgp32_kernel_params_t *p) {
  if (params == nullptr || p == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  const auto all = std::make_unique<mtgp32_kernel_params_t>();
  all->mask[0] = params[0].mask;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    all->pos_tbl[i] = static_cast<unsigned>(params[i].pos);
    all->sh1_tbl[i] = static_cast<unsigned>(params[i].sh1);
    all->sh2_tbl[i] = static_cast<unsigned>(params[i].sh2);
    for (int entry = 0; entry < 16; ++entry) {
      all->param_tbl[i][entry] = params[i].tbl[entry];
      all->temper_tbl[i][entry] = params[i].tmp_tbl[entry];
      all->single_temper_tbl[i][entry] = params[i].flt_tmp_tbl[entry];
    }
  }
  if (cudaMemcpy(p, all.get(), sizeof *p, cudaMemcpyHostToDevice) != cudaSuccess) {
    return CURAND_STATUS_INITIALIZATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}

// Makes `n` states at `s` on the device, at most one for each set of parameters.
inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *s, mtgp32_params_fast_t params[],
                                                  mtgp32_kernel_params_t *k, int n, unsigned long long seed) {
  if (s == nullptr || params == nullptr || k == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  if (n <= 0 || n > CURAND_NUM_MTGP32_PARAMS) return CURAND_STATUS_OUT_OF_RANGE;
  std::vector<curandStateMtgp32_t> states(static_cast<unsigned>(n));
  for (int i = 0; i < n; ++i) {
    curandStateMtgp32_t &state = states[static_cast<unsigned>(i)];
    state = {};
    warploom::curand::mtgp_seed(state.s, params[i], warploom::curand::mtgp_seed_of(seed, static_cast<unsigned>(i)));
    state.pIdx = i;
    state.k = k;
  }
  if (cudaMemcpy(s, states.data(), states.size() * sizeof *s, cudaMemcpyHostToDevice) != cudaSuccess) {
    return CURAND_STATUS_INITIALIZATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / curand_mtgp32_host.h: MTGP32, whose states blocks share
// Numbers of several states and block shapes against the recursion, written down once more; the first ones are those
// of mtgp32_parameters.py (test_mtgp32_parameters.py compares).
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kStates = 5, kRounds = 9;

__global__ void numbers(curandStateMtgp32 *states, unsigned *out, int rounds) {
  curandStateMtgp32 *const state = &states[blockIdx.x];
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  for (int i = 0; i < rounds; ++i) out[(blockIdx.x * rounds + i) * threads + at] = curand(state);
}

__global__ void kinds(curandStateMtgp32 *states, float *floats, double *doubles, unsigned *counts) {
  curandStateMtgp32 *const state = &states[blockIdx.x];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  floats[at] = curand_uniform(state);
  floats[all + at] = curand_mtgp32_single(state);
  floats[2 * all + at] = curand_normal(state);
  floats[3 * all + at] = curand_log_normal(state, 0.5f, 0.25f);
  doubles[at] = curand_uniform_double(state);
  doubles[all + at] = curand_normal_double(state);
  counts[at] = curand_poisson(state, 4.0);
  counts[all + at] = curand_mtgp32_specific(state, static_cast<unsigned char>(threadIdx.x), 64);
}

// Word after word, without a ring.
struct Plain {
  const mtgp32_params_fast_t *set;
  std::vector<unsigned> words;
  unsigned next() {
    const size_t i = words.size() - MTGPDC_N;
    unsigned x = (words[i] & set->mask) ^ words[i + 1];
    x ^= x << set->sh1;
    const unsigned y = x ^ words[i + set->pos] >> set->sh2, made = y ^ set->tbl[y & 15];
    words.push_back(made);
    unsigned t = words[i + set->pos - 1];
    t ^= t >> 16;
    t ^= t >> 8;
    return made ^ set->tmp_tbl[t & 15];
  }
};

template <typename T>
T *managed(size_t count) {
  T *memory = nullptr;
  cudaMallocManaged(&memory, count * sizeof(T));
  return memory;
}

int main() {
  const auto constants = managed<mtgp32_kernel_params>(1);
  const auto states = managed<curandStateMtgp32>(kStates);
  const unsigned long long seed = 0x1234567890ULL;
  std::printf("constants: %d\n", curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, constants));
  const dim3 shapes[] = {dim3(256), dim3(32), dim3(7, 3, 2), dim3(64, 2)};
  for (const dim3 shape : shapes) {
    std::printf("states: %d ",
                curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, constants, kStates, seed));
    const int threads = static_cast<int>(shape.x * shape.y * shape.z), all = kStates * kRounds * threads;
    const auto out = managed<unsigned>(all);
    cudaDeviceSynchronize();
    std::vector<Plain> plain;
    for (int i = 0; i < kStates; ++i) {
      plain.push_back({&mtgp32dc_params_fast_11213[i], std::vector<unsigned>(states[i].s, states[i].s + MTGPDC_N)});
    }
    numbers<<<kStates, shape>>>(states, out, kRounds);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < kStates; ++i) {
      for (int n = 0; n < kRounds * threads; ++n) wrong += out[i * kRounds * threads + n] != plain[i].next();
    }
    std::printf("%d threads: %d of %d wrong, state 0: %08x %08x, state 4: %08x %08x\n", threads, wrong, all, out[0],
                out[1], out[4 * kRounds * threads], out[4 * kRounds * threads + 1]);
  }
  const int all = 64 * kStates;
  const auto floats = managed<float>(4 * all);
  const auto doubles = managed<double>(2 * all);
  const auto counts = managed<unsigned>(2 * all);
  kinds<<<kStates, 64>>>(states, floats, doubles, counts);
  cudaDeviceSynchronize();
  double mean[7] = {};
  bool inside = true;
  for (int i = 0; i < all; ++i) {
    for (int kind = 0; kind < 4; ++kind) mean[kind] += floats[kind * all + i] / all;
    for (int kind = 0; kind < 2; ++kind) mean[4 + kind] += doubles[kind * all + i] / all;
    mean[6] += double(counts[i]) / all;
    inside = inside && floats[i] > 0 && floats[i] <= 1 && floats[all + i] >= 0 && floats[all + i] < 1 &&
             doubles[i] > 0 && doubles[i] <= 1;
  }
  const double want[] = {0.5, 0.5, 0, std::exp(0.5 + 0.03125), 0.5, 0, 4};
  const double deviation[] = {0.289, 0.289, 1, 0.45, 0.289, 1, 2};
  bool near = true;
  for (int kind = 0; kind < 7; ++kind)
    near = near && std::fabs(mean[kind] - want[kind]) < 4 * deviation[kind] / std::sqrt(all);
  std::printf("kinds: inside %d, means %d\n", inside, near);
#ifdef __WARPLOOM__  // cuRAND reads beyond the sets
  std::printf("too many: %d\n", curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, constants, 201, seed));
#endif
  return 0;
}

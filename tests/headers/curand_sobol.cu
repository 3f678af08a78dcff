// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / curand_kernel.h: Sobol and scrambled Sobol, discrete distributions
//
// Each thread reads its own part of a dimension's sequence, and gets what the host API gives.
#include <curand_kernel.h>

#include <cstdio>
#include <type_traits>

constexpr int kThreads = 96, kEach = 20, kDimension = 1234;

template <class State, class Word, class Vectors>
__global__ void parts(Vectors *vectors, Word shift, Word *words, double *reals, unsigned long long *checks) {
  State state, skipped;
  const Word first = threadIdx.x * kEach;
  if constexpr (std::is_same_v<State, curandStateScrambledSobol32_t> ||
                std::is_same_v<State, curandStateScrambledSobol64_t>) {
    curand_init(vectors[kDimension], shift, first, &state);
    curand_init(vectors[kDimension], shift, Word(5), &skipped);
  } else {
    curand_init(vectors[kDimension], first, &state);
    curand_init(vectors[kDimension], Word(5), &skipped);
  }
  for (int i = 0; i < kEach; ++i) words[first + i] = curand(&state);
  skipahead(first, &skipped);
  checks[threadIdx.x] = curand(&skipped);
  double *const out = reals + threadIdx.x * 6;
  out[0] = curand_uniform(&state);
  out[1] = curand_uniform_double(&state);
  out[2] = curand_normal(&state);
  out[3] = curand_normal_double(&state);
  out[4] = curand_log_normal(&state, 0.0f, 1.0f) + curand_log_normal_double(&state, 0.0, 1.0);
  out[5] = curand_poisson(&state, 30.0);
}

template <class State, class Word, class Vectors>
void compare(const char *name, curandRngType_t type, Vectors *table, const Word *shifts) {
  Vectors *vectors;
  Word *words, *expected;
  double *reals;
  unsigned long long *checks;
  constexpr int count = kThreads * kEach, dimensions = kDimension + 1;
  cudaMalloc(&vectors, dimensions * sizeof *vectors);
  cudaMemcpy(vectors, table, dimensions * sizeof *vectors, cudaMemcpyHostToDevice);
  cudaMallocManaged(&words, count * sizeof *words);
  cudaMallocManaged(&reals, 6 * kThreads * sizeof *reals);
  cudaMallocManaged(&checks, kThreads * sizeof *checks);
  parts<State, Word><<<1, kThreads>>>(vectors, shifts ? shifts[kDimension] : Word(0), words, reals, checks);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, type);
  curandSetQuasiRandomGeneratorDimensions(generator, dimensions);
  cudaMallocManaged(&expected, sizeof *expected * count * dimensions);
  if constexpr (sizeof(Word) == 8) {
    curandGenerateLongLong(generator, expected, count * dimensions);
  } else {
    curandGenerate(generator, expected, count * dimensions);
  }
  cudaDeviceSynchronize();
  const Word *const row = expected + kDimension * count;
  int same = 0, skips = 0, in_range = 0;
  for (int i = 0; i < count; ++i) same += words[i] == row[i];
  for (int i = 0; i + 1 < kThreads; ++i) skips += checks[i] == row[i * kEach + 5];
  for (int i = 0; i < kThreads; ++i) {
    const double *const r = reals + 6 * i;
    in_range += r[0] > 0 && r[0] <= 1 && r[1] > 0 && r[1] <= 1 && r[2] > -6 && r[2] < 6 && r[3] > -6 && r[3] < 6 &&
                r[4] > 0 && r[5] >= 5 && r[5] < 70;
  }
  std::printf("%s: %d words, %d skips, %d in range\n", name, same, skips, in_range);
  curandDestroyGenerator(generator);
}

template <class State>
__global__ void draw(curandDiscreteDistribution_t distribution, unsigned *out) {
  State state;
  curand_init(7, threadIdx.x, 0, &state);
  unsigned sum = 0;
  for (int i = 0; i < 200; ++i) sum += curand_discrete(&state, distribution);
  out[threadIdx.x] = sum;
}

int main() {
  curandDirectionVectors32_t *vectors32;
  curandDirectionVectors64_t *vectors64;
  unsigned *shifts32;
  unsigned long long *shifts64;
  curandGetDirectionVectors32(&vectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  compare<curandStateSobol32_t, unsigned>("sobol32", CURAND_RNG_QUASI_SOBOL32, vectors32, nullptr);
  curandGetDirectionVectors32(&vectors32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
  curandGetScrambleConstants32(&shifts32);
  compare<curandStateScrambledSobol32_t>("scrambled sobol32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, vectors32, shifts32);
  curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6);
  compare<curandStateSobol64_t, unsigned long long>("sobol64", CURAND_RNG_QUASI_SOBOL64, vectors64, nullptr);
  curandGetDirectionVectors64(&vectors64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
  curandGetScrambleConstants64(&shifts64);
  compare<curandStateScrambledSobol64_t>("scrambled sobol64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, vectors64, shifts64);

  curandDiscreteDistribution_t poisson;
  std::printf("%d\n", curandCreatePoissonDistribution(12.5, &poisson));
  unsigned *sums;
  cudaMallocManaged(&sums, 64 * sizeof *sums);
  draw<curandStateXORWOW_t><<<1, 64>>>(poisson, sums);
  cudaDeviceSynchronize();
  double mean = 0;
  for (int i = 0; i < 64; ++i) mean += sums[i] / (64 * 200.0);
  std::printf("mean of 12,800 numbers near 12.5: %d\n", mean > 12.3 && mean < 12.7);
  curandDestroyDistribution(poisson);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / curand.h: generators of the host API
//
// The host API gives the numbers that device code gets from the same subsequences, in cuRAND's documented order; the
// Mersenne twister those recorded on an H200, where its order is another one; and what cannot be asked for fails with
// its own code.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <vector>

static int wrong = 0;
#define EXPECT(CONDITION) \
  if (!(CONDITION)) ++wrong, std::printf("line %d: %s\n", __LINE__, #CONDITION)

// `kEach` results at a time from subsequence (i mod count).
template <class State, int kEach>
__global__ void subsequences(unsigned *words, double *uniforms, unsigned long long seed, unsigned count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * kEach >= n) return;
  State state;
  curand_init(seed, i % count, i / count * kEach, &state);
  for (int k = 0; k < kEach; ++k) words[i * kEach + k] = curand(&state);
  curand_init(seed, i % count, i / count * kEach, &state);
  for (int k = 0; k < kEach; ++k) uniforms[i * kEach + k] = curand_uniform(&state);
}

template <class State, int kEach>
void in_documented_order(const char *name, curandRngType_t type, unsigned count, int n) {
  constexpr int offset = 8;
  constexpr unsigned long long seed = 0x123456789abcULL;
  unsigned *words, *own_words;
  float *uniforms;
  double *own_uniforms;
  cudaMallocManaged(&words, n * sizeof *words);
  cudaMallocManaged(&own_words, n * sizeof *own_words);
  cudaMallocManaged(&uniforms, n * sizeof *uniforms);
  cudaMallocManaged(&own_uniforms, n * sizeof *own_uniforms);
  subsequences<State, kEach><<<(n + 127) / 128, 128>>>(own_words, own_uniforms, seed, count, n);
  cudaDeviceSynchronize();
  curandGenerator_t generator, moved;
  EXPECT(curandCreateGenerator(&generator, type) == CURAND_STATUS_SUCCESS);
  EXPECT(curandSetPseudoRandomGeneratorSeed(generator, seed) == CURAND_STATUS_SUCCESS);
  const int first = n / 12 * 4 + 1;  // the calls go on where the last one ended
  EXPECT(curandGenerate(generator, words, first) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerate(generator, words + first, n - first) == CURAND_STATUS_SUCCESS);
  EXPECT(curandCreateGeneratorHost(&moved, type) == CURAND_STATUS_SUCCESS);
  EXPECT(curandSetPseudoRandomGeneratorSeed(moved, seed) == CURAND_STATUS_SUCCESS);
  EXPECT(curandSetGeneratorOffset(moved, offset) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateUniform(moved, uniforms, n - offset) == CURAND_STATUS_SUCCESS);
  cudaDeviceSynchronize();
  int same = 0, same_uniforms = 0;
  for (int i = 0; i < n; ++i) same += words[i] == own_words[i];
  for (int i = 0; i < n - offset; ++i) same_uniforms += uniforms[i] == own_uniforms[i + offset];
  std::printf("%s: %d words, %d uniforms\n", name, same, same_uniforms);
  curandDestroyGenerator(generator);
  curandDestroyGenerator(moved);
}

template <class T>
void moments(const char *name, const std::vector<T> &values, double mean, double variance) {
  double sum = 0, squares = 0;
  for (const T value : values) sum += value;
  sum /= values.size();
  for (const T value : values) squares += (value - sum) * (value - sum);
  squares /= values.size();
  const double error = std::sqrt(variance / values.size());
  const bool good = std::fabs(sum - mean) < 5 * error && std::fabs(squares / variance - 1) < 0.1;
  if (!good) std::printf("%s: mean %g, variance %g, not %g, %g\n", name, sum, squares, mean, variance), ++wrong;
}

void distributions(curandRngType_t type) {
  constexpr int n = 10000;
  curandGenerator_t generator;
  EXPECT(curandCreateGeneratorHost(&generator, type) == CURAND_STATUS_SUCCESS);
  std::vector<float> floats(n);
  std::vector<double> doubles(n);
  std::vector<unsigned> counts(n);
  EXPECT(curandGenerateUniform(generator, floats.data(), n) == CURAND_STATUS_SUCCESS);
  moments("uniform", floats, 0.5, 1.0 / 12);
  EXPECT(curandGenerateUniformDouble(generator, doubles.data(), n) == CURAND_STATUS_SUCCESS);
  moments("uniform double", doubles, 0.5, 1.0 / 12);
  EXPECT(curandGenerateNormal(generator, floats.data(), n, 3, 2) == CURAND_STATUS_SUCCESS);
  moments("normal", floats, 3, 4);
  EXPECT(curandGenerateNormalDouble(generator, doubles.data(), n, -1, 0.5) == CURAND_STATUS_SUCCESS);
  moments("normal double", doubles, -1, 0.25);
  const double s2 = 0.25 * 0.25, log_mean = std::exp(0.5 + s2 / 2),
               log_variance = (std::exp(s2) - 1) * std::exp(1 + s2);
  EXPECT(curandGenerateLogNormal(generator, floats.data(), n, 0.5, 0.25) == CURAND_STATUS_SUCCESS);
  moments("log normal", floats, log_mean, log_variance);
  EXPECT(curandGenerateLogNormalDouble(generator, doubles.data(), n, 0.5, 0.25) == CURAND_STATUS_SUCCESS);
  moments("log normal double", doubles, log_mean, log_variance);
  for (const double mean : {0.5, 20.0, 500.0, 10000.0}) {
    EXPECT(curandGeneratePoisson(generator, counts.data(), n, mean) == CURAND_STATUS_SUCCESS);
    moments("poisson", counts, mean, mean);
  }
  curandDestroyGenerator(generator);
}

// Generators of which each gives eight numbers in turn, however many are asked for at once, and all its numbers in 78
// such rounds; the first is the C++ library's with the seed's lower half. The numbers of the others were recorded on an
// H200.
void twister() {
  constexpr int round = 65536, n = 156 * round;
  std::vector<unsigned> words(n), pieces(200000);
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MT19937);
  EXPECT(curandSetGeneratorOffset(generator, 1) == CURAND_STATUS_TYPE_ERROR);
  curandSetPseudoRandomGeneratorSeed(generator, 1234 + (7ull << 32));
  EXPECT(curandGenerate(generator, words.data(), n) == CURAND_STATUS_SUCCESS);
  curandSetPseudoRandomGeneratorSeed(generator, 1234);
  int made = 0;
  for (const int count : {1, 100, 3001, 6000, 50000, 70000, 8, 70890}) {
    EXPECT(curandGenerate(generator, pieces.data() + made, count) == CURAND_STATUS_SUCCESS);
    made += count;
  }
  int again = 0, whole = 0;
  for (int i = 0; i < made; ++i) again += pieces[i] == words[i];
  std::mt19937 library(1234);
  for (int state = 0; state < 2; ++state) {
    std::multiset<unsigned> expected, found;
    for (int i = 0; i < 624; ++i) {
      expected.insert(static_cast<unsigned>(library()));
      found.insert(words[(state * 78 + i / 8) * round + i % 8]);
    }
    whole += expected == found;
  }
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (int i = 0; i < 5120000; ++i) hash = (hash ^ words[i]) * 0x100000001b3ull;
  std::printf("mt19937: %d in pieces, %d whole states, %016llx\n", again, whole, hash);
  for (const int i : {0, 1, 2, 7, 11, 8191, 8192, 65536, 65537}) std::printf(" %08x", words[i]);
  std::printf("\n");
  curandDestroyGenerator(generator);
}

void quasi() {
  curandGenerator_t generator;
  curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32);
  EXPECT(curandSetPseudoRandomGeneratorSeed(generator, 1) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 20001) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 3) == CURAND_STATUS_SUCCESS);
  unsigned points[24];
  EXPECT(curandGenerate(generator, points, 10) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT(curandGenerate(generator, points, 12) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerate(generator, points + 12, 12) == CURAND_STATUS_SUCCESS);
  for (int half = 0; half < 2; ++half) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      std::printf("sobol32 %d:", dimension);
      for (int i = 0; i < 4; ++i) std::printf(" %08x", points[half * 12 + dimension * 4 + i]);
      std::printf("\n");
    }
  }
  curandDestroyGenerator(generator);
  // Every interval of length 1/1024 gets one of 1024 points, in every dimension, scrambled or not.
  constexpr int dimensions = 500, count = 1024;
  for (const auto type : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,
                          CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
    std::vector<double> values(dimensions * count);
    curandCreateGeneratorHost(&generator, type);
    curandSetQuasiRandomGeneratorDimensions(generator, dimensions);
    EXPECT(curandGenerateUniformDouble(generator, values.data(), values.size()) == CURAND_STATUS_SUCCESS);
    int even = 0;
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      std::vector<bool> met(count);
      for (int i = 0; i < count; ++i) met[static_cast<int>(values[dimension * count + i] * count)] = true;
      int cells = 0;
      for (const bool cell : met) cells += cell;
      even += cells == count;
    }
    std::printf("type %d: %d even dimensions\n", type, even);
    curandDestroyGenerator(generator);
  }
}

void refusals() {
  curandGenerator_t generator = nullptr;
  float values[3];
  EXPECT(curandGenerateUniform(generator, values, 3) == CURAND_STATUS_NOT_INITIALIZED);
  EXPECT(curandCreateGenerator(&generator, static_cast<curandRngType_t>(7)) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_XORWOW) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateNormal(generator, values, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  unsigned long long wide[2];
  EXPECT(curandGenerateLongLong(generator, wide, 2) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetQuasiRandomGeneratorDimensions(generator, 2) == CURAND_STATUS_TYPE_ERROR);
  EXPECT(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT) == CURAND_STATUS_OUT_OF_RANGE);
  EXPECT(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED) == CURAND_STATUS_SUCCESS);
  EXPECT(curandGenerateSeeds(generator) == CURAND_STATUS_SUCCESS);
  EXPECT(curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);
#ifdef __WARPLOOM__  // cuRAND frees it twice
  EXPECT(curandDestroyGenerator(generator) == CURAND_STATUS_NOT_INITIALIZED);
#endif
  int version = 0, major = 0;
  EXPECT(curandGetVersion(&version) == CURAND_STATUS_SUCCESS && version == CURAND_VERSION);
  EXPECT(curandGetProperty(MAJOR_VERSION, &major) == CURAND_STATUS_SUCCESS && major == version / 1000);
}

int main() {
  in_documented_order<curandStateXORWOW_t, 1>("xorwow", CURAND_RNG_PSEUDO_DEFAULT, 4096, 20000);
  in_documented_order<curandStateMRG32k3a_t, 1>("mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A, 81920, 200000);
  in_documented_order<curandStatePhilox4_32_10_t, 4>("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 300000);
  twister();
  for (const auto type :
       {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_MT19937,
        CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
        CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}) {
    distributions(type);
  }
  quasi();
  refusals();
  std::printf("%d wrong\n", wrong);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / curand_kernel.h: XORWOW, MRG32k3a, Philox
//
// The first numbers of each generator for several seeds, subsequences and offsets: integers and uniforms exact, the
// rest to five digits.
#include <curand_kernel.h>

#include <cstdio>

constexpr int kValues = 40;

template <class State>
__global__ void integers(unsigned *out, unsigned long long seed, unsigned long long subsequence,
                         unsigned long long offset) {
  State state;
  curand_init(seed, subsequence + threadIdx.x, offset, &state);
  unsigned hash = 0, first = curand(&state);
  for (int i = 0; i < 1000; ++i) hash = hash * 31 + curand(&state);
  skipahead(1234567ULL, &state);
  hash = hash * 31 + curand(&state);
  skipahead_sequence(3ULL, &state);
  hash = hash * 31 + curand(&state);
  out[2 * threadIdx.x] = first;
  out[2 * threadIdx.x + 1] = hash;
}

template <class State>
__global__ void reals(double *out) {
  State state;
  curand_init(20240917ULL, 5, 7, &state);
  int at = 0;
  for (int i = 0; i < 3; ++i) out[at++] = curand_uniform(&state);
  for (int i = 0; i < 2; ++i) out[at++] = curand_uniform_double(&state);
  for (int i = 0; i < 3; ++i) out[at++] = curand_normal(&state);
  const float2 two = curand_normal2(&state);
  out[at++] = two.x;
  out[at++] = two.y;
  out[at++] = curand_normal(&state);
  for (int i = 0; i < 3; ++i) out[at++] = curand_normal_double(&state);
  const double2 pair = curand_normal2_double(&state);
  out[at++] = pair.x;
  out[at++] = pair.y;
  out[at++] = curand_log_normal(&state, 0.5f, 0.25f);
  out[at++] = curand_log_normal_double(&state, 0.5, 0.25);
  const float2 logs = curand_log_normal2(&state, 0.5f, 0.25f);
  out[at++] = logs.x;
  out[at++] = logs.y;
  for (int i = 0; i < 4; ++i) out[at++] = curand_poisson(&state, 3.5 * (i + 1));
  out[at++] = curand_poisson(&state, 10000.0);
  out[at++] = curand_uniform(&state);
  for (; at < kValues; ++at) out[at] = 0;
}

__global__ void fours(double *out) {
  curandStatePhilox4_32_10_t state;
  curand_init(99ULL, 1, 1, &state);
  int at = 0;
  auto put = [&](auto v) {
    out[at++] = v.x;
    out[at++] = v.y;
    out[at++] = v.z;
    out[at++] = v.w;
  };
  put(curand4(&state));
  put(curand_uniform4(&state));
  out[at++] = curand(&state);
  put(curand_normal4(&state));
  put(curand_log_normal4(&state, 0.0f, 0.5f));
  const double2 two = curand_uniform2_double(&state);
  out[at++] = two.x;
  out[at++] = two.y;
  put(curand_poisson4(&state, 2.0));
  out[at++] = curand(&state);
  for (; at < kValues; ++at) out[at] = 0;
}

template <class State>
void show(const char *name) {
  unsigned host[8], *words;
  double values[kValues], *device;
  cudaMalloc(&words, sizeof host);
  cudaMalloc(&device, sizeof values);
  const unsigned long long cases[][3] = {{0, 0, 0},           {1234, 0, 0},
                                         {1234, 100, 0},      {0xdeadbeefcafeULL, 1ULL << 33, 5},
                                         {42, 7, 1ULL << 40}, {42, 0, 100000}};
  for (const auto &c : cases) {
    integers<State><<<1, 4>>>(words, c[0], c[1], c[2]);
    cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s", name);
    for (unsigned word : host) printf(" %08x", word);
    printf("\n");
  }
  reals<State><<<1, 1>>>(device);
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  printf("%s", name);
  for (int i = 0; i < 26; ++i) printf(" %.*g", i < 5 ? 17 : 5, values[i]);
  printf("\n");
}

int main() {
  show<curandStateXORWOW_t>("xorwow");
  show<curandStatePhilox4_32_10_t>("philox");
  show<curandStateMRG32k3a_t>("mrg32k3a");
  double values[kValues], *device;
  cudaMalloc(&device, sizeof values);
  fours<<<1, 1>>>(device);
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  printf("fours");
  for (int i = 0; i < 24; ++i) printf(" %.*g", i < 4 || i == 8 ? 10 : 5, values[i]);
  printf("\n%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

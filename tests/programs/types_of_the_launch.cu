// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Templates / tuples of two types in small private arrays, a switch over types that the launch says, loops
// that end early
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <tuple>

#include "run_time_kinds.h"

constexpr int kWork = 4, kThreads = 64;
const int kSizes[] = {1, 2, 4, 8, 4, 8};

struct Operands {
  char *to, *a, *b;
  int kinds[3];
  int sizes[3];
};

// Operands of the types A and B, read from and written to what the launch says.
template <typename A, typename B>
__global__ void add(int n, Operands with, int *stopped) {
  std::tuple<A, B> arguments[kWork];
  A results[kWork];
  int base = kThreads * kWork * blockIdx.x, left = n - base, at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    std::get<0>(arguments[k]) = A(fetch<float>(with.kinds[1], with.a + with.sizes[1] * (base + at)));
    std::get<1>(arguments[k]) = B(fetch<float>(with.kinds[2], with.b + with.sizes[2] * (base + at)));
    at += kThreads;
  }
  stopped[blockIdx.x * kThreads + threadIdx.x] = at;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (int(threadIdx.x) + k * kThreads < left) {
      results[k] = A(float(std::get<0>(arguments[k])) + 2.0f * float(std::get<1>(arguments[k])));
    }
  }
  at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    put<float>(with.kinds[0], with.to + with.sizes[0] * (base + at), float(results[k]));
    at += kThreads;
  }
}

template <typename A, typename B>
void run(const char *name, int to, int a, int b, int n, int gap) {
  Operands with{nullptr, nullptr, nullptr, {to, a, b}, {}};
  char **memory[] = {&with.to, &with.a, &with.b};
  const int blocks = (n + kThreads * kWork - 1) / (kThreads * kWork);
  int *stopped;
  cudaMallocManaged(&stopped, blocks * kThreads * sizeof(int));
  for (int k = 0; k < 3; ++k) {
    with.sizes[k] = kSizes[with.kinds[k]] + gap * 8;
    cudaMallocManaged(memory[k], (n + 1) * with.sizes[k]);
    for (int i = 0; i <= n; ++i) put<float>(with.kinds[k], *memory[k] + with.sizes[k] * i, float(i % (k + 5)));
  }
  add<A, B><<<blocks, kThreads>>>(n, with, stopped);
  cudaDeviceSynchronize();
  int wrong = 0;
  long sum = 0;
  for (int i = 0; i <= n; ++i) {
    float value = fetch<float>(to, with.to + with.sizes[0] * i);
    float expected = float(i % 6) + 2.0f * float(i % 7);
    wrong += value != (i < n ? expected : float(i % 5));
  }
  for (int i = 0; i < blocks * kThreads; ++i) sum += stopped[i];
  std::printf("%s, %d elements, gap %d: %d wrong, threads stopped at %ld in all\n", name, n, gap, wrong, sum);
  for (char **each : memory) cudaFree(*each);
  cudaFree(stopped);
}

int main() {
  for (int n : {1, 63, 64, 256, 1000}) {
    for (int gap : {0, 1}) {
      run<float, float>("floats", kFloat, kShort, kByte, n, gap);
      run<float, double>("floats and doubles", kDouble, kInt, kLong, n, gap);
      run<short, short>("shorts", kLong, kShort, kFloat, n, gap);
      run<int64_t, uint8_t>("longs and bytes", kByte, kDouble, kShort, n, gap);
      run<__half, float>("halves and floats", kFloat, kByte, kInt, n, gap);
    }
  }
}

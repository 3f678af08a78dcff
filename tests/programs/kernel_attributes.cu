// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / kernel attributes, launch bounds, unroll
// __launch_bounds__, __noinline__, __forceinline__, __restrict__, volatile parameters, #pragma unroll.
#include "check.h"

__device__ __noinline__ int far_away(int x) { return x * x + 1; }
__device__ __forceinline__ int close_by(int x) { return x + 3; }
static __device__ inline int plain(int x) { return -x; }

__global__ void __launch_bounds__(128) bounded(const int *__restrict__ input, int *__restrict__ output) {
  output[threadIdx.x] = far_away(__ldg(&input[threadIdx.x]));
}

__launch_bounds__(64, 2) __global__ void bounded_too(const int *input, volatile int *output) {
  int sum = 0;
#pragma unroll 4
  for (int i = 0; i < 10; ++i) sum += close_by(input[(threadIdx.x + i) % 64]);
#pragma unroll
  for (int i = 0; i < 3; ++i) sum = plain(sum);
#pragma unroll 1
  for (int i = 0; i < threadIdx.x % 3; ++i) sum += i;
  output[threadIdx.x] = sum;
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) sized(int *const output, const int scale) {
  static_assert(kThreads % 32 == 0, "whole warps");
  output[threadIdx.x] = kThreads * scale + threadIdx.x;
}

// The number of threads is a member of a temporary.
struct Policy {
  struct {
    int threads;
  } tile;
};

template <class T>
constexpr Policy policy() {
  return {{32 * static_cast<int>(sizeof(T))}};
}

template <class T>
__launch_bounds__(policy<T>().tile.threads, 1) __global__ void by_policy(T *output) {
  output[threadIdx.x] = threadIdx.x;
}

int main() {
  std::vector<int> input = random_ints(64, 100), first(64), second(64), third(64);
  for (int t = 0; t < 64; ++t) {
    first[t] = input[t] * input[t] + 1;
    for (int i = 0; i < 10; ++i) second[t] += input[(t + i) % 64] + 3;
    second[t] = -second[t] + (t % 3 == 2 ? 1 : 0);
    third[t] = 64 * 5 + t;
  }
  int *device = upload(input), *output = device_zeros<int>(64);
  bounded<<<1, 64>>>(device, output);
  compare("bounded", first, download(output, 64));
  bounded_too<<<1, 64>>>(device, output);
  compare("bounded too", second, download(output, 64));
  sized<64><<<1, 64>>>(output, 5);
  compare("sized", third, download(output, 64));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, by_policy<int>));
  report("by policy", 128, attributes.maxThreadsPerBlock);
  return 0;
}

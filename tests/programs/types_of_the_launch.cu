// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Templates / tuples of two types in small private arrays, a switch over types that the launch says, loops
// that end early
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <tuple>

constexpr int kWork = 4, kThreads = 64;
enum class Kind : int8_t { kByte, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool };
const int kSizes[] = {1, 2, 4, 8, 2, 4, 8, 1};

template <typename To>
__host__ __device__ To fetch(Kind kind, const void *at) {
  switch (kind) {
    case Kind::kByte:
      return To(float(*(const uint8_t *)at));
    case Kind::kShort:
      return To(float(*(const int16_t *)at));
    case Kind::kInt:
      return To(float(*(const int32_t *)at));
    case Kind::kLong:
      return To(float(*(const int64_t *)at));
    case Kind::kHalf:
      return To(float(*(const __half *)at));
    case Kind::kFloat:
      return To(*(const float *)at);
    case Kind::kDouble:
      return To(float(*(const double *)at));
    case Kind::kBool:
      return To(float(*(const bool *)at));
  }
  return To(0.0f);
}

template <typename From>
__host__ __device__ void put(Kind kind, void *at, From value) {
  switch (kind) {
    case Kind::kByte:
      *(uint8_t *)at = uint8_t(int(float(value)));
      break;
    case Kind::kShort:
      *(int16_t *)at = int16_t(float(value));
      break;
    case Kind::kInt:
      *(int32_t *)at = int32_t(float(value));
      break;
    case Kind::kLong:
      *(int64_t *)at = int64_t(float(value));
      break;
    case Kind::kHalf:
      *(__half *)at = __half(float(value));
      break;
    case Kind::kFloat:
      *(float *)at = float(value);
      break;
    case Kind::kDouble:
      *(double *)at = double(float(value));
      break;
    case Kind::kBool:
      *(bool *)at = float(value) != 0;
      break;
  }
}

struct Operands {
  char *to, *a, *b;
  Kind kinds[3];
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
    std::get<0>(arguments[k]) = fetch<A>(with.kinds[1], with.a + with.sizes[1] * (base + at));
    std::get<1>(arguments[k]) = fetch<B>(with.kinds[2], with.b + with.sizes[2] * (base + at));
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
    put<A>(with.kinds[0], with.to + with.sizes[0] * (base + at), results[k]);
    at += kThreads;
  }
}

template <typename A, typename B>
void run(const char *name, Kind to, Kind a, Kind b, int n, int gap) {
  Operands with{nullptr, nullptr, nullptr, {to, a, b}, {}};
  char **memory[] = {&with.to, &with.a, &with.b};
  const int blocks = (n + kThreads * kWork - 1) / (kThreads * kWork);
  int *stopped;
  cudaMallocManaged(&stopped, blocks * kThreads * sizeof(int));
  for (int k = 0; k < 3; ++k) {
    with.sizes[k] = kSizes[int(with.kinds[k])] + gap * 8;
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
    if (to == Kind::kBool) expected = expected != 0;
    wrong += value != (i < n ? expected : to == Kind::kBool ? float(i % 5 != 0) : float(i % 5));
  }
  for (int i = 0; i < blocks * kThreads; ++i) sum += stopped[i];
  std::printf("%s, %d elements, gap %d: %d wrong, threads stopped at %ld in all\n", name, n, gap, wrong, sum);
  for (char **each : memory) cudaFree(*each);
  cudaFree(stopped);
}

int main() {
  for (int n : {1, 63, 64, 256, 1000}) {
    for (int gap : {0, 1}) {
      run<float, float>("floats", Kind::kFloat, Kind::kHalf, Kind::kByte, n, gap);
      run<float, double>("floats and doubles", Kind::kDouble, Kind::kInt, Kind::kLong, n, gap);
      run<short, short>("shorts", Kind::kBool, Kind::kShort, Kind::kFloat, n, gap);
      run<int64_t, uint8_t>("longs and bytes", Kind::kByte, Kind::kDouble, Kind::kHalf, n, gap);
      run<__half, float>("halves and floats", Kind::kHalf, Kind::kByte, Kind::kInt, n, gap);
    }
  }
}

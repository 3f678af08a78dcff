// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / unrolled choices among types
// A `switch` over types for each of four elements a thread, which the compiler makes one loop again.
#include <cstdint>
#include <cstdio>

enum class Kind : int8_t { kByte, kChar, kShort, kInt, kLong, kFloat, kDouble, kBool, kUshort };

template <typename To>
__device__ To fetch(Kind kind, const void *at) {
  switch (kind) {
    case Kind::kByte:
      return To(*(const uint8_t *)at);
    case Kind::kChar:
      return To(*(const int8_t *)at);
    case Kind::kShort:
      return To(*(const int16_t *)at);
    case Kind::kInt:
      return To(*(const int32_t *)at);
    case Kind::kLong:
      return To(*(const int64_t *)at);
    case Kind::kFloat:
      return To(*(const float *)at);
    case Kind::kDouble:
      return To(*(const double *)at);
    case Kind::kBool:
      return To(*(const bool *)at);
    case Kind::kUshort:
      return To(*(const uint16_t *)at);
  }
  return To(7);
}

template <typename From>
__device__ void put(Kind kind, void *at, From value) {
  switch (kind) {
    case Kind::kByte:
      *(uint8_t *)at = uint8_t(value);
      break;
    case Kind::kChar:
      *(int8_t *)at = int8_t(value);
      break;
    case Kind::kShort:
      *(int16_t *)at = int16_t(value);
      break;
    case Kind::kInt:
      *(int32_t *)at = int32_t(value);
      break;
    case Kind::kLong:
      *(int64_t *)at = int64_t(value);
      break;
    case Kind::kFloat:
      *(float *)at = float(value);
      break;
    case Kind::kDouble:
      *(double *)at = double(value);
      break;
    case Kind::kBool:
      *(bool *)at = value != 0;
      break;
    case Kind::kUshort:
      *(uint16_t *)at = uint16_t(value);
      break;
  }
}

constexpr int kSizes[] = {1, 1, 2, 4, 8, 4, 8, 1, 2};
constexpr int kWork = 4, kThreads = 64;

// Four elements a thread, each by a factor and with the first one added, or one.
template <typename T, bool kFirst>
__global__ void sums(int n, T factor, char *to, Kind of_to, const char *a, Kind of_a, int size_a, int size_to) {
  T found[kWork];
  int left = n - int(blockIdx.x) * kWork * kThreads, base = int(blockIdx.x) * kWork * kThreads, at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    found[k] = fetch<T>(of_a, a + size_a * (base + at));
    at += kThreads;
  }
  at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    put<T>(of_to, to + size_to * (base + at), T(found[k] * factor + (kFirst ? found[0] : T(1))));
    at += kThreads;
  }
}

template <typename T, bool kFirst>
void check(const char *name, T factor) {
  const int n = 1000;
  char *a, *to;
  cudaMallocManaged(&a, n * 8);
  cudaMallocManaged(&to, n * 8);
  unsigned long long all = 0;
  for (int from = 0; from < 9; ++from) {
    for (int into = 0; into < 9; ++into) {
      for (int i = 0; i < n; ++i) {
        int value = i % 23;
        switch (Kind(from)) {
          case Kind::kFloat:
            ((float *)a)[i] = value;
            break;
          case Kind::kDouble:
            ((double *)a)[i] = value;
            break;
          case Kind::kLong:
            ((int64_t *)a)[i] = value;
            break;
          case Kind::kInt:
            ((int32_t *)a)[i] = value;
            break;
          case Kind::kShort:
          case Kind::kUshort:
            ((int16_t *)a)[i] = value;
            break;
          case Kind::kBool:
            a[i] = value & 1;
            break;
          default:
            a[i] = value;
        }
      }
      cudaMemset(to, 0, n * 8);
      sums<T, kFirst><<<(n + kWork * kThreads - 1) / (kWork * kThreads), kThreads>>>(
          n - into, factor, to, Kind(into), a, Kind(from), kSizes[from], kSizes[into]);
      cudaDeviceSynchronize();
      for (int i = 0; i < n * 8; ++i) all = all * 31 + (unsigned char)to[i];
    }
  }
  std::printf("%s: %016llx\n", name, all);
}

int main() {
  check<float, true>("float, first", 2.0f);
  check<float, false>("float", 2.0f);
  check<double, false>("double", 3.0);
  check<short, true>("short, first", 5);
  check<short, false>("short", 5);
  check<int, false>("int", 7);
}

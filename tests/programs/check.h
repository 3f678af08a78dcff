// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the test programs share: checked calls, buffers, a generator of numbers, and one way to print results. Every
// line printed holds the host's own answer, so that a device that is wrong changes the line's end and nothing else.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) check_cuda((call), #call, __LINE__)

inline void check_cuda(cudaError_t error, const char *call, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
  std::exit(2);
}

// Waits for all kernels; both a refused launch and a failed run end the program.
inline void finish() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

template <typename T>
T *device_zeros(std::size_t count) {
  void *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  return static_cast<T *>(memory);
}

template <typename T>
T *upload(const std::vector<T> &values) {
  T *memory = device_zeros<T>(values.size());
  CHECK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <typename T>
std::vector<T> download(const T *memory, std::size_t count) {
  finish();
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// A linear congruential generator; its top 24 bits are good enough for tests.
struct Lcg {
  std::uint32_t state;
  __host__ __device__ std::uint32_t next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  __host__ __device__ int below(int bound) { return static_cast<int>(next() % static_cast<std::uint32_t>(bound)); }
};

inline std::vector<int> random_ints(std::size_t count, int bound, std::uint32_t seed = 1) {
  Lcg lcg{seed};
  std::vector<int> values(count);
  for (int &value : values) value = lcg.below(bound);
  return values;
}

// FNV-1a over the bytes of the values.
template <typename T>
std::uint32_t checksum(const std::vector<T> &values) {
  std::uint32_t hash = 2166136261u;
  for (const T &value : values) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 16777619u;
  }
  return hash;
}

inline void report(const char *what, long long want, long long got) {
  std::printf("%s: %lld ", what, want);
  if (want == got)
    std::printf("ok\n");
  else
    std::printf("MISMATCH got %lld\n", got);
}

inline bool is_near(double want, double got, double tolerance) {
  return std::fabs(want - got) <= tolerance * (std::fabs(want) > 1.0 ? std::fabs(want) : 1.0);
}

inline void report_near(const char *what, double want, double got, double tolerance) {
  std::printf("%s: %.3f ", what, want);
  if (is_near(want, got, tolerance))
    std::printf("ok\n");
  else
    std::printf("MISMATCH got %.9g\n", got);
}

// All values equal, bit for bit.
template <typename T>
void compare(const char *what, const std::vector<T> &want, const std::vector<T> &got) {
  std::printf("%s: %zu values %08x ", what, want.size(), checksum(want));
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::memcmp(&want[i], &got[i], sizeof(T)) == 0) continue;
    std::printf("MISMATCH first at %zu\n", i);
    return;
  }
  std::printf("ok\n");
}

template <typename T>
void compare_near(const char *what, const std::vector<T> &want, const std::vector<T> &got, double tolerance) {
  double sum = 0;
  for (const T &value : want) sum += static_cast<double>(value);
  std::printf("%s: %zu values sum %.3f ", what, want.size(), sum);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (is_near(static_cast<double>(want[i]), static_cast<double>(got[i]), tolerance)) continue;
    std::printf("MISMATCH at %zu want %.9g got %.9g\n", i, static_cast<double>(want[i]), static_cast<double>(got[i]));
    return;
  }
  std::printf("ok\n");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / structs of any size and alignment, by value, across barriers
// Private structs (without padding) of odd sizes and of large alignments that are written before and read behind
// barriers of a block, of a warp and of the grid: parameters, copies of them, and what functions fill.
#include <cooperative_groups.h>

#include "check.h"

struct Five {
  int v[5];
};
struct Odd {
  unsigned char v[7];
};
struct alignas(16) Quad {
  float f[3];
  unsigned char tail[20];
};
struct alignas(32) Wide {
  float f[3];
  unsigned char tail[20];
};
struct alignas(64) Line {
  int v[32];
};
struct Mixed {
  double d;
  float2 f;
  short s[2];
  unsigned char c[4];
};

template <class T>
__host__ __device__ unsigned char *bytes(T &value) {
  return reinterpret_cast<unsigned char *>(&value);
}

template <class T>
__host__ __device__ T made(int seed) {
  T value{};
  for (unsigned i = 0; i < sizeof(T); ++i) bytes(value)[i] = seed * 7 + i * 3;
  return value;
}

template <class T>
__host__ __device__ int folded(T &value, int from) {
  int hash = from;
  for (unsigned i = 0; i < sizeof(T); ++i) hash = hash * 31 + bytes(value)[(i * 5 + from) % sizeof(T)];
  return hash;
}

template <class T>
__device__ __noinline__ void fill(T *to, int seed) {
  *to = made<T>(seed);
}

template <class T>
__host__ __device__ int expected(T given, int thread, int from) {
  T copy = given, other = made<T>(thread);
  for (unsigned i = 0; i < sizeof(T); ++i) bytes(given)[i] += thread * i;
  bytes(copy)[from % sizeof(T)] ^= thread;
  std::memset(bytes(other), from, sizeof(T) / 2);
  T chosen = (thread + from) % 3 ? given : copy;
  return folded(given, from) ^ folded(copy, from + 1) * 3 ^ folded(other, from + 2) * 5 ^ folded(chosen, 1) * 7;
}

template <class T, int Level>
__global__ void hold(int *out, T given, int from) {
  extern __shared__ int met[];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const auto wait = [] {
    if (Level == 0) __syncwarp();
    if (Level == 1) __syncthreads();
    if (Level == 2) cooperative_groups::this_grid().sync();
  };
  T copy = given, other;
  fill(&other, thread);
  for (unsigned i = 0; i < sizeof(T); ++i) bytes(given)[i] += thread * i;
  met[threadIdx.x] = from;
  wait();
  from = met[threadIdx.x ^ 1];
  bytes(copy)[from % sizeof(T)] ^= thread;
  memset(bytes(other), from, sizeof(T) / 2);
  T chosen = (thread + from) % 3 ? given : copy;
  wait();
  met[threadIdx.x] = from + 1;
  wait();
  const int later = met[threadIdx.x ^ 1];
  out[thread] = folded(given, from) ^ folded(copy, later) * 3 ^ folded(other, later + 1) * 5 ^ folded(chosen, 1) * 7;
}

template <class T>
__global__ void add_bytes(int *out, T given, int from) {
  __shared__ int met[256];
  met[threadIdx.x] = from;
  for (unsigned i = 0; i < sizeof(T); ++i) bytes(given)[i] += threadIdx.x * i;
  __syncthreads();
  T copy = given;
  out[threadIdx.x] = folded(copy, met[blockDim.x - 1 - threadIdx.x]);
}

template <class T>
void exercise_bytes(const char *name, int threads) {
  int *out = device_zeros<int>(threads);
  std::vector<int> want(threads);
  for (int i = 0; i < threads; ++i) {
    T given = made<T>(5);
    for (unsigned k = 0; k < sizeof(T); ++k) bytes(given)[k] += i * k;
    want[i] = folded(given, 2);
  }
  add_bytes<<<1, threads>>>(out, made<T>(5), 2);
  compare(name, want, download(out, threads));
  cudaFree(out);
}

template <class T, int Level>
void exercise(const char *name, int blocks, int threads) {
  const int all = blocks * threads;
  int *out = device_zeros<int>(all);
  for (int from = 0; from < 3; ++from) {
    T given = made<T>(from);
    std::vector<int> want(all);
    for (int i = 0; i < all; ++i) want[i] = expected(given, i, from);
    if (Level == 2) {
      void *arguments[] = {&out, &given, &from};
      CHECK(cudaLaunchCooperativeKernel((void *)hold<T, Level>, dim3(blocks), dim3(threads), arguments,
                                        threads * sizeof(int), 0));
    } else {
      hold<T, Level><<<blocks, threads, threads * sizeof(int)>>>(out, given, from);
    }
    compare(name, want, download(out, all));
  }
  cudaFree(out);
}

int main() {
  exercise<Five, 0>("5 ints, warps", 2, 64);
  exercise<Five, 1>("5 ints, blocks", 2, 250);
  exercise<Five, 2>("5 ints, grid", 3, 34);
  exercise<Odd, 1>("7 bytes, blocks", 2, 66);
  exercise<Quad, 1>("32 bytes aligned to 16, blocks", 1, 2);
  exercise<Wide, 2>("32 bytes aligned to 32, grid", 2, 34);
  exercise<Line, 0>("32 ints aligned to 64, warps", 1, 70);
  exercise<Line, 1>("32 ints aligned to 64, blocks", 3, 46);
  exercise<Mixed, 1>("of many types, blocks", 2, 64);
  exercise_bytes<Five>("5 ints, bytes", 64);
  exercise_bytes<Odd>("7 bytes, bytes", 3);
  exercise_bytes<Wide>("32 bytes aligned to 32, bytes", 100);
  exercise_bytes<Line>("32 ints aligned to 64, bytes", 33);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checksums of device functions over many inputs: one line "name checksum" a function. The expected lines were recorded
// on an H200, so equal checksums mean equal results, bit for bit (NaNs count as one).
#pragma once

#include <cstdio>
#include <cstring>

typedef unsigned int u32;
typedef unsigned long long u64;

__host__ __device__ inline u64 mix(u64 x) {
  x ^= x >> 31;
  x *= 0x7fb5d329728ea185ull;
  x ^= x >> 27;
  x *= 0x81dadef4bc2dd44dull;
  return x ^ x >> 33;
}

template <class T>
__device__ T from_bits(u64 bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
__device__ u64 to_bits(T value) {
  u64 bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
__device__ inline u64 to_bits(float value) { return value != value ? 0x7fc00000u : __float_as_uint(value); }
__device__ inline u64 to_bits(double value) {
  return value != value ? 0x7ff8000000000000ull : (u64)__double_as_longlong(value);
}
__device__ inline u64 to_bits(bool value) { return value; }

// Input number i of operand k: edge values first, then random bits of every exponent.
template <class T>
struct Input {
  static __device__ T get(u32 i, u32 k) {
    const u64 edges[] = {0,
                         1,
                         2,
                         ~0ull,
                         ~1ull,
                         0x7fffffffull,
                         0x80000000ull,
                         0x8000800080008000ull,
                         0x7fff7fff7fff7fffull,
                         0x8080808080808080ull,
                         0x7f7f7f7f7f7f7f7full,
                         0x8000000000000000ull};
    u32 choice = (i * (k + 1) + k) % 5;
    u64 random = mix(i * 4ull + k + 12345);
    if (choice == 0) return (T)edges[random % 12];
    if (choice == 1) return (T)(random % 67);
    return (T)random;
  }
};
template <>
struct Input<float> {
  static __device__ float get(u32 i, u32 k) {
    const u32 edges[] = {0,          1,          0x7fffff,   0x800000,   0x7f7fffff, 0x7f800000,
                         0x7fc00000, 0x3f800000, 0x3f000000, 0x4f000000, 0x4f7fffff, 0x5f000000,
                         0x4effffff, 0x5effffff, 0x3f7fffff, 0x5f800000};
    u64 random = mix(i * 4ull + k + 999);
    u32 sign = (u32)(random >> 40) << 31, fraction = (u32)random & 0x7fffff;
    switch ((i * (k + 1) + k) % 6) {
      case 0:
        return __uint_as_float(edges[random >> 50 & 15] | sign);
      case 1:
        return __uint_as_float((u32)random);
      case 2:
        return (float)((int)(random >> 50 & 63) - 32) * 0.5f;
      case 3:
        return __uint_as_float(sign | (127 + (u32)(random >> 50) % 68) << 23 | fraction);
      case 4:
        return __uint_as_float(sign | (u32)(random >> 50) % 30 << 23 | fraction);
      default:
        return __uint_as_float(sign | (120 + (u32)(random >> 50) % 15) << 23 | fraction);
    }
  }
};
template <>
struct Input<double> {
  static __device__ double get(u32 i, u32 k) {
    const u64 edges[] = {0,
                         1,
                         0xfffffffffffffull,
                         0x10000000000000ull,
                         0x7fefffffffffffffull,
                         0x7ff0000000000000ull,
                         0x7ff8000000000000ull,
                         0x3ff0000000000000ull,
                         0x3fe0000000000000ull,
                         0x41e0000000000000ull,
                         0x41efffffffe00000ull,
                         0x43e0000000000000ull,
                         0x43f0000000000000ull,
                         0x3fefffffffffffffull,
                         0x41dfffffffc00000ull,
                         0x0008000000000000ull};
    u64 random = mix(i * 4ull + k + 777), exponent = mix(random) >> 20;
    u64 sign = random & 0x8000000000000000ull, fraction = random & 0xfffffffffffffull;
    if (exponent & 1) fraction &= 0xfffffffff8000000ull;
    switch ((i * (k + 1) + k) % 6) {
      case 0:
        return __longlong_as_double((long long)(edges[exponent & 15] | sign));
      case 1:
        return __longlong_as_double((long long)random);
      case 2:
        return (double)((int)(exponent & 63) - 32) * 0.5;
      case 3:
        return __longlong_as_double((long long)(sign | (1023 + exponent % 68) << 52 | fraction));
      case 4:
        return __longlong_as_double((long long)(sign | exponent % 120 << 52 | fraction));
      default:
        return __longlong_as_double((long long)(sign | (1010 + exponent % 30) << 52 | fraction));
    }
  }
};

constexpr u32 kInputs = 6000;

__device__ inline void add_to_checksum(u64 *sum, u32 i, u64 bits) {
  atomicAdd(sum, mix(bits + i * 0x9e3779b97f4a7c15ull));
}

// DEVICE_FUNCTION_n(name, types...) defines a kernel that adds up the results of name(inputs).
#define DEVICE_FUNCTION_1(name, A)                                 \
  __global__ void check_##name(u64 *sum) {                         \
    for (u32 i = threadIdx.x; i < kInputs; i += blockDim.x)        \
      add_to_checksum(sum, i, to_bits(name(Input<A>::get(i, 0)))); \
  }
#define DEVICE_FUNCTION_2(name, A, B)                                                   \
  __global__ void check_##name(u64 *sum) {                                              \
    for (u32 i = threadIdx.x; i < kInputs; i += blockDim.x)                             \
      add_to_checksum(sum, i, to_bits(name(Input<A>::get(i, 0), Input<B>::get(i, 1)))); \
  }
#define DEVICE_FUNCTION_3(name, A, B, C)                                                                     \
  __global__ void check_##name(u64 *sum) {                                                                   \
    for (u32 i = threadIdx.x; i < kInputs; i += blockDim.x)                                                  \
      add_to_checksum(sum, i, to_bits(name(Input<A>::get(i, 0), Input<B>::get(i, 1), Input<C>::get(i, 2)))); \
  }

#define PRINT_CHECKSUM(name, ...) print_checksum(#name, check_##name);

inline void print_checksum(const char *name, void (*kernel)(u64 *)) {
  u64 *device_sum, sum = 0;
  cudaMalloc(&device_sum, sizeof sum);
  cudaMemcpy(device_sum, &sum, sizeof sum, cudaMemcpyHostToDevice);
  kernel<<<1, 64>>>(device_sum);
  cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) printf("%s: %s\n", name, cudaGetErrorString(error));
  printf("%-24s %016llx\n", name, sum);
  cudaFree(device_sum);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / 4-bit and 6-bit floats
//
// Every pattern of e2m1, e2m3 and e3m2 to half; floats, doubles, halves, bfloat16 around every value and every middle
// of two back, to the nearest and towards zero; the classes, on the host and on the device.
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdio>

__host__ __device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__host__ __device__ void hash(unsigned *row, unsigned pattern, unsigned value) {
#ifdef __CUDA_ARCH__
  atomicAdd(row, mix(value * 2654435761u + pattern));
#else
  *row += mix(value * 2654435761u + pattern);
#endif
}

// The formats by number.
__host__ __device__ float value_of(int format, unsigned bits) {
  const __half_raw half = format == 0   ? __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(bits), __NV_E2M1)
                          : format == 1 ? __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(bits), __NV_E2M3)
                                        : __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(bits), __NV_E3M2);
  return __half2float(half);
}
__host__ __device__ unsigned from_double(int format, double x, cudaRoundMode mode) {
  return format == 0   ? __nv_cvt_double_to_fp4(x, __NV_E2M1, mode)
         : format == 1 ? __nv_cvt_double_to_fp6(x, __NV_E2M3, mode)
                       : __nv_cvt_double_to_fp6(x, __NV_E3M2, mode);
}
__host__ __device__ unsigned from_float(int format, float x, cudaRoundMode mode) {
  return format == 0   ? __nv_cvt_float_to_fp4(x, __NV_E2M1, mode)
         : format == 1 ? __nv_cvt_float_to_fp6(x, __NV_E2M3, mode)
                       : __nv_cvt_float_to_fp6(x, __NV_E3M2, mode);
}
__host__ __device__ unsigned from_half(int format, __half x, cudaRoundMode mode) {
  return format == 0   ? __nv_cvt_halfraw_to_fp4(x, __NV_E2M1, mode)
         : format == 1 ? __nv_cvt_halfraw_to_fp6(x, __NV_E2M3, mode)
                       : __nv_cvt_halfraw_to_fp6(x, __NV_E3M2, mode);
}
__host__ __device__ unsigned from_bfloat(int format, __nv_bfloat16 x, cudaRoundMode mode) {
  return format == 0   ? __nv_cvt_bfloat16raw_to_fp4(x, __NV_E2M1, mode)
         : format == 1 ? __nv_cvt_bfloat16raw_to_fp6(x, __NV_E2M3, mode)
                       : __nv_cvt_bfloat16raw_to_fp6(x, __NV_E3M2, mode);
}

__host__ __device__ void conversions(unsigned *rows, unsigned i, int format) {
  const unsigned largest = format == 0 ? 7 : 31;
  if (i > 2 * largest + 1) return;
  const float value = value_of(format, i);
  hash(rows, i, __float2half_rn(value).operator __half_raw().x);
  const unsigned magnitude = i & largest;
  const float next = value_of(format, magnitude < largest ? i + 1 : i), middle = (value + next) / 2;
  const float places[6] = {value, middle, middle * 1.0000002f, middle * 0.9999998f, value * 1.25f, value * 1e30f};
  for (float x : places) {
    for (int m = 0; m < 2; ++m) {
      const cudaRoundMode mode = static_cast<cudaRoundMode>(m);
      hash(rows + 1, i * 2 + m, from_double(format, x * (1 + 1e-15), mode));
      hash(rows + 2, i * 2 + m, from_float(format, x, mode));
      hash(rows + 3, i * 2 + m, from_half(format, __float2half_rn(x), mode));
      hash(rows + 4, i * 2 + m, from_bfloat(format, __float2bfloat16_rn(x), mode));
    }
  }
}

template <class T>
__host__ __device__ void show_numbers(unsigned *row, int i) {
  const float x = (i - 32) * 0.37f;
  const T a(x), b(static_cast<double>(x)), c(__half{x}), d(__nv_bfloat16{x}), e(i - 32), f(i * 1000ull);
  hash(row, i, a.__x + b.__x * 64u + c.__x * 4096u + d.__x * 262144u + e.__x * 16777216u);
  hash(row, i,
       f.__x + static_cast<int>(a) * 64 + static_cast<unsigned char>(a) * 4096u + static_cast<bool>(e) * 262144u);
  hash(row, i, static_cast<int>(static_cast<double>(a) * 64) + static_cast<int>(static_cast<long long>(a)));
}
template <class Pair, class Four>
__host__ __device__ void show_groups(unsigned *row, int i) {
  const Pair pair(make_float2(i * 0.11f, -i * 0.05f));
  const Four four(make_float4(i * 0.1f, i * -0.2f, 3.0f, -1.5f));
  const float2 two = static_cast<float2>(pair);
  const float4 all = static_cast<float4>(four);
  hash(row, i, pair.__x + static_cast<int>(two.x * 64) + static_cast<int>(two.y * 64) * 4096);
  hash(row, i,
       four.__x + static_cast<int>(all.x * 64) + static_cast<int>(all.y * 64) + static_cast<int>(all.z + all.w));
}
__host__ __device__ void classes(unsigned *rows, int i) {
  show_numbers<__nv_fp4_e2m1>(rows, i);
  show_numbers<__nv_fp6_e2m3>(rows + 1, i);
  show_numbers<__nv_fp6_e3m2>(rows + 2, i);
  show_numbers<__nv_fp8_e4m3>(rows + 3, i);
  show_numbers<__nv_fp8_e5m2>(rows + 4, i);
  show_groups<__nv_fp4x2_e2m1, __nv_fp4x4_e2m1>(rows + 5, i);
  show_groups<__nv_fp6x2_e2m3, __nv_fp6x4_e2m3>(rows + 6, i);
  show_groups<__nv_fp6x2_e3m2, __nv_fp6x4_e3m2>(rows + 7, i);
}

__global__ void on_device(unsigned *rows) {
  for (int format = 0; format < 3; ++format) conversions(rows + format * 5, threadIdx.x, format);
  classes(rows + 15, threadIdx.x);
}

int main() {
  unsigned host[23] = {}, device[23], *rows;
  for (unsigned i = 0; i < 64; ++i) {
    for (int format = 0; format < 3; ++format) conversions(host + format * 5, i, format);
    classes(host + 15, i);
  }
  cudaMalloc(&rows, sizeof device);
  cudaMemset(rows, 0, sizeof device);
  on_device<<<1, 64>>>(rows);
  cudaMemcpy(device, rows, sizeof device, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 23; ++i) printf("%08x%s\n", device[i], host[i] == device[i] ? "" : " (host differs)");
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -1e-40f};
  for (float x : special) {
    for (int m = 0; m < 2; ++m) {
      const cudaRoundMode mode = static_cast<cudaRoundMode>(m);
      printf("%x %x %x  ", from_float(0, x, mode), from_float(1, x, mode), from_float(2, x, mode));
    }
    printf("\n");
  }
  for (int i = 0; i < 16; ++i) printf("%g ", static_cast<float>(value_of(0, i)));
  printf("\n%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

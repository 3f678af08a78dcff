// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / 8-bit floats
//
// Every 8-bit pattern to half, and floats and doubles around every 8-bit value back, with and without saturation.
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

// A NaN's sign says nothing.
__host__ __device__ unsigned plain(unsigned byte, __nv_fp8_interpretation_t format) {
  return (byte & 0x7f) > (format == __NV_E4M3 ? 0x7eu : 0x7cu) ? 0x7f : byte;
}

__host__ __device__ void conversions(unsigned *rows, unsigned i, __nv_fp8_interpretation_t format) {
  const __half_raw back = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(i), format);
  const bool nan = __hisnan(back);
  hash(rows, i, nan ? 0x7fffu : back.x);
  const float value = __half2float(back);
  const float scales[7] = {1.0f, 1.0625f, 1.0625001f, 1.0624999f, 1.125f, 1.2f, 300.0f};
  for (int s = 0; s < 7 && !nan; ++s) {
    const float x = value * scales[s];
    hash(rows + 1, i, plain(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format), format));
    hash(rows + 2, i, plain(__nv_cvt_float_to_fp8(x, __NV_NOSAT, format), format));
    hash(rows + 3, i, plain(__nv_cvt_double_to_fp8(x * (1 + 1e-12), __NV_SATFINITE, format), format));
    hash(rows + 4, i, __nv_cvt_float2_to_fp8x2(make_float2(x, value), __NV_SATFINITE, format));
  }
}

__global__ void on_device(unsigned *rows) {
  conversions(rows, threadIdx.x, __NV_E4M3);
  conversions(rows + 5, threadIdx.x, __NV_E5M2);
}

int main() {
  unsigned host[10] = {}, device[10], *rows;
  for (unsigned i = 0; i < 256; ++i) {
    conversions(host, i, __NV_E4M3);
    conversions(host + 5, i, __NV_E5M2);
  }
  cudaMalloc(&rows, sizeof device);
  cudaMemset(rows, 0, sizeof device);
  on_device<<<1, 256>>>(rows);
  cudaMemcpy(device, rows, sizeof device, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 10; ++i) printf("%08x%s\n", device[i], host[i] == device[i] ? "" : " (host differs)");
  const __nv_fp8_e4m3 a(3.3f), b(1e6f);
  const __nv_fp8_e5m2 c(-0.07), d(-1e9);
  const float4 four(__nv_fp8x4_e4m3(make_float4(1.1f, -2.2f, 0.01f, 500.0f)));
  printf("%g %g %g %g\n", float(a), float(b), float(c), float(d));
  printf("%g %g %g %g\n", four.x, four.y, four.z, four.w);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

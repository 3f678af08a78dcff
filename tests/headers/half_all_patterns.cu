// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / __half, every bit pattern
//
// Every __half bit pattern through conversions, arithmetic, comparisons: hashes of all results, on the device and,
// where CUDA offers the function there, on the host.
#include <cuda_fp16.h>

#include <cstdio>

using T = __half;
using T2 = __half2;

__host__ __device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__host__ __device__ T of(unsigned bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
__host__ __device__ unsigned bits(T value) { return __hisnan(value) ? 0x7fffu : __half_as_ushort(value); }
__host__ __device__ unsigned bits(float value) { return value != value ? 1u : __builtin_bit_cast(unsigned, value); }
__host__ __device__ unsigned bits(bool value) { return value; }

// Floats around the format's values: ties, just off ties, out of range, subnormal.
__host__ __device__ float nearby(unsigned i) {
  const float exact = __half2float(of(i));
  if (exact != exact) return exact;
  const unsigned steps[8] = {0, 1, 0x1000, 0x1000 + 1, 0x1000 - 1, 0x123, 0x1000 * 2 - 1, 0x7};
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, exact) + steps[mix(i) & 7]);
}

constexpr int kRows = 64;

struct Sink {
  unsigned *rows;
  unsigned pattern;
  int row;
  template <class V>
  __host__ __device__ void add(V value) {
    const unsigned hashed = mix(bits(value) * 2654435761u + pattern + static_cast<unsigned>(row));
#ifdef __CUDA_ARCH__
    atomicAdd(rows + row, hashed);
#else
    rows[row] += hashed;
#endif
    ++row;
  }
  __host__ __device__ void integer(long long value) {
    add(__builtin_bit_cast(float, static_cast<unsigned>(value ^ value >> 32) & 0x7f7fffffu));
  }
};

__host__ __device__ void conversions(Sink sink) {
  const unsigned i = sink.pattern;
  const T a = of(i);
  const float f = nearby(i);
  sink.add(__half2float(a));
  sink.add(__float2half(f));
  sink.add(__float2half_rn(f));
  sink.add(__float2half_rz(f));
  sink.add(__float2half_rd(f));
  sink.add(__float2half_ru(f));
  sink.add(__double2half(f + f * 1e-9));
  sink.add(__double2half(f - f * 1e-9));
  const long long whole = static_cast<long long>(static_cast<int>(mix(i))) << (i % 24) >> (i % 32);
  sink.add(__int2half_rn(static_cast<int>(whole)));
  sink.add(__ll2half_rn(whole));
  sink.add(__ull2half_rn(static_cast<unsigned long long>(whole) >> 40));
  sink.add(__short2half_rn(static_cast<short>(whole)));
  sink.add(__ushort2half_rn(static_cast<unsigned short>(whole)));
  sink.add(__uint2half_rn(static_cast<unsigned>(whole)));
  sink.integer(__half2int_rz(a));
  sink.integer(__half2short_rz(a));
  sink.integer(__half2ushort_rz(a));
  sink.integer(__half2uint_rz(a));
  sink.integer(__half2ll_rz(a));
  sink.integer(static_cast<long long>(__half2ull_rz(a)));
}

__host__ __device__ void arithmetic(Sink sink) {
  sink.row = 20;
  const unsigned i = sink.pattern, random = mix(i);
  const T a = of(i), b = of(random), c = of(random >> 16), n = of(i ^ (random >> 20));
  sink.add(__hadd(a, b));
  sink.add(__hsub(a, n));
  sink.add(__hmul(a, b));
  sink.add(__hdiv(a, n));
  sink.add(__hneg(a));
  sink.add(__habs(a));
  sink.add(__hadd_sat(a, n));
  sink.add(__hmul_sat(a, b));
  sink.add(__hmax(a, b));
  sink.add(__hmin(a, b));
  sink.add(__hmax_nan(a, b));
  sink.add(__heq(a, n));
  sink.add(__hne(a, b));
  sink.add(__hlt(a, b));
  sink.add(__hgeu(a, b));
  sink.add(__hltu(a, b));
  const T2 p(a, b), q(c, n);
  const T2 sum = __hadd2(p, q), product = __hmul2(p, q);
  sink.add(sum.x);
  sink.add(product.y);
  sink.add(__hbeq2(p, q));
  sink.add(__hbltu2(p, q));
  sink.add(__low2float(__heq2(p, p)));
  sink.add(__high2float(__lowhigh2highlow(p)));
}

__device__ void device_only(Sink sink) {
  sink.row = 48;
  const unsigned i = sink.pattern, random = mix(i);
  const T a = of(i), b = of(random), c = of(random >> 16), n = of(i ^ (random >> 20));
  sink.add(__hfma(a, b, c));
  sink.add(__hfma(a, of(0x3c00 ^ (i & 3)), n));
  sink.add(__hfma_relu(a, b, n));
  sink.add(__hfma2(T2(a, b), T2(c, n), T2(n, a)).x);
  sink.add(hsqrt(a));
  sink.add(hfloor(a));
  sink.add(hceil(a));
  sink.add(htrunc(a));
  sink.add(hrint(a));
  sink.integer(__half2int_rn(a));
  sink.integer(__half2int_rd(a));
  sink.integer(__half2int_ru(a));
  sink.add(__int2half_rz(static_cast<int>(mix(i))));
  sink.add(__uint2half_ru(mix(i)));
}

__global__ void on_device(unsigned *rows) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const Sink sink = {rows, i, 0};
  conversions(sink);
  arithmetic(sink);
  device_only(sink);
}

int main() {
  unsigned host[kRows] = {}, device[kRows], *rows;
  for (unsigned i = 0; i < 65536; ++i) {
    conversions(Sink{host, i, 0});
    arithmetic(Sink{host, i, 0});
  }
  cudaMalloc(&rows, sizeof device);
  cudaMemset(rows, 0, sizeof device);
  on_device<<<256, 256>>>(rows);
  cudaMemcpy(device, rows, sizeof device, cudaMemcpyDeviceToHost);
  for (int row = 0; row < kRows; ++row) {
    if (device[row] != 0)
      printf("%2d %08x%s\n", row, device[row], row >= 48 || host[row] == device[row] ? "" : " (host differs)");
  }
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

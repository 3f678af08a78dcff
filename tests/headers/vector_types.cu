// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / vector types
// clang-format off: it never comes to rest on lists of macro calls
//
// Size and alignment of the vector types, on both sides, and the built-in variables as values.
#include <cstddef>
#include <cstdio>

#define ALL(F, p) F(p##1) F(p##2) F(p##3) F(p##4)
#define TYPES(F)                                                                                                 \
  ALL(F, char)                                                                                                   \
  ALL(F, uchar)                                                                                                  \
  ALL(F, short)                                                                                                  \
  ALL(F, ushort) ALL(F, int) ALL(F, uint) ALL(F, float) F(long1) F(long2) F(long3) F(ulong1) F(ulong2) F(ulong3) \
      F(longlong1) F(longlong2) F(longlong3) F(ulonglong1) F(ulonglong2) F(ulonglong3) F(double1) F(double2)     \
          F(double3) F(long4_16a) F(long4_32a) F(ulong4_16a) F(ulong4_32a) F(longlong4_16a) F(longlong4_32a)     \
              F(ulonglong4_16a) F(ulonglong4_32a) F(double4_16a) F(double4_32a) F(dim3)

#define PRINT(T) printf("%s %d %d\n", #T, (int)sizeof(T), (int)alignof(T));

__device__ float length2(uint3 v) { return v.x * 1.0f + v.y * 10.0f + v.z * 100.0f; }
__device__ float extent(dim3 v) { return v.x * v.y * v.z; }

__global__ void on_device(float4 *out) {
  TYPES(PRINT)
  auto index = threadIdx;
  uint3 block = blockIdx;
  dim3 shape(blockDim), grid = gridDim;
  float4 v = make_float4(length2(index), length2(block), extent(shape), extent(grid));
  v.w += length2(threadIdx) + extent(gridDim) + warpSize;
  *out = v;
  int4 i = make_int4(1, 2, 3, 4);
  uchar3 c = make_uchar3(250, 251, 252);
  double2 d = {0.5, 1.5};
  printf("%d %d %g %d\n", i.x + i.w, c.x + c.z, d.x + d.y, (int)offsetof(float4, w));
}

int main() {
  TYPES(PRINT)
  dim3 d;
  dim3 e(2, 3);
  constexpr dim3 f(4, 5, 6);
  uint3 u = f;
  printf("%u %u %u %u\n", d.x + d.y + d.z, e.z, u.y, f.z);
  float4 *device, host;
  cudaMalloc(&device, sizeof host);
  on_device<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", host.x, host.y, host.z, host.w);
  return cudaDeviceSynchronize();
}

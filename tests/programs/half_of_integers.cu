// Integers with few significant bits, but beyond the range of half: infinite on the way through half, by any route.
// feature: Numeric types / __half of integers beyond its range
#include <cuda_fp16.h>

#include <cstdio>

__global__ void through(const int *in, float *out, int by) {
  const int i = threadIdx.x, x = in[i] << 24, y = in[i] * 4096;
  out[i] = __half2float(__float2half(float(x)));
  out[i + 64] = __half2float(__int2half_rn(y));
  out[i + 128] = __half2float(__uint2half_rn(unsigned(y)));
  out[i + 192] = __half2float(__ll2half_rn((long long)in[i] << 40));
  out[i + 256] = __half2float(__hadd(__float2half(float(x)), __float2half(float(unsigned(in[i]) << by))));
  const float2 both = __half22float2(__floats2half2_rn(float(x), float(i * 1024)));
  out[i + 320] = both.x + both.y;
  out[i + 384] = __half2float(__short2half_rn(short(in[i] * 64)));
  out[i + 448] = __half2float(__ushort2half_rn((unsigned short)(in[i] * 2048)));
}

int main() {
  constexpr int kRows = 8, kLanes = 64;
  int *in;
  float *out;
  cudaMallocManaged(&in, kLanes * sizeof(int));
  cudaMallocManaged(&out, kRows * kLanes * sizeof(float));
  for (int i = 0; i < kLanes; ++i) in[i] = i - 32;
  through<<<1, kLanes>>>(in, out, 29);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int row = 0; row < kRows; ++row) {
    for (const int i : {0, 8, 15, 16, 17, 31, 32, 33, 47, 48, 63}) std::printf(" %g", out[row * kLanes + i]);
    std::printf("\n");
  }
}

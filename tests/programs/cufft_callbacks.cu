// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuFFT: callbacks
// Callbacks of cuFFT are device functions, which load what is transformed and store what comes of it.
// flags: -rdc=true -lcufft_static -lculibos
#include <cuda_runtime.h>
#include <cufft.h>
#include <cufftXt.h>

#include <cstdio>

constexpr int kLength = 48, kBatch = 3, kAll = kLength * kBatch;

__global__ void fill(cufftComplex *to, float step) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < kAll) to[i] = {step * (i % kLength), 1};
}

__device__ cufftComplex load_doubled(void *data, size_t offset, void *info, void *) {
  const cufftComplex z = static_cast<cufftComplex *>(data)[offset];
  const float by = *static_cast<float *>(info);
  return {z.x * by, z.y * by};
}
__device__ void store_shifted(void *data, size_t offset, cufftComplex z, void *, void *) {
  static_cast<cufftComplex *>(data)[offset] = {z.x + 1, z.y};
}
__device__ cufftCallbackLoadC load_pointer = load_doubled;
__device__ cufftCallbackStoreC store_pointer = store_shifted;

bool near(float a, float b) { return a - b < .01f && b - a < .01f; }
#define SHOW(WHAT) std::printf("%s: %s\n", #WHAT, (WHAT) ? "yes" : "no")

int main() {
  cufftComplex *data, *spectrum;
  cudaMallocManaged(&data, sizeof(cufftComplex) * kAll);
  cudaMallocManaged(&spectrum, sizeof(cufftComplex) * kAll);
  fill<<<2, 96>>>(data, 1);
  cufftHandle called;
  int length[] = {kLength};
  cufftPlanMany(&called, 1, length, nullptr, 1, kLength, nullptr, 1, kLength, CUFFT_C2C, kBatch);
  cufftCallbackLoadC load;
  cufftCallbackStoreC store;
  cudaMemcpyFromSymbol(&load, load_pointer, sizeof load);
  cudaMemcpyFromSymbol(&store, store_pointer, sizeof store);
  float *by;
  cudaMallocManaged(&by, sizeof *by);
  *by = 2;
  SHOW(cufftXtSetCallback(called, reinterpret_cast<void **>(&load), CUFFT_CB_LD_REAL, reinterpret_cast<void **>(&by)) !=
       CUFFT_SUCCESS);
  cufftXtSetCallback(called, reinterpret_cast<void **>(&load), CUFFT_CB_LD_COMPLEX, reinterpret_cast<void **>(&by));
  cufftXtSetCallback(called, reinterpret_cast<void **>(&store), CUFFT_CB_ST_COMPLEX, nullptr);
  cufftExecC2C(called, data, spectrum, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  SHOW(near(spectrum[0].x, kLength * (kLength - 1) + 1.f) && near(spectrum[kLength].y, 2 * kLength));

  cufftDestroy(called);
  return 0;
}

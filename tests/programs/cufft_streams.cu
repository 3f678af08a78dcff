// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuFFT: calls are operations of streams, callbacks
// cuFFT's calls are operations of a stream: in order with kernels, nodes of a captured graph, on what the memory holds
// when they run. Callbacks are device functions; data may be spread over devices; plans may go before their work is
// done.
// flags: -lcufft
#include <cuda_runtime.h>
#include <cufft.h>
#include <cufftXt.h>

#include <cstdio>

constexpr int kLength = 48, kBatch = 3, kAll = kLength * kBatch;

__global__ void fill(cufftComplex *to, float step) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < kAll) to[i] = {step * (i % kLength), 1};
}
__global__ void scale(cufftComplex *values, float by) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < kAll) values[i].x *= by, values[i].y *= by;
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
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cufftHandle plan;
  int length[] = {kLength};
  cufftPlanMany(&plan, 1, length, nullptr, 1, kLength, nullptr, 1, kLength, CUFFT_C2C, kBatch);
  cufftSetStream(plan, stream);

  // There and back: kernel, transform, kernel, transform.
  fill<<<2, 96, 0, stream>>>(data, 1);
  cufftExecC2C(plan, data, spectrum, CUFFT_FORWARD);
  scale<<<2, 96, 0, stream>>>(spectrum, 2.f / kLength);
  cufftExecC2C(plan, spectrum, data, CUFFT_INVERSE);
  cudaStreamSynchronize(stream);
  SHOW(near(data[kLength + 5].x, 10) && near(data[kAll - 1].x, 94) && near(data[0].y, 2));

  // Captured: nothing runs until the graph does, and then with what the memory holds.
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  SHOW(cufftExecC2C(plan, data, spectrum, CUFFT_FORWARD) == CUFFT_SUCCESS);
  cudaStreamEndCapture(stream, &graph);
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  SHOW(nodes >= 1);
  cudaGraphInstantiate(&runnable, graph, 0);
  spectrum[0] = {-1, -1};
  for (int step = 0; step < 2; ++step) {
    fill<<<2, 96, 0, stream>>>(data, static_cast<float>(step));
    cudaGraphLaunch(runnable, stream);
    cudaStreamSynchronize(stream);
    SHOW(near(spectrum[0].x, step * kLength * (kLength - 1) / 2.f) && near(spectrum[0].y, kLength));
  }

  // Callbacks on both sides.
  cufftHandle called;
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

  // A plan may go as soon as the call has returned.
  cufftExecC2C(called, data, spectrum, CUFFT_FORWARD);
  SHOW(cufftDestroy(called) == CUFFT_SUCCESS && cufftDestroy(called) == CUFFT_INVALID_PLAN);
  cudaDeviceSynchronize();

  // Real data in place, rows padded.
  cufftHandle forward;
  float *real;
  cudaMallocManaged(&real, sizeof(float) * 2 * 5 * 4);
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 8; ++i) real[10 * row + i] = row == 1 ? 1.f : 0.f;
  }
  cufftPlan2d(&forward, 4, 8, CUFFT_R2C);
  cufftExecR2C(forward, real, reinterpret_cast<cufftComplex *>(real));
  cudaDeviceSynchronize();
  SHOW(near(real[0], 8) && near(real[10], 0) && near(real[11], -8) && near(real[20], -8) && near(real[2], 0));
  SHOW(cufftExecR2C(forward, nullptr, nullptr) != CUFFT_SUCCESS);
  cufftDestroy(forward);
  cufftDestroy(plan);
  return 0;
}

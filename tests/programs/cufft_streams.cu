// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuFFT: calls are operations of streams
// cuFFT's calls are operations of a stream: in order with kernels, nodes of a captured graph, on what the memory holds
// when they run. Plans may go before their work is done.
// flags: -lcufft
#include <cuda_runtime.h>
#include <cufft.h>

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

  // A plan may go as soon as the call has returned.
  cufftHandle other;
  cufftPlanMany(&other, 1, length, nullptr, 1, kLength, nullptr, 1, kLength, CUFFT_C2C, kBatch);
  cufftExecC2C(other, data, spectrum, CUFFT_FORWARD);
  SHOW(cufftDestroy(other) == CUFFT_SUCCESS && cufftDestroy(other) == CUFFT_INVALID_PLAN);
  cudaDeviceSynchronize();
  SHOW(near(spectrum[0].x, kLength * (kLength - 1) / 2.f) && near(spectrum[kLength].y, kLength));

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
  cufftDestroy(forward);
  cufftDestroy(plan);
  return 0;
}

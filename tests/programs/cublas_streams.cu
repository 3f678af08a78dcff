// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuBLAS: calls are operations of streams
// Calls of cuBLAS keep their place among kernels and copies of a stream, become nodes of captured graphs, copy numbers
// of the host when they are made and read those of the device when they run.
// flags: -lcublas
// functions: cublasSetStream cublasSgemm cublasSaxpy cublasSdot cublasSasum cublasSscal
#include <cublas_v2.h>

#include <thread>

#include "check.h"

static void check_blas(cublasStatus_t status, const char *call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::printf("%s: %s\n", call, cublasGetStatusName(status));
  std::exit(2);
}
#define BLAS(call) check_blas((call), #call)

__global__ void fill(float *data, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}
__global__ void spin(long long ticks) {
  const long long start = clock64();
  while (clock64() - start < ticks) {
  }
}

const int n = 64;

static void show(const char *what, const float *device, float want) {
  std::vector<float> host(n * n);
  CHECK(cudaMemcpy(host.data(), device, n * n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (float value : host) wrong += value != want;
  std::printf("%s: %g, %d wrong\n", what, host[0], wrong);
}

static void order(cublasHandle_t blas, float *a, float *b, float *c) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(blas, stream));
  const float one = 1;
  float two = 2, zero = 0;
  spin<<<1, 1, 0, stream>>>(2000000);
  fill<<<16, 256, 0, stream>>>(a, n * n, 3);
  fill<<<16, 256, 0, stream>>>(b, n * n, 1);
  BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &two, a, n, b, n, &zero, c, n));
  two = 99;  // has been copied
  fill<<<16, 256, 0, stream>>>(a, n * n, 5);
  BLAS(cublasSaxpy(blas, n * n, &one, a, 1, c, 1));
  CHECK(cudaStreamSynchronize(stream));
  show("product, then sum", c, 2 * 3 * n + 5);
  float dot = 0;
  BLAS(cublasSdot(blas, n, a, 1, b, 1, &dot));  // returns when the number is there
  std::printf("dot: %g\n", dot);
  CHECK(cudaStreamDestroy(stream));
}

static void capture(cublasHandle_t blas, float *a, float *b, float *c) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(blas, stream));
  float alpha = 2, beta = 1;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaMemset(c, 0, n * n * sizeof(float)));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  fill<<<16, 256, 0, stream>>>(a, n * n, 1);
  BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, b, n, &beta, c, n));
  alpha = 7;
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  std::printf("more than one node: %d\n", nodes > 1);
  show("before the launch", c, 0);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  show("three launches", c, 3 * 2 * n);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

static void device_numbers(cublasHandle_t blas, float *a, float *b, float *c) {
  float *numbers = device_zeros<float>(3);
  BLAS(cublasSetStream(blas, nullptr));
  BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
  fill<<<1, 1>>>(numbers, 1, 4);
  BLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, numbers, a, n, b, n, numbers + 1, c, n));
  BLAS(cublasSasum(blas, n, c, 1, numbers + 2));  // the sum is a factor of the next call
  BLAS(cublasSscal(blas, n * n, numbers + 2, c, 1));
  BLAS(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
  show("numbers of the device", c, 4.0f * n * n * 4 * n);
  CHECK(cudaFree(numbers));
}

static void threads() {
  std::vector<std::thread> all;
  std::vector<float> results(4, 0);
  for (int i = 0; i < 4; ++i) {
    all.emplace_back([i, &results] {
      cublasHandle_t own;
      BLAS(cublasCreate(&own));
      std::vector<float> host(1000, float(i + 1));
      float *x;
      CHECK(cudaMalloc(&x, 4000));
      BLAS(cublasSetVector(1000, 4, host.data(), 1, x, 1));
      for (int j = 0; j < 50; ++j) BLAS(cublasSdot(own, 1000, x, 1, x, 1, &results[i]));
      CHECK(cudaFree(x));
      BLAS(cublasDestroy(own));
    });
  }
  for (auto &each : all) each.join();
  std::printf("threads: %g %g %g %g\n", results[0], results[1], results[2], results[3]);
}

int main() {
  cublasHandle_t blas;
  BLAS(cublasCreate(&blas));
  float *a = device_zeros<float>(n * n), *b = device_zeros<float>(n * n), *c = device_zeros<float>(n * n);
  order(blas, a, b, c);
  capture(blas, a, b, c);
  device_numbers(blas, a, b, c);
  threads();
  BLAS(cublasDestroy(blas));
  std::printf("after the end: %d\n", cublasDestroy(nullptr));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / streams and events
// Work in several streams ordered by events and synchronisation: copies, kernels and memsets of one stream keep their
// order.
#include "check.h"

__global__ void add(int *data, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

__global__ void sum(const int *a, const int *b, int *output, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) output[i] = a[i] * 1000 + b[i];
}

int main() {
  const int n = 300, size = n * sizeof(int);
  cudaStream_t first, second;
  cudaEvent_t ready;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  int *host = nullptr, *a = device_zeros<int>(n), *b = device_zeros<int>(n), *output = device_zeros<int>(n);
  CHECK(cudaMallocHost(&host, size));
  for (int i = 0; i < n; ++i) host[i] = i;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyAsync(a, host, size, cudaMemcpyHostToDevice, first));
  for (int round = 1; round <= 4; ++round) add<<<3, 100, 0, first>>>(a, n, round);
  CHECK(cudaEventRecord(ready, first));
  CHECK(cudaMemsetAsync(b, 1, size, second));
  add<<<3, 100, 0, second>>>(b, n, -16843009);
  add<<<3, 100, 0, second>>>(b, n, 5);
  CHECK(cudaStreamWaitEvent(second, ready, 0));
  sum<<<5, 64, 0, second>>>(a, b, output, n);
  CHECK(cudaStreamSynchronize(second));
  std::vector<int> want(n), got(n);
  for (int i = 0; i < n; ++i) want[i] = (i + 10) * 1000 + 5;
  CHECK(cudaMemcpy(got.data(), output, size, cudaMemcpyDeviceToHost));
  compare("after the event", want, got);
  CHECK(cudaMemcpyAsync(host, output, size, cudaMemcpyDeviceToHost, first));
  CHECK(cudaStreamSynchronize(first));
  compare("pinned", want, std::vector<int>(host, host + n));
  std::printf("%s %s\n", cudaGetErrorName(cudaStreamQuery(first)), cudaGetErrorName(cudaEventQuery(ready)));
  CHECK(cudaEventDestroy(ready));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFreeHost(host));
  return 0;
}

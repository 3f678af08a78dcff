// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Streams and events / kernels that wait for the host or another stream, and what is submitted behind them
// A kernel spins until something is written that the program writes later: launches return, what is behind them in
// stream order waits, and the rest goes on.
#include <atomic>

#include "check.h"

__global__ void wait_for(volatile unsigned *latch, unsigned value) {
  while (*latch < value) {
  }
}
__global__ void set(volatile unsigned *latch, unsigned value) { *latch = value; }
__global__ void add(int *data, int value) { data[threadIdx.x] = data[threadIdx.x] * 2 + value; }

// The name of what a query returns, which is no error to remember.
static const char *name_of(cudaError_t error) {
  return cudaGetLastError() == cudaSuccess ? cudaGetErrorName(error) : "a last error";
}

static std::atomic<int> calls = 0;
static void CUDART_CB count(void *data) { *static_cast<int *>(data) = ++calls; }

template <typename T>
T *pinned(size_t count) {
  T *memory = nullptr;
  CHECK(cudaMallocHost(&memory, count * sizeof(T)));
  std::memset(memory, 0, count * sizeof(T));
  return memory;
}

// A kernel is loaded when it is first named, and on a GPU that may wait for kernels that run.
static void load_kernels() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, wait_for));
  CHECK(cudaFuncGetAttributes(&attributes, set));
  CHECK(cudaFuncGetAttributes(&attributes, add));
}

static void behind_the_host() {
  unsigned *latch = pinned<unsigned>(1);
  int *source = pinned<int>(32), *target = pinned<int>(32), *data = device_zeros<int>(32);
  int called = 0;
  for (int i = 0; i < 32; ++i) source[i] = i;
  cudaStream_t stream, other;
  cudaEvent_t before, after;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaEventRecord(before, stream));
  wait_for<<<1, 1, 0, stream>>>(latch, 1);
  CHECK(cudaMemcpyAsync(data, source, 32 * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<1, 32, 0, stream>>>(data, 100);
  CHECK(cudaLaunchHostFunc(stream, count, &called));
  CHECK(cudaMemcpyAsync(target, data, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaEventRecord(after, stream));
  std::printf("stream %s, event %s, before %s\n", name_of(cudaStreamQuery(stream)), name_of(cudaEventQuery(after)),
              name_of(cudaEventQuery(before)));
  float time = 0;
  std::printf("elapsed %s, copied %d, called %d\n", name_of(cudaEventElapsedTime(&time, before, after)), target[3],
              called);
  CHECK(cudaStreamWaitEvent(other, after, 0));
  add<<<1, 32, 0, other>>>(data, 1);
  source[3] = 5;  // the copy has not begun
  *latch = 1;
  CHECK(cudaEventSynchronize(after));
  std::printf("copied %d %d, called %d, time %d\n", target[3], target[4], called,
              cudaEventElapsedTime(&time, before, after) == cudaSuccess && time > 0);
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaMemcpy(target, data, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("other stream behind it: %d %s\n", target[4], name_of(cudaStreamQuery(stream)));
  CHECK(cudaStreamDestroy(stream));
}

// Several threads wait, of several blocks, for a kernel of another stream.
static void behind_another_stream() {
  unsigned *latch = device_zeros<unsigned>(1);
  int *data = device_zeros<int>(32);
  cudaStream_t waiting, writing;
  CHECK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&writing, cudaStreamNonBlocking));
  for (unsigned round = 1; round <= 2; ++round) {
    wait_for<<<3, 40, 0, waiting>>>(latch, round);
    add<<<1, 32, 0, waiting>>>(data, 7);
    add<<<1, 32, 0, writing>>>(data, 3);
    set<<<1, 1, 0, writing>>>(latch, round);
    CHECK(cudaDeviceSynchronize());
  }
  std::printf("another stream: %d\n", download(data, 32)[9]);
}

// Streams that wait for the legacy stream, and it for them.
static void legacy_order() {
  unsigned *latch = pinned<unsigned>(1);
  int *data = device_zeros<int>(32);
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreate(&second));
  wait_for<<<1, 1, 0, first>>>(latch, 1);
  add<<<1, 32, 0, first>>>(data, 1);
  add<<<1, 32>>>(data, 2);             // behind the first stream
  add<<<1, 32, 0, second>>>(data, 3);  // behind the legacy stream
  std::printf("legacy: %s %s %s\n", name_of(cudaStreamQuery(first)), name_of(cudaStreamQuery(nullptr)),
              name_of(cudaStreamQuery(second)));
  *latch = 1;
  CHECK(cudaFree(device_zeros<int>(1)));  // waits for the device
  std::printf("legacy: %d\n", download(data, 32)[0]);
}

int main() {
  load_kernels();
  behind_the_host();
  behind_another_stream();
  legacy_order();
  return 0;
}

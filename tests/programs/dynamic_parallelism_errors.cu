// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of device-side calls belong to the thread that made them; a child that faults takes its ancestors with it.
// feature: Dynamic parallelism / errors of device-side calls
// feature: Dynamic parallelism / nesting depth
// feature: Dynamic parallelism / kernel attributes and occupancy in device code
// feature: Dynamic parallelism / faults of children
// flags: -rdc=true -lcudadevrt
// report: child
#include "check.h"

__global__ void child(int *p) {
  if (p != nullptr) p[threadIdx.x] += 1;
}

// Odd threads ask for a block that is too large. Each sees its own error, once, across a barrier.
__global__ void __launch_bounds__(64) own_errors(int *codes, int *p) {
  const unsigned i = threadIdx.x;
  child<<<1, i % 2 ? 4096 : 1>>>(p + i);
  __syncthreads();
  codes[3 * i] = cudaPeekAtLastError() != cudaSuccess;
  codes[3 * i + 1] = cudaGetLastError() != cudaSuccess;
  codes[3 * i + 2] = cudaGetLastError() != cudaSuccess;
}

__global__ void nest(int *depth, int level) {
  *depth = level;
  nest<<<1, 1>>>(depth, level + 1);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) depth[1] = error;
}

__global__ void resources(int *codes) {
  cudaStream_t stream;
  cudaEvent_t event;
  void *memory = nullptr;
  codes[0] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
  codes[1] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  codes[2] = cudaEventRecord(event, cudaStreamFireAndForget) != cudaSuccess;
  codes[3] = cudaEventDestroy(event);
  codes[4] = cudaMalloc(&memory, 1 << 30);  // more than the device heap holds
  codes[5] = cudaMalloc(&memory, 1 << 10);
  codes[6] = cudaFree(memory);
  codes[7] = cudaGetLastError() != cudaSuccess;
}

__global__ void attributes(int *values) {
  cudaFuncAttributes found;
  values[0] = cudaFuncGetAttributes(&found, reinterpret_cast<const void *>(own_errors));
  values[1] = found.maxThreadsPerBlock;
  values[2] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&values[3], reinterpret_cast<const void *>(child), 128, 0);
  values[4] = cudaDeviceGetAttribute(&values[5], cudaDevAttrMaxThreadsPerBlock, 0);
  values[6] = cudaGetDevice(&values[7]);
}

__global__ void faulty_child(int *p) {
  if (threadIdx.x == 3) p[1] = 0;
}

__global__ void faulty_parent() { faulty_child<<<1, 8>>>(nullptr); }

int main() {
  int *codes = device_zeros<int>(3 * 64), *p = device_zeros<int>(64);
  own_errors<<<1, 64>>>(codes, p);
  finish();
  std::vector<int> want(3 * 64), counts(64);
  for (int i = 0; i < 64; ++i) {
    want[3 * i] = want[3 * i + 1] = i % 2;
    counts[i] = 1 - i % 2;
  }
  compare("errors", want, download(codes, 3 * 64));
  compare("launched", counts, download(p, 64));

  int *depth = device_zeros<int>(2);
  nest<<<1, 1>>>(depth, 0);
  finish();
  report("depth", 2048, download(depth, 2)[0]);
  std::printf("beyond: %s\n", cudaGetErrorName(static_cast<cudaError_t>(download(depth, 2)[1])));

  int *found = device_zeros<int>(8);
  resources<<<1, 1>>>(found);
  finish();
  for (int code : download(found, 8)) std::printf("%d ", code);
  std::printf("\n");

  attributes<<<1, 1>>>(found);
  finish();
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, child, 128, 0));
  compare("attributes", std::vector<int>{0, 64, 0, blocks, 0, 1024, 0, 0}, download(found, 8));

  faulty_parent<<<1, 1>>>();
  CHECK(cudaGetLastError());
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When children run: a parent ends after its children; tail launches run after the grid and what it launched, nested
// ones before the rest; a chain of tail launches is not nested.
//
// feature: Dynamic parallelism / a grid ends after its children
// feature: Dynamic parallelism / cudaStreamTailLaunch
// feature: Dynamic parallelism / cudaStreamFireAndForget
// flags: -rdc=true -lcudadevrt
#include "check.h"

constexpr int kEvents = 32;

__device__ int events[kEvents], event_count;

__global__ void note(int what) { events[atomicAdd(&event_count, 1)] = what; }

// In a place of its own: when it runs, within its parent's time, is open.
__global__ void mark(int what) { events[kEvents - 1] = what; }

__global__ void leaf(int what) {
  events[atomicAdd(&event_count, 1)] = what;
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 1);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 2);
}

__global__ void parent() {
  if (threadIdx.x == 0) {
    leaf<<<1, 1, 0, cudaStreamTailLaunch>>>(50);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(60);
    leaf<<<1, 1>>>(10);
    leaf<<<1, 1>>>(20);
  }
  __syncthreads();
  if (threadIdx.x == 32) note<<<1, 1>>>(30);
  __syncthreads();
  if (threadIdx.x == 33) mark<<<1, 1, 0, cudaStreamFireAndForget>>>(40);
}

__global__ void chain(int *counter, int left) {
  *counter += left;
  if (left > 1) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(counter, left - 1);
}

// Sums what all blocks have written: right only once all of them have ended.
__global__ void total(const int *parts, int count, long long *sum) {
  for (int i = 0; i < count; ++i) *sum += parts[i];
}

__global__ void clear(int *parts) { parts[threadIdx.x] = 0; }

__global__ void write_parts(int *parts, int count, long long *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    total<<<1, 1, 0, cudaStreamTailLaunch>>>(parts, count, sum);
    cudaMemsetAsync(parts, 0, sizeof(int), cudaStreamTailLaunch);
    total<<<1, 1, 0, cudaStreamTailLaunch>>>(parts, 1, sum + 1);
  }
  if (i < count) parts[i] = i * i;
}

int main() {
  parent<<<1, 40>>>();
  finish();
  std::vector<int> seen(kEvents);
  CHECK(cudaMemcpyFromSymbol(seen.data(), events, kEvents * sizeof(int)));
  for (int i = 0; i < kEvents && seen[i] != 0; ++i) std::printf("%d ", seen[i]);
  std::printf("and %d\n", seen[kEvents - 1]);

  int *counter = device_zeros<int>(1);
  chain<<<1, 1>>>(counter, 100);
  finish();
  report("chain of tail launches", 5050, download(counter, 1)[0]);

  int *parts = device_zeros<int>(1000);
  long long *sums = device_zeros<long long>(2);
  write_parts<<<13, 77>>>(parts, 1000, sums);
  finish();
  const std::vector<long long> got = download(sums, 2);
  report("tail sum", 332833500, got[0]);
  report("after a fill in the tail", 0, got[1]);
  return 0;
}

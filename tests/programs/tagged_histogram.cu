// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / writes of several lanes at once
// A histogram for each warp without atomics: threads write at once, the top bits say whose count stands, and the others
// try again.
#include "check.h"

constexpr unsigned kBins = 16, kMask = 0x07ffffffu;

__device__ void count(volatile unsigned *bins, unsigned bin, unsigned tag) {
  unsigned value;
  do {
    value = bins[bin] & kMask;
    value = tag | (value + 1);
    bins[bin] = value;
  } while (bins[bin] != value);
}

__global__ void histogram(const unsigned *data, unsigned *result, int size) {
  __shared__ volatile unsigned bins[2 * kBins];
  for (unsigned i = threadIdx.x; i < 2 * kBins; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    count(bins + threadIdx.x / 32 * kBins, data[i] % kBins, threadIdx.x << 27);
    __syncwarp(__activemask());
  }
  __syncthreads();
  if (threadIdx.x < kBins) result[threadIdx.x] = (bins[threadIdx.x] & kMask) + (bins[threadIdx.x + kBins] & kMask);
}

int main() {
  const int size = 40000;
  std::vector<unsigned> data(size), right(kBins, 0);
  unsigned state = 1;
  for (unsigned &value : data) {
    state = state * 1664525u + 1013904223u;
    value = state >> 20;
    ++right[value % kBins];
  }
  unsigned *input = upload(data), *result = device_zeros<unsigned>(kBins);
  histogram<<<1, 64>>>(input, result, size);
  compare("bins", right, download(result, kBins));
  return 0;
}

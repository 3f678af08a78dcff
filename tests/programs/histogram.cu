// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / histogram
// Three histograms that must agree: global atomics, shared atomics merged at the end, and one private copy per thread.
#include "check.h"

const int kBins = 64;

__global__ void with_global(const unsigned char *input, unsigned *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&bins[input[i]], 1u);
}

__global__ void with_shared(const unsigned char *input, unsigned *bins, int n) {
  __shared__ unsigned local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&local[input[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], local[bin]);
}

__global__ void with_private(const unsigned char *input, unsigned *bins, int n) {
  extern __shared__ unsigned short counts[];
  for (int bin = 0; bin < kBins; ++bin) counts[bin * blockDim.x + threadIdx.x] = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    ++counts[input[i] * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned sum = 0;
    for (int thread = 0; thread < blockDim.x; ++thread) sum += counts[bin * blockDim.x + thread];
    atomicAdd(&bins[bin], sum);
  }
}

int main() {
  const int n = 20000;
  std::vector<unsigned char> input(n);
  std::vector<unsigned> want(kBins, 0);
  Lcg lcg{5};
  for (unsigned char &value : input) {
    value = static_cast<unsigned char>((lcg.below(kBins) * lcg.below(kBins)) / kBins);
    ++want[value];
  }
  unsigned char *device_input = upload(input);
  unsigned *bins = device_zeros<unsigned>(3 * kBins);
  with_global<<<8, 64>>>(device_input, bins, n);
  with_shared<<<5, 96>>>(device_input, bins + kBins, n);
  with_private<<<3, 48, kBins * 48 * sizeof(unsigned short)>>>(device_input, bins + 2 * kBins, n);
  compare("global", want, download(bins, kBins));
  compare("shared", want, download(bins + kBins, kBins));
  compare("private", want, download(bins + 2 * kBins, kBins));
  return 0;
}

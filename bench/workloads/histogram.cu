// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block counts in shared memory while its threads stride over the data, then adds its counts to the result.
#include "histogram.h"

const int kThreads = 256, kBlocks = 64;

__global__ void histogram(const unsigned char *data, int n, int *bins) {
  __shared__ int counts[Histogram::kBins];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&counts[data[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

int main(int argc, char **argv) {
  const bench::Settings settings(argc, argv);
  Histogram problem(settings);
  bench::DeviceArray<unsigned char> data(problem.data);
  bench::DeviceArray<int> bins(Histogram::kBins);
  return bench::measure(
      settings, problem.work(),
      [&] {
        BENCH_CUDA(cudaMemset(bins.data(), 0, bins.bytes()));
        histogram<<<kBlocks, kThreads>>>(data.data(), problem.count, bins.data());
        BENCH_CUDA(cudaDeviceSynchronize());
      },
      [&] { return problem.check(bins.to_host().data()); });
}

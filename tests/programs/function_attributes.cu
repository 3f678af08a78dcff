// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / function attributes, occupancy
// cudaFuncGetAttributes reports shared and constant memory and thread limits; occupancy answers are sane.
#include "check.h"

__global__ void plain(int *data) { *data = 1; }

__global__ void __launch_bounds__(96) with_shared(float *data) {
  __shared__ float cells[300];
  cells[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = cells[95 - threadIdx.x];
}

template <typename T>
__global__ void templated(T *data) {
  __shared__ T cells[64];
  cells[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = cells[63 - threadIdx.x];
}

int main() {
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, plain));
  std::printf("plain: shared %zu, threads %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
  std::printf("dynamic limit %d, version %s\n", attributes.maxDynamicSharedSizeBytes,
              attributes.ptxVersion >= 50 && attributes.binaryVersion >= 50 ? "ok" : "bad");
  CHECK(cudaFuncGetAttributes(&attributes, with_shared));
  std::printf("with_shared: shared %zu, threads %d\n", attributes.sharedSizeBytes, attributes.maxThreadsPerBlock);
  CHECK(cudaFuncGetAttributes(&attributes, templated<double>));
  std::printf("templated: shared %zu\n", attributes.sharedSizeBytes);
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK(cudaFuncGetAttributes(&attributes, plain));
  std::printf("dynamic limit %d\n", attributes.maxDynamicSharedSizeBytes);
  CHECK(cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared));
  CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));

  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 128, 0));
  std::printf("blocks %s\n", blocks >= 1 && blocks <= 64 ? "ok" : "bad");
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain, 0, 0));
  std::printf("potential %s\n", grid >= 1 && block >= 32 && block <= 1024 && block % 32 == 0 ? "ok" : "bad");
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, with_shared));
  std::printf("bounded %s\n", block >= 32 && block <= 96 ? "ok" : "bad");
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      &grid, &block, plain, [](int threads) { return threads * sizeof(int); }, 256));
  std::printf("limited %s\n", block >= 32 && block <= 256 ? "ok" : "bad");
  return 0;
}

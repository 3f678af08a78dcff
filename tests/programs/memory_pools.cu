// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / stream-ordered allocation, pools
// Stream-ordered allocation: cudaMallocAsync and cudaFreeAsync around kernels, the default pool, an own pool.
#include "check.h"

__global__ void fill(int *data, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = first + i;
}

int main() {
  const int n = 200;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  std::vector<int> got(n), want(n);
  for (int round = 0; round < 3; ++round) {
    int *data = nullptr;
    CHECK(cudaMallocAsync(&data, n * sizeof(int), stream));
    fill<<<4, 50, 0, stream>>>(data, n, round * 1000);
    CHECK(cudaMemcpyAsync(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i) want[i] = round * 1000 + i;
    compare("round", want, got);
  }
  cudaMemPool_t pool = nullptr;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 1 << 20, seen = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &seen));
  report("threshold", 1 << 20, static_cast<long long>(seen));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t own = nullptr;
  CHECK(cudaMemPoolCreate(&own, &properties));
  int *data = nullptr;
  CHECK(cudaMallocFromPoolAsync(&data, n * sizeof(int), own, stream));
  fill<<<4, 50, 0, stream>>>(data, n, 2000);
  CHECK(cudaFreeAsync(data, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaStreamDestroy(stream));
  std::printf("done\n");
  return 0;
}

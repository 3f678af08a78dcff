// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// feature: Language / one name for host and device code, each by __CUDA_ARCH__
//
// One name for host code and device code, of which each pass of the compiler sees one definition.
#include <cstdio>

#ifdef __CUDA_ARCH__
namespace tally {
template <class T>
static inline __device__ void add(T &total, T value) {
  atomicAdd(&total, value);
}
}  // namespace tally
#else
namespace tally {
template <class T>
inline void add(T &total, T value) {
  total += value;
}
}  // namespace tally
#endif

__global__ void count(int *total) { tally::add(*total, static_cast<int>(threadIdx.x)); }

int main() {
  int host = 1, *device, result = 0;
  tally::add(host, 2);
  cudaMalloc(&device, sizeof(int));
  cudaMemset(device, 0, sizeof(int));
  count<<<2, 64>>>(device);
  cudaMemcpy(&result, device, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host, result);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / cudaLaunchKernel
// cudaLaunchKernel with an array of argument pointers, template kernels, 64-bit and struct arguments, and a stream.
#include "check.h"

struct Range {
  int begin, end;
};

template <typename T>
__global__ void fill(T *data, Range range, double factor, char offset) {
  int i = range.begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < range.end) data[i] = static_cast<T>(i * factor) + offset;
}

__global__ void nothing() {}

__global__ void grid_shape(int *output) {
  extern __shared__ int cells[];
  cells[threadIdx.y * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x + threadIdx.y == 0) {
    int sum = 0;
    for (int i = 0; i < blockDim.x * blockDim.y; ++i) sum += cells[i];
    atomicAdd(output, sum + gridDim.x * 100 + gridDim.y * 10000);
  }
}

int main() {
  const int n = 50;
  int *data = device_zeros<int>(n), *shape = device_zeros<int>(1);
  Range range{5, 45};
  double factor = 2.5;
  char offset = -3;
  void *arguments[] = {&data, &range, &factor, &offset};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(&fill<int>), dim3(4), dim3(16), arguments, 0, nullptr));
  std::vector<int> want(n, 0);
  for (int i = 5; i < 45; ++i) want[i] = static_cast<int>(i * 2.5) - 3;
  compare("filled", want, download(data, n));
  CHECK(cudaLaunchKernel(nothing, dim3(1), dim3(1), nullptr, 0, nullptr));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  void *more[] = {&shape};
  CHECK(cudaLaunchKernel(grid_shape, dim3(2, 3), dim3(5, 4), more, 20 * sizeof(int), stream));
  CHECK(cudaStreamSynchronize(stream));
  report("shape", 6 * (20 + 200 + 30000), download(shape, 1)[0]);
  CHECK(cudaStreamDestroy(stream));
  return 0;
}

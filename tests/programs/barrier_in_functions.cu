// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / barriers in device functions
// Barriers inside nested device functions, one of them not inlined, called from a loop and through a template.
#include "check.h"

__device__ void share(int *cells, int value) {
  cells[threadIdx.x] = value;
  __syncthreads();
}

__device__ __noinline__ int neighbour_sum(int *cells, int value) {
  share(cells, value);
  int left = cells[threadIdx.x == 0 ? blockDim.x - 1 : threadIdx.x - 1];
  int right = cells[threadIdx.x == blockDim.x - 1 ? 0 : threadIdx.x + 1];
  __syncthreads();
  return left + right;
}

template <int kDepth>
struct Smooth {
  static __device__ int run(int *cells, int value) {
    return Smooth<kDepth - 1>::run(cells, neighbour_sum(cells, value) % 1009);
  }
};
template <>
struct Smooth<0> {
  static __device__ int run(int *, int value) { return value; }
};

__global__ void smooth(int *data) {
  __shared__ int cells[64];
  int value = data[threadIdx.x];
  for (int round = 0; round < 3; ++round) value = Smooth<4>::run(cells, value) + round;
  data[threadIdx.x] = value;
}

int main() {
  const int n = 50;
  std::vector<int> data = random_ints(n, 1000), want = data;
  for (int step = 0; step < 12; ++step) {
    std::vector<int> old = want;
    for (int i = 0; i < n; ++i)
      want[i] = (old[(i + n - 1) % n] + old[(i + 1) % n]) % 1009 + (step % 4 == 3 ? step / 4 : 0);
  }
  int *device = upload(data);
  smooth<<<1, n>>>(device);
  compare("smoothed", want, download(device, n));
  return 0;
}

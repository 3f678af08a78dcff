// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / block sizes that the text of a program does not show
// Every launch seems to have blocks of 256 or of 16 x 16 threads, and some have others: code that is made for what is
// seen must know.
#include "check.h"

void change(int &size, int by) { size = by; }

__global__ void number(int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * i;
}

__global__ void reverse(int *out) {
  __shared__ int s[1024];
  s[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void sum_warps(int *out) {
  int sum = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

__global__ void plane(int *out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = x + 1000 * y;
}

int main() {
  int number_wrong = 0, reverse_wrong = 0, sum_wrong = 0, plane_wrong = 0;
  int *out;
  CHECK(cudaMallocManaged(&out, 4096 * sizeof(int)));
  for (int by : {256, 32, 64, 96, 512, 1024}) {
    const int blocks = 3, n = blocks * by;
    int threads = 256;
    dim3 tile(16, 16), other(by / 32, 4, 2);
    change(threads, by);
    if (by != 256) std::swap(tile, other);
    number<<<blocks, threads>>>(out, n - 5);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n - 5; ++i) number_wrong += out[i] != 3 * i;
    reverse<<<blocks, threads>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) reverse_wrong += out[i] != i / by * by + by - 1 - i % by;
    sum_warps<<<blocks, threads>>>(out);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n / 32; ++i) sum_wrong += out[i] != 32 * 32 * i + 31 * 16;
    plane<<<dim3(2, 2), tile>>>(out, 2 * tile.x);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < int(4 * tile.x * tile.y); ++i)
      plane_wrong += out[i] != i % int(2 * tile.x) + 1000 * (i / int(2 * tile.x));
  }
  report("numbers", 0, number_wrong);
  report("reversed", 0, reverse_wrong);
  report("sums of warps", 0, sum_wrong);
  report("planes", 0, plane_wrong);
  return 0;
}

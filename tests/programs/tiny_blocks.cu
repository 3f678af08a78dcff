// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Launches / blocks of few threads
// Blocks of few threads: kernels that cannot tell which block a thread is in, and such as can.
#include "check.h"

__global__ void number(int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += 3 * i;
}

__global__ void stride(int *out, int n) {
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += i + 1;
}

__global__ void plane(int *out, int width, int height) {
  const size_t x = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] += static_cast<int>(x) + 1000 * y;
}

__global__ void own_block(int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += blockIdx.x * 100 + threadIdx.x + blockDim.x * 7;
}

__global__ void count_all(int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + i % 3, 1);
}

static int wrong = 0;

template <class Launch, class Expected>
void check(int n, Launch launch, Expected expected) {
  int *device;
  CHECK(cudaMallocManaged(&device, n * sizeof(int)));
  for (int i = 0; i < n; ++i) device[i] = 0;
  launch(device);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) wrong += device[i] != expected(i);
  CHECK(cudaFree(device));
}

int main() {
  for (const int block : {1, 2, 3, 8, 16, 24, 48, 100}) {
    for (const int grid : {1, 2, 7, 64, 97, 1000}) {
      const int n = block * grid, some = n - block / 2;
      check(n, [&](int *out) { number<<<grid, block>>>(out, some); }, [&](int i) { return i < some ? 3 * i : 0; });
      check(3 * n, [&](int *out) { stride<<<grid, block>>>(out, 3 * n); }, [](int i) { return i + 1; });
      check(
          n, [&](int *out) { own_block<<<grid, block>>>(out, n); },
          [&](int i) { return i / block * 100 + i % block + block * 7; });
      check(3, [&](int *out) { count_all<<<grid, block>>>(out); }, [&](int i) { return (n - i + 2) / 3; });
    }
  }
  for (const int across : {1, 6, 25}) {
    const int width = 4 * across - 1, height = 15;
    check(
        width * height, [&](int *out) { plane<<<dim3(across, 4), dim3(4, 4)>>>(out, width, height); },
        [&](int i) { return i % width + 1000 * (i / width); });
  }
  std::printf("%d values wrong\n", wrong);
}

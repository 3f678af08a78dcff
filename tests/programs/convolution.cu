// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / convolution
// A separable 2-D convolution with weights in constant memory: rows and columns through shared tiles with aprons.
#include "check.h"

const int kRadius = 4, kTileX = 24, kTileY = 8;
__constant__ int weights[2 * kRadius + 1];

__global__ void rows(const int *input, int *output, int width) {
  __shared__ int tile[kTileY][kTileX + 2 * kRadius];
  int x0 = blockIdx.x * kTileX - kRadius, y = blockIdx.y * kTileY + threadIdx.y;
  for (int x = threadIdx.x; x < kTileX + 2 * kRadius; x += blockDim.x)
    tile[threadIdx.y][x] = x0 + x >= 0 && x0 + x < width ? input[y * width + x0 + x] : 0;
  __syncthreads();
  int sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[threadIdx.y][threadIdx.x + k];
  output[y * width + x0 + kRadius + threadIdx.x] = sum;
}

__global__ void columns(const int *input, int *output, int width, int height) {
  __shared__ int tile[kTileY + 2 * kRadius][kTileX];
  int x = blockIdx.x * kTileX + threadIdx.x, y0 = blockIdx.y * kTileY - kRadius;
  for (int y = threadIdx.y; y < kTileY + 2 * kRadius; y += blockDim.y)
    tile[y][threadIdx.x] = y0 + y >= 0 && y0 + y < height ? input[(y0 + y) * width + x] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[threadIdx.y + k][threadIdx.x];
  output[(y0 + kRadius + threadIdx.y) * width + x] = sum;
}

int main() {
  const int width = 72, height = 40, n = width * height;
  const int taps[2 * kRadius + 1] = {1, -3, 7, 12, 20, 12, 7, -3, 1};
  CHECK(cudaMemcpyToSymbol(weights, taps, sizeof(taps)));
  std::vector<int> image = random_ints(n, 256), between(n, 0), want(n, 0);
  for (int i = 0; i < n; ++i)
    for (int k = -kRadius; k <= kRadius; ++k)
      if (i % width + k >= 0 && i % width + k < width) between[i] += taps[k + kRadius] * image[i + k];
  for (int i = 0; i < n; ++i)
    for (int k = -kRadius; k <= kRadius; ++k)
      if (i / width + k >= 0 && i / width + k < height) want[i] += taps[k + kRadius] * between[i + k * width];
  int *a = upload(image), *b = device_zeros<int>(n);
  dim3 grid(width / kTileX, height / kTileY), block(kTileX, kTileY);
  rows<<<grid, block>>>(a, b, width);
  compare("rows", between, download(b, n));
  columns<<<grid, block>>>(b, a, width, height);
  compare("columns", want, download(a, n));
  return 0;
}

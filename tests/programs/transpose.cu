// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / transpose
// Transposes of rectangles: naive, through a square tile, and through a padded tile with eight rows a thread column.
#include "check.h"

__global__ void naive(const int *input, int *output, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) output[x * height + y] = input[y * width + x];
}

template <int kTile, int kPad>
__global__ void tiled(const int *input, int *output, int width, int height) {
  __shared__ int tile[kTile][kTile + kPad];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += blockDim.y)
    if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = input[(y + row) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += blockDim.y)
    if (x < height && y + row < width) output[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

int main() {
  const int width = 70, height = 45, n = width * height;
  std::vector<int> input = random_ints(n, 1 << 24), want(n);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) want[x * height + y] = input[y * width + x];
  int *device_input = upload(input), *output = device_zeros<int>(n);
  naive<<<dim3(9, 6), dim3(8, 8)>>>(device_input, output, width, height);
  compare("naive", want, download(output, n));
  CHECK(cudaMemset(output, 0, n * sizeof(int)));
  tiled<16, 0><<<dim3(5, 3), dim3(16, 16)>>>(device_input, output, width, height);
  compare("tiled", want, download(output, n));
  CHECK(cudaMemset(output, 0, n * sizeof(int)));
  tiled<32, 1><<<dim3(3, 2), dim3(32, 8)>>>(device_input, output, width, height);
  compare("padded", want, download(output, n));
  return 0;
}

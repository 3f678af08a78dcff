// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / stencil 2d
// Ten Jacobi steps on a 2-D grid of integers, two buffers swapped between launches, tiles with a halo in shared memory.
#include "check.h"

const int kTile = 12;

__global__ void step(const int *from, int *to, int width, int height) {
  __shared__ int tile[kTile + 2][kTile + 2];
  int x = blockIdx.x * kTile + threadIdx.x - 1, y = blockIdx.y * kTile + threadIdx.y - 1;
  bool inside = x >= 0 && x < width && y >= 0 && y < height;
  tile[threadIdx.y][threadIdx.x] = inside ? from[y * width + x] : 0;
  __syncthreads();
  bool halo = threadIdx.x == 0 || threadIdx.y == 0 || threadIdx.x == kTile + 1 || threadIdx.y == kTile + 1;
  if (halo || !inside) return;
  to[y * width + x] = (tile[threadIdx.y - 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x] +
                       tile[threadIdx.y][threadIdx.x - 1] + tile[threadIdx.y][threadIdx.x + 1]) >>
                      2;
}

int main() {
  const int width = 50, height = 37, n = width * height;
  std::vector<int> now = random_ints(n, 1 << 20), next(n);
  int *from = upload(now), *to = device_zeros<int>(n);
  auto at = [&](int x, int y) { return x < 0 || y < 0 || x >= width || y >= height ? 0 : now[y * width + x]; };
  for (int round = 0; round < 10; ++round) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        next[y * width + x] = (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y)) >> 2;
    now.swap(next);
    dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile), block(kTile + 2, kTile + 2);
    step<<<grid, block>>>(from, to, width, height);
    int *swap = from;
    from = to;
    to = swap;
  }
  compare("after ten steps", now, download(from, n));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / game of life
// Conway's game of life on a torus for thirty generations, with bytes as cells and modular neighbours.
#include "check.h"

const int kWidth = 48, kHeight = 40;

__host__ __device__ unsigned char evolve(const unsigned char *cells, int x, int y) {
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) neighbours += cells[(y + dy + kHeight) % kHeight * kWidth + (x + dx + kWidth) % kWidth];
  return neighbours == 3 || (neighbours == 2 && cells[y * kWidth + x]);
}

__global__ void generation(const unsigned char *from, unsigned char *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWidth && y < kHeight) to[y * kWidth + x] = evolve(from, x, y);
}

int main() {
  const int n = kWidth * kHeight;
  std::vector<unsigned char> cells(n), next(n);
  Lcg lcg{2024};
  for (unsigned char &cell : cells) cell = lcg.below(3) == 0;
  unsigned char *from = upload(cells), *to = device_zeros<unsigned char>(n);
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < n; ++i) next[i] = evolve(cells.data(), i % kWidth, i / kWidth);
    cells.swap(next);
    generation<<<dim3(4, 7), dim3(12, 6)>>>(from, to);
    std::swap(from, to);
  }
  int alive = 0;
  for (unsigned char cell : cells) alive += cell;
  compare("cells", cells, download(from, n));
  std::printf("%d alive\n", alive);
  return 0;
}

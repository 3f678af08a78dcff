// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus. A block loads its tile and a border of one cell into shared memory, waits for all
// of it, then makes the next generation.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int kTile = 16;

__global__ void generation(const unsigned char *now, unsigned char *next, int width, int height) {
  __shared__ unsigned char cell[kTile + 2][kTile + 2];
  const int left = blockIdx.x * kTile - 1, top = blockIdx.y * kTile - 1;
  for (int y = threadIdx.y; y < kTile + 2; y += kTile) {
    for (int x = threadIdx.x; x < kTile + 2; x += kTile) {
      cell[y][x] = now[(top + y + height) % height * width + (left + x + width) % width];
    }
  }
  __syncthreads();

  const int column = left + 1 + threadIdx.x, row = top + 1 + threadIdx.y;
  if (column >= width || row >= height) return;
  int neighbours = -cell[threadIdx.y + 1][threadIdx.x + 1];
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) neighbours += cell[threadIdx.y + y][threadIdx.x + x];
  }
  bool alive = cell[threadIdx.y + 1][threadIdx.x + 1];
  next[row * width + column] = neighbours == 3 || (alive && neighbours == 2);
}

void print(const std::vector<unsigned char> &cells, int width) {
  for (size_t i = 0; i < cells.size(); ++i) {
    std::putchar(cells[i] ? '#' : '.');
    if ((i + 1) % width == 0) std::putchar('\n');
  }
}

int main(int argc, char **argv) {
  const int width = 32, height = 12;
  const int generations = argc > 1 ? std::atoi(argv[1]) : 24;
  std::vector<unsigned char> cells(width * height);
  const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
  for (const auto &[x, y] : glider) cells[y * width + x] = 1;

  unsigned char *now, *next;
  cudaMalloc(&now, cells.size());
  cudaMalloc(&next, cells.size());
  cudaMemcpy(now, cells.data(), cells.size(), cudaMemcpyHostToDevice);
  const dim3 block(kTile, kTile);
  const dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  for (int i = 0; i < generations; ++i) {
    generation<<<grid, block>>>(now, next, width, height);
    std::swap(now, next);
  }
  cudaError_t status = cudaMemcpy(cells.data(), now, cells.size(), cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return 1;
  }
  std::printf("after %d generations:\n", generations);
  print(cells, width);
  cudaFree(now);
  cudaFree(next);
  return 0;
}

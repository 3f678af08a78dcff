// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Threads / blocks of several rows whose threads share nothing
// Stencils on blocks of all shapes, whose rows may run as blocks of their own; grids of primes, of one row, with
// layers.
#include "check.h"

__global__ void stencil(float *next, const float *now, const int *odd, size_t rows, size_t columns) {
  size_t x = size_t(blockDim.x) * blockIdx.x + threadIdx.x, y = size_t(blockDim.y) * blockIdx.y + threadIdx.y;
  if (y >= rows || x >= columns) return;
  size_t i = y * columns + x;
  float sum = now[i];
  if (x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
    sum += now[i - 1] + now[i + 1] + now[i - columns] + now[i + columns];
  }
  next[i] = odd[i] ? sum * 0.5f : next[i] - sum;
}

__global__ void layers(int *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x < width && y < height) {
    out[(blockIdx.z * blockDim.z + threadIdx.z) * width * height + y * width + x] += x * 3 + y * 5 + threadIdx.z * 7;
  }
}

struct Shape {
  unsigned x, y;
};

void check_stencil(Shape block, unsigned rows, unsigned columns) {
  std::size_t count = std::size_t(rows) * columns;
  std::vector<float> now(count), next(count), want(count);
  std::vector<int> odd = random_ints(count, 2, rows);
  for (std::size_t i = 0; i < count; ++i) now[i] = i % 23 * 0.25f, next[i] = i % 5;
  for (unsigned y = 0; y < rows; ++y) {
    for (unsigned x = 0; x < columns; ++x) {
      std::size_t i = std::size_t(y) * columns + x;
      float sum = now[i];
      if (x > 0 && x < columns - 1 && y > 0 && y < rows - 1) {
        sum += now[i - 1] + now[i + 1] + now[i - columns] + now[i + columns];
      }
      want[i] = odd[i] ? sum * 0.5f : next[i] - sum;
    }
  }
  float *device = upload(next);
  dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  stencil<<<grid, dim3(block.x, block.y)>>>(device, upload(now), upload(odd), rows, columns);
  compare("stencil", want, download(device, count));
}

void check_layers(dim3 grid, dim3 block, int width, int height) {
  int depth = grid.z * block.z;
  std::vector<int> want(width * height * depth);
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) want[(z * height + y) * width + x] = x * 3 + y * 5 + z % int(block.z) * 7;
    }
  }
  int *device = device_zeros<int>(want.size());
  layers<<<grid, block>>>(device, width, height);
  compare("layers", want, download(device, want.size()));
}

int main() {
  for (Shape block : {Shape{16, 16}, {32, 8}, {8, 32}, {4, 4}, {64, 4}, {256, 2}, {1, 16}, {7, 9}, {1, 1}, {512, 2}}) {
    check_stencil(block, 67, 131);
    check_stencil(block, 64, 1024);
    check_stencil(block, 3, 16);
  }
  check_layers(dim3(6, 3, 2), dim3(16, 8, 4), 91, 23);
  check_layers(dim3(13, 2, 1), dim3(16, 16, 1), 200, 31);
  check_layers(dim3(16, 1, 3), dim3(16, 16, 2), 256, 16);
  check_layers(dim3(8, 40), dim3(32, 32), 250, 1279);
}

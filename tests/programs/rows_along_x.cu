// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Threads / x counts rows of a matrix, y its columns
// Threads in y lie side by side in memory, those in x far apart; blocks of all shapes, with parts outside of the
// matrix.
#include "check.h"

__global__ void columns(const float *a, const float *weights, float *c, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < width) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += a[(row + k) * width + column] * weights[k];
    if (sum > 3) {
      c[row * width + column] = sum;
    } else {
      c[row * width + column] += threadIdx.x * 100 + threadIdx.y + blockDim.x;
    }
  }
}

// Private arrays and an inner loop whose length threads in y disagree on.
__global__ void prefixes(const int *a, int *c, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  int kept[4] = {row, column, 1, 2};
  if (row >= rows || column >= width) return;
  for (int k = 0; k <= column % 7; ++k) kept[k & 3] += a[row * width + column - k % (column + 1)];
  c[row * width + column] = kept[0] + 3 * kept[1] + 5 * kept[2] + 7 * kept[3] + threadIdx.y;
}

struct Shape {
  unsigned x, y;
};

void check_columns(Shape block, int rows, int width) {
  std::vector<float> a((rows + 9) * width), weights(9), c(rows * width), want(rows * width);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = i % 17 * 0.125f;
  for (int i = 0; i < 9; ++i) weights[i] = i * 0.0625f;
  for (int i = 0; i < rows * width; ++i) {
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += a[i + k * width] * weights[k];
    c[i] = i % 7;
    want[i] = sum > 3 ? sum : c[i] + (i / width % block.x * 100 + i % width % block.y + block.x);
  }
  float *device = upload(c);
  dim3 grid((rows + block.x - 1) / block.x, (width + block.y - 1) / block.y);
  columns<<<grid, dim3(block.x, block.y)>>>(upload(a), upload(weights), device, rows, width);
  compare("columns", want, download(device, c.size()));
}

void check_prefixes(Shape block, int rows, int width) {
  std::vector<int> a = random_ints(rows * width, 1000), want(rows * width);
  for (int i = 0; i < rows * width; ++i) {
    int column = i % width, kept[4] = {i / width, column, 1, 2};
    for (int k = 0; k <= column % 7; ++k) kept[k & 3] += a[i - k % (column + 1)];
    want[i] = kept[0] + 3 * kept[1] + 5 * kept[2] + 7 * kept[3] + int(column % block.y);
  }
  int *device = device_zeros<int>(want.size());
  dim3 grid((rows + block.x - 1) / block.x, (width + block.y - 1) / block.y);
  prefixes<<<grid, dim3(block.x, block.y)>>>(upload(a), device, rows, width);
  compare("prefixes", want, download(device, want.size()));
}

int main() {
  for (Shape block : {Shape{16, 16}, {32, 8}, {8, 32}, {1, 64}, {4, 4}, {7, 9}, {3, 130}}) {
    check_columns(block, 77, 131);
    check_prefixes(block, 45, 67);
  }
}

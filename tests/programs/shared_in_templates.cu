// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / shared memory in templates
// Each instantiation of a template has its own static shared array; device functions share one with all their callers.
#include "check.h"

template <typename T, int kSize>
__device__ T *scratch() {
  __shared__ T cells[kSize];
  return cells;
}

template <typename T, int kSize>
__global__ void rotate(T *data) {
  T *cells = scratch<T, kSize>();
  T *others = scratch<T, kSize * 2>();
  for (int i = threadIdx.x; i < kSize; i += blockDim.x) {
    cells[i] = data[i];
    others[2 * i] = static_cast<T>(i);
    others[2 * i + 1] = static_cast<T>(-i);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kSize; i += blockDim.x)
    data[i] = cells[(i + 5) % kSize] * 2 + others[(i * 7) % (2 * kSize)];
}

struct Tile {
  int rows[4][9];
  struct {
    short key;
    double value;
  } pairs[6];
};

__global__ void use_struct(int *output) {
  __shared__ Tile tile;
  __shared__ int *pointer;
  int x = threadIdx.x, y = threadIdx.y;
  tile.rows[y][x] = x * 10 + y;
  if (x < 6 && y == 0) {
    tile.pairs[x].key = static_cast<short>(x + 1);
    tile.pairs[x].value = x * 0.5;
  }
  if (x == 0 && y == 0) pointer = &tile.rows[1][0];
  __syncthreads();
  output[y * 9 + x] =
      tile.rows[3 - y][8 - x] + tile.pairs[x % 6].key + static_cast<int>(tile.pairs[y].value * 4) + pointer[x] * 1000;
}

template <typename T, int kSize>
void test(const char *name) {
  std::vector<T> data(kSize), want(kSize);
  for (int i = 0; i < kSize; ++i) data[i] = static_cast<T>(i * i % 50);
  for (int i = 0; i < kSize; ++i) {
    int other = i * 7 % (2 * kSize);
    want[i] = data[(i + 5) % kSize] * 2 + static_cast<T>(other % 2 == 0 ? other / 2 : -(other / 2));
  }
  T *device = upload(data);
  rotate<T, kSize><<<1, 24>>>(device);
  compare(name, want, download(device, kSize));
}

int main() {
  test<int, 40>("int 40");
  test<double, 40>("double 40");
  test<short, 77>("short 77");
  std::vector<int> want(36);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 9; ++x) want[y * 9 + x] = (8 - x) * 10 + 3 - y + x % 6 + 1 + y * 2 + (x * 10 + 1) * 1000;
  int *output = device_zeros<int>(36);
  use_struct<<<1, dim3(9, 4)>>>(output);
  compare("struct", want, download(output, 36));
  return 0;
}

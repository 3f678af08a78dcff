// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / matmul
// Matrix products of rectangles: naive, tiled in shared memory, and in double precision with two outputs a thread.
#include "check.h"

template <typename T>
__global__ void naive(const T *a, const T *b, T *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  T sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

template <typename T, int kTile>
__global__ void tiled(const T *a, const T *b, T *c, int m, int n, int k) {
  __shared__ T tile_a[kTile][kTile], tile_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int first = 0; first < k; first += kTile) {
    int ka = first + threadIdx.x, kb = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : T(0);
    tile_b[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : T(0);
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

template <typename T>
__global__ void two_rows(const T *a, const T *b, T *c, int m, int n, int k) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * 2, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  T sums[2] = {0, 0};
  for (int i = 0; i < k; ++i) {
#pragma unroll
    for (int r = 0; r < 2; ++r)
      if (row + r < m) sums[r] += a[(row + r) * k + i] * b[i * n + column];
  }
  for (int r = 0; r < 2; ++r)
    if (row + r < m) c[(row + r) * n + column] = sums[r];
}

template <typename T>
void test(const char *name, int m, int n, int k) {
  std::vector<T> a(m * k), b(k * n), want(m * n);
  Lcg lcg{11};
  for (T &value : a) value = static_cast<T>(lcg.below(17) - 8);
  for (T &value : b) value = static_cast<T>(lcg.below(9) - 4);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      T sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
      want[row * n + column] = sum;
    }
  T *da = upload(a), *db = upload(b), *dc = device_zeros<T>(m * n);
  std::printf("%s %dx%dx%d\n", name, m, n, k);
  naive<<<dim3((n + 15) / 16, (m + 3) / 4), dim3(16, 4)>>>(da, db, dc, m, n, k);
  compare("naive", want, download(dc, m * n));
  CHECK(cudaMemset(dc, 0, m * n * sizeof(T)));
  tiled<T, 8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(da, db, dc, m, n, k);
  compare("tiled", want, download(dc, m * n));
  CHECK(cudaMemset(dc, 0, m * n * sizeof(T)));
  two_rows<<<dim3((n + 31) / 32, (m + 3) / 4), dim3(32, 2)>>>(da, db, dc, m, n, k);
  compare("two rows", want, download(dc, m * n));
}

int main() {
  test<float>("float", 33, 29, 40);
  test<double>("double", 16, 24, 8);
  test<int>("int", 7, 50, 13);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / lu cholesky
// LU and Cholesky factors of small double matrices, column by column with barriers, rounded to three digits.
#include "check.h"

const int kSize = 24;

__global__ void lu(double *a) {
  for (int k = 0; k < kSize; ++k) {
    for (int row = k + 1 + threadIdx.x; row < kSize; row += blockDim.x) a[row * kSize + k] /= a[k * kSize + k];
    __syncthreads();
    int rest = kSize - k - 1;
    for (int i = threadIdx.x; i < rest * rest; i += blockDim.x) {
      int row = k + 1 + i / rest, column = k + 1 + i % rest;
      a[row * kSize + column] -= a[row * kSize + k] * a[k * kSize + column];
    }
    __syncthreads();
  }
}

__global__ void cholesky(double *a) {
  __shared__ double diagonal;
  for (int k = 0; k < kSize; ++k) {
    if (threadIdx.x == 0) diagonal = a[k * kSize + k] = sqrt(a[k * kSize + k]);
    __syncthreads();
    for (int row = k + 1 + threadIdx.x; row < kSize; row += blockDim.x) a[row * kSize + k] /= diagonal;
    __syncthreads();
    for (int row = k + 1 + threadIdx.x; row < kSize; row += blockDim.x)
      for (int column = k + 1; column <= row; ++column)
        a[row * kSize + column] -= a[row * kSize + k] * a[column * kSize + k];
    __syncthreads();
  }
}

int main() {
  std::vector<double> a(kSize * kSize);
  Lcg lcg{44};
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j <= i; ++j) a[i * kSize + j] = a[j * kSize + i] = i == j ? 60.0 + i : lcg.below(5) - 2.0;
  std::vector<double> want = a;
  for (int k = 0; k < kSize; ++k)
    for (int i = k + 1; i < kSize; ++i) {
      want[i * kSize + k] /= want[k * kSize + k];
      for (int j = k + 1; j < kSize; ++j) want[i * kSize + j] -= want[i * kSize + k] * want[k * kSize + j];
    }
  double *device = upload(a);
  lu<<<1, 70>>>(device);
  compare_near("lu", want, download(device, want.size()), 1e-10);

  double *again = upload(a);
  cholesky<<<1, 16>>>(again);
  std::vector<double> factor = download(again, a.size()), product(a.size(), 0.0);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j)
      for (int k = 0; k <= std::min(i, j); ++k) product[i * kSize + j] += factor[i * kSize + k] * factor[j * kSize + k];
  compare_near("cholesky squared", a, product, 1e-10);
  return 0;
}

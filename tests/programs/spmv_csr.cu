// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / spmv csr
// Sparse matrix times vector in CSR: one thread a row, and one warp a row with a shuffle reduction.
#include "check.h"

__global__ void thread_per_row(int rows, const int *offsets, const int *columns, const double *values, const double *x,
                               double *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void warp_per_row(int rows, const int *offsets, const int *columns, const double *values, const double *x,
                             double *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (int i = offsets[row] + lane; i < offsets[row + 1]; i += warpSize) sum += values[i] * x[columns[i]];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 150, width = 400;
  std::vector<int> offsets{0}, columns;
  std::vector<double> values, x(width), want(rows, 0.0);
  Lcg lcg{6};
  for (double &value : x) value = lcg.below(200) / 4.0;
  for (int row = 0; row < rows; ++row) {
    for (int count = row % 10 == 0 ? 90 : lcg.below(12); count > 0; --count) {
      columns.push_back(lcg.below(width));
      values.push_back(lcg.below(64) / 8.0 - 4);
      want[row] += values.back() * x[columns.back()];
    }
    offsets.push_back(static_cast<int>(columns.size()));
  }
  int *device_offsets = upload(offsets), *device_columns = upload(columns);
  double *device_values = upload(values), *device_x = upload(x), *y = device_zeros<double>(rows);
  thread_per_row<<<3, 64>>>(rows, device_offsets, device_columns, device_values, device_x, y);
  compare("thread per row", want, download(y, rows));
  CHECK(cudaMemset(y, 0, rows * sizeof(double)));
  warp_per_row<<<(rows + 3) / 4, 128>>>(rows, device_offsets, device_columns, device_values, device_x, y);
  compare("warp per row", want, download(y, rows));
  return 0;
}

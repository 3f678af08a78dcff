// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void spmv(int rows, global const int *starts, global const int *columns, global const float *values,
                 global const float *x, global float *y) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0;
    int end = starts[row + 1];
    for (int i = starts[row]; i < end; ++i) sum += values[i] * x[columns[i]];
    y[row] = sum;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void sgemm(int n, global const float *a, global const float *b, global float *c) {
  local float tile_a[BLOCK_Y][BLOCK_X], tile_b[BLOCK_X][BLOCK_X];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_group_id(0) * BLOCK_X + x, row = get_group_id(1) * BLOCK_Y + y;
  float sum = 0;
  for (int start = 0; start < n; start += BLOCK_X) {
    tile_a[y][x] = a[row * n + start + x];
    for (int k = y; k < BLOCK_X; k += BLOCK_Y) tile_b[k][x] = b[(start + k) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < BLOCK_X; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define BLOCK 16

kernel void hotspot(int steps, global const float *power, global const float *from, global float *to, int columns,
                    int rows, float capacity, float x_rate, float y_rate, float z_rate, float ambient) {
  local float now[BLOCK][BLOCK], watts[BLOCK][BLOCK], next[BLOCK][BLOCK];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int inner = BLOCK - 2 * steps;
  const int left = inner * get_group_id(0) - steps, top = inner * get_group_id(1) - steps;
  const int x = left + tx, y = top + ty, index = columns * y + x;

  const bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
  if (inside) {
    now[ty][tx] = from[index];
    watts[ty][tx] = power[index];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const int first_x = left < 0 ? -left : 0, first_y = top < 0 ? -top : 0;
  const int last_x = min(BLOCK - 1, columns - 1 - left), last_y = min(BLOCK - 1, rows - 1 - top);
  const int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
  const int west = max(tx - 1, first_x), east = min(tx + 1, last_x);

  bool computed = false;
  for (int step = 0; step < steps; ++step) {
    computed = inside && tx >= step + 1 && tx <= BLOCK - step - 2 && ty >= step + 1 && ty <= BLOCK - step - 2;
    if (computed) {
      const float here = now[ty][tx];
      next[ty][tx] = here + capacity * (watts[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * here) * y_rate +
                                        (now[ty][east] + now[ty][west] - 2.0f * here) * x_rate +
                                        (ambient - here) * z_rate);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed) to[index] = next[ty][tx];
}

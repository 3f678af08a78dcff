// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TILE 16

int best(int diagonal, int left, int up) { return max(diagonal, max(left, up)); }

kernel void align(global const int *similarity, global int *scores, int columns, int gap, int first_x, int last_y) {
  local int score[TILE + 1][TILE + 1], similar[TILE][TILE];
  const int t = get_local_id(0), block = get_group_id(0);
  const int corner = (last_y - block) * TILE * columns + (first_x + block) * TILE;
  for (int y = 0; y < TILE; ++y) similar[y][t] = similarity[corner + (y + 1) * columns + t + 1];
  score[t + 1][0] = scores[corner + (t + 1) * columns];
  score[0][t + 1] = scores[corner + t + 1];
  if (t == 0) score[0][0] = scores[corner];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int diagonal = 0; diagonal < TILE; ++diagonal) {
    if (t <= diagonal) {
      int x = t + 1, y = diagonal - t + 1;
      score[y][x] = best(score[y - 1][x - 1] + similar[y - 1][x - 1], score[y][x - 1] - gap, score[y - 1][x] - gap);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int diagonal = TILE - 2; diagonal >= 0; --diagonal) {
    if (t <= diagonal) {
      int x = t + TILE - diagonal, y = TILE - t;
      score[y][x] = best(score[y - 1][x - 1] + similar[y - 1][x - 1], score[y][x - 1] - gap, score[y - 1][x] - gap);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < TILE; ++y) scores[corner + (y + 1) * columns + t + 1] = score[y + 1][t + 1];
}

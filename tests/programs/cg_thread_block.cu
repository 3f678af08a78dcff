// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / thread_block
// this_thread_block: rank, size, indices and sync in a 2-D block; groups as arguments of device functions.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int sum_over(const cg::thread_group &group, int *cells, int value) {
  int rank = group.thread_rank();
  for (int half = group.size() / 2; half > 0; half /= 2) {
    cells[rank] = value;
    group.sync();
    if (rank < half) value += cells[rank + half];
    group.sync();
  }
  return value;
}

__global__ void run(int *output, int *sums) {
  __shared__ int cells[64];
  cg::thread_block block = cg::this_thread_block();
  dim3 place = block.thread_index(), where = block.group_index();
  int i = where.x * 64 + block.thread_rank();
  output[i] = place.x + 100 * place.y + 10000 * where.x + 1000000 * (block.size() == 64);
  cg::sync(block);
  int sum = sum_over(block, cells, block.thread_rank() + where.x);
  if (block.thread_rank() == 0) sums[where.x] = sum;
}

int main() {
  const int blocks = 3;
  std::vector<int> want, want_sums;
  for (int b = 0; b < blocks; ++b) {
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 16; ++x) want.push_back(x + 100 * y + 10000 * b + 1000000);
    want_sums.push_back(63 * 64 / 2 + 64 * b);
  }
  int *output = device_zeros<int>(64 * blocks), *sums = device_zeros<int>(blocks);
  run<<<blocks, dim3(16, 4)>>>(output, sums);
  compare("ranks", want, download(output, want.size()));
  compare("sums", want_sums, download(sums, blocks));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / tiled_partition
// Tiles of 4, 8, 16 and 32 threads: ranks, shuffles, votes, match, sync, meta group; a tile-wide sum without barriers.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

template <int kSize>
__global__ void run(int *output) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<kSize> tile = cg::tiled_partition<kSize>(block);
  int value = block.thread_rank() * 3 + 1, sum = value;
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  int *mine = output + block.thread_rank() * 8;
  mine[0] = tile.shfl(sum, 0);
  mine[1] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
  mine[2] = tile.shfl_up(value, 1);
  mine[3] = tile.shfl_xor(value, 3);
  mine[4] = tile.ballot(tile.thread_rank() % 3 == 0);
  mine[5] = tile.any(value == 10) * 10 + tile.all(value > 0);
  mine[6] = tile.match_any(tile.thread_rank() / 2);
  tile.sync();
  mine[7] = tile.num_threads();
}

template <int kSize>
void test() {
  const int n = 96;
  std::vector<int> want(n * 8);
  for (int i = 0; i < n; ++i) {
    int rank = i % kSize, first = i - rank, *mine = &want[i * 8];
    for (int k = first; k < first + kSize; ++k) mine[0] += k * 3 + 1;
    mine[1] = rank + 100 * (i / kSize) + 10000 * (n / kSize);
    mine[2] = (rank == 0 ? i : i - 1) * 3 + 1;
    mine[3] = (first + (rank ^ 3)) * 3 + 1;
    for (int k = 0; k < kSize; k += 3) mine[4] |= 1 << k;
    mine[5] = (3 >= first && 3 < first + kSize) * 10 + 1;
    mine[6] = 3 << (rank / 2 * 2);
    mine[7] = kSize;
  }
  int *output = device_zeros<int>(want.size());
  run<kSize><<<1, n>>>(output);
  std::printf("%d ", kSize);
  compare("tiles", want, download(output, want.size()));
}

int main() {
  test<4>();
  test<8>();
  test<16>();
  test<32>();
  return 0;
}

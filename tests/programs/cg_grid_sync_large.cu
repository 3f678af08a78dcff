// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / grid.sync in more blocks than fit at once
// 2,000 blocks rotate an array twice, with values and shared memory that live across grid.sync(); what occupancy
// answers is that of the device. (A GPU refuses this launch: the program checks itself.)
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kBlocks = 2000, kThreads = 64;

__global__ void rotate(unsigned *data, unsigned *sums) {
  cg::grid_group grid = cg::this_grid();
  __shared__ unsigned kept[kThreads];
  unsigned rank = grid.thread_rank(), size = grid.size(), mine = threadIdx.y * blockDim.x + threadIdx.x;
  kept[mine] = data[rank];
  for (int round = 0; round < 2; ++round) {
    unsigned next = data[(rank + 1000) % size];
    grid.sync();
    data[rank] = next;
    grid.sync();
  }
  atomicAdd(&sums[blockIdx.x % 8], data[rank] - kept[mine]);
}

int main() {
  const int n = kBlocks * kThreads;
  std::vector<unsigned> input(n), want(n);
  for (int i = 0; i < n; ++i) input[i] = i * 2654435761u;
  for (int i = 0; i < n; ++i) want[i] = input[(i + 2000) % n];
  unsigned *data = upload(input), *sums = device_zeros<unsigned>(8);
  void *arguments[] = {&data, &sums};
  CHECK(cudaLaunchCooperativeKernel(rotate, dim3(kBlocks / 4, 2, 2), dim3(kThreads / 2, 2), arguments, 0, nullptr));
  compare("rotated", want, download(data, n));
  unsigned total = 0;
  for (unsigned sum : download(sums, 8)) total += sum;
  report("differences", 0, static_cast<int>(total));
  int blocks = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rotate, 1024, 0));
  report("occupancy", 2, blocks);
  finish();
  return 0;
}

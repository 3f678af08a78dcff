// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Cooperative groups / coalesced groups
// coalesced_threads in a branch: the group of the lanes there, its ranks, shuffles by rank, and one atomic for all.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int add_one(int *counter) {
  cg::coalesced_group group = cg::coalesced_threads();
  int first = 0;
  if (group.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(group.size()));
  return group.shfl(first, 0) + group.thread_rank();
}

__global__ void filter(const int *input, int *kept, int *counter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && input[i] % 4 == 1) kept[add_one(counter)] = input[i];
}

__global__ void whole(int *output) {
  cg::coalesced_group group = cg::coalesced_threads();
  output[threadIdx.x] = group.size() * 100 + group.thread_rank();
  group.sync();
  if (threadIdx.x < 12) {
    unsigned mask = __ballot_sync(0xfffu, threadIdx.x % 3 == 0);
    output[threadIdx.x] += 10000 * __popc(mask);
  }
}

int main() {
  const int n = 1000;
  std::vector<int> input = random_ints(n, 1 << 16), want;
  for (int value : input)
    if (value % 4 == 1) want.push_back(value);
  std::sort(want.begin(), want.end());
  int *kept = device_zeros<int>(n), *counter = device_zeros<int>(1);
  filter<<<8, 128>>>(upload(input), kept, counter, n);
  report("kept", static_cast<long long>(want.size()), download(counter, 1)[0]);
  std::vector<int> got = download(kept, want.size());
  std::sort(got.begin(), got.end());
  compare("values", want, got);
  std::vector<int> ranks(32);
  for (int i = 0; i < 32; ++i) ranks[i] = 3200 + i + (i < 12 ? 40000 : 0);
  int *output = device_zeros<int>(32);
  whole<<<1, 32>>>(output);
  compare("whole warp", ranks, download(output, 32));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / compaction
// Stream compaction that keeps order: ballot ranks within warps, a scan of warp counts, one block over all.
#include "check.h"

__global__ void compact(const int *input, int *output, int *count, int n) {
  __shared__ int warp_counts[8];
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool keep = i < n && input[i] % 3 == 0;
    unsigned kept = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) warp_counts[warp] = __popc(kept);
    __syncthreads();
    int place = done + __popc(kept & ((1u << lane) - 1));
    for (int w = 0; w < warp; ++w) place += warp_counts[w];
    if (keep) output[place] = input[i];
    __syncthreads();
    if (threadIdx.x == 0)
      for (int w = 0; w < blockDim.x / 32; ++w) done += warp_counts[w];
    __syncthreads();
  }
  if (threadIdx.x == 0) *count = done;
}

int main() {
  const int n = 3333;
  std::vector<int> input = random_ints(n, 10000), want;
  for (int value : input)
    if (value % 3 == 0) want.push_back(value);
  int *device_input = upload(input), *output = device_zeros<int>(n), *count = device_zeros<int>(1);
  compact<<<1, 256>>>(device_input, output, count, n);
  report("kept", static_cast<long long>(want.size()), download(count, 1)[0]);
  compare("values", want, download(output, want.size()));
  return 0;
}

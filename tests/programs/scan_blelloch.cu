// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / scan blelloch
// An exclusive Blelloch scan: up-sweep and down-sweep in shared memory, then block offsets added by a second kernel.
#include "check.h"

const int kBlock = 64;

__global__ void scan_blocks(const int *input, int *output, int *sums) {
  __shared__ int tree[2 * kBlock];
  int thread = threadIdx.x, base = blockIdx.x * 2 * kBlock, offset = 1;
  tree[2 * thread] = input[base + 2 * thread];
  tree[2 * thread + 1] = input[base + 2 * thread + 1];
  for (int active = kBlock; active > 0; active >>= 1) {
    __syncthreads();
    if (thread < active) tree[offset * (2 * thread + 2) - 1] += tree[offset * (2 * thread + 1) - 1];
    offset *= 2;
  }
  if (thread == 0) {
    sums[blockIdx.x] = tree[2 * kBlock - 1];
    tree[2 * kBlock - 1] = 0;
  }
  for (int active = 1; active <= kBlock; active *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thread < active) {
      int left = offset * (2 * thread + 1) - 1, right = offset * (2 * thread + 2) - 1;
      int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  output[base + 2 * thread] = tree[2 * thread];
  output[base + 2 * thread + 1] = tree[2 * thread + 1];
}

__global__ void add_offsets(int *output, const int *sums) {
  int offset = 0;
  for (int block = 0; block < blockIdx.x; ++block) offset += sums[block];
  output[blockIdx.x * blockDim.x + threadIdx.x] += offset;
}

int main() {
  const int blocks = 9, n = blocks * 2 * kBlock;
  std::vector<int> input = random_ints(n, 90), want(n);
  for (int i = 0, sum = 0; i < n; sum += input[i++]) want[i] = sum;
  int *device_input = upload(input), *output = device_zeros<int>(n), *sums = device_zeros<int>(blocks);
  scan_blocks<<<blocks, kBlock>>>(device_input, output, sums);
  add_offsets<<<blocks, 2 * kBlock>>>(output, sums);
  compare("exclusive scan", want, download(output, n));
  return 0;
}

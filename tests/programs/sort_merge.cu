// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sort merge
// A bottom-up merge sort: in each launch one thread merges two runs, or finds each key's place by binary search.
#include <algorithm>

#include "check.h"

__global__ void merge_runs(const int *from, int *to, int n, int run) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * run;
  if (begin >= n) return;
  int middle = min(begin + run, n), end = min(begin + 2 * run, n);
  int left = begin, right = middle;
  for (int k = begin; k < end; ++k)
    to[k] = left < middle && (right >= end || from[left] <= from[right]) ? from[left++] : from[right++];
}

__device__ int lower_bound(const int *keys, int begin, int end, int key, bool or_equal) {
  while (begin < end) {
    int middle = (begin + end) / 2;
    if (keys[middle] < key || (or_equal && keys[middle] == key))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

__global__ void place_keys(const int *from, int *to, int n, int run) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int begin = i / (2 * run) * (2 * run), middle = min(begin + run, n), end = min(begin + 2 * run, n);
  bool left = i < middle;
  int rank = left ? lower_bound(from, middle, end, from[i], false) - middle
                  : lower_bound(from, begin, middle, from[i], true) - begin;
  to[(left ? i : i - (middle - begin)) + rank] = from[i];
}

int main() {
  const int n = 700;
  std::vector<int> input = random_ints(n, 200), want = input;
  std::sort(want.begin(), want.end());
  for (int kernel = 0; kernel < 2; ++kernel) {
    int *from = upload(input), *to = device_zeros<int>(n);
    for (int run = 1; run < n; run *= 2, std::swap(from, to)) {
      if (kernel == 0)
        merge_runs<<<((n + 2 * run - 1) / (2 * run) + 31) / 32, 32>>>(from, to, n, run);
      else
        place_keys<<<(n + 63) / 64, 64>>>(from, to, n, run);
    }
    compare(kernel == 0 ? "serial merges" : "by rank", want, download(from, n));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / device function pointers
// Functions that are not inlined read the index of the thread that calls them, also where only a later part of a
// block's threads does.
#include "check.h"

__device__ int seen[96];
__device__ void mark(int k) { seen[threadIdx.x + 32 * threadIdx.y] += k; }
__device__ void (*volatile which)(int) = mark;
__device__ int depth(int n) { return n == 0 ? threadIdx.x + 1 : depth(n - 1) * 2 + depth(n / 2) - depth(0); }

__global__ void from(int n, int row) {
  if (threadIdx.x >= n && threadIdx.y > row) which(1);
}
__global__ void only(int n) {
  if (threadIdx.x == n) which(10);
}
__global__ void until(int n) {
  if (threadIdx.x < n) which(100);
}
__global__ void recursive(int n, int d) {
  if (threadIdx.x >= n) seen[threadIdx.x] = depth(d);
}

int main() {
  from<<<1, dim3(32, 3)>>>(5, 0);
  only<<<1, 64>>>(33);
  until<<<1, 64>>>(3);
  recursive<<<1, 32>>>(21, 3);
  int host[96];
  CHECK(cudaMemcpyFromSymbol(host, seen, sizeof host));
  for (int i = 0; i < 96; ++i) std::printf("%d%c", host[i], i % 32 == 31 ? '\n' : ' ');
}

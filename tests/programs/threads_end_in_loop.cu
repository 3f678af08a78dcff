// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / threads end in a loop with barriers
// Threads end one after another in a loop whose rounds take turns between barriers: those left agree on the turn.
#include <cstdio>

constexpr int THREADS = 64, GROUP = 8;

__global__ void end_in_turn(int *out, int rounds) {
  __shared__ int said;
  const int t = threadIdx.x;
  int total = 0;
  for (int i = 0; i < rounds; ++i) {
    if (t < GROUP * i) {
      out[t] = total;
      return;
    }
    if (i & 1) {
      if (t == THREADS - 1) said = i;
      __syncthreads();
      total += said;
      __syncthreads();
    } else {
      if (t == THREADS - 1) said = 10 * i + 1;
      __syncthreads();
      total = 2 * total + said;
      __syncthreads();
    }
  }
  out[t] = total;
}

int main() {
  int *out;
  cudaMallocManaged(&out, THREADS * sizeof(int));
  end_in_turn<<<1, THREADS>>>(out, THREADS / GROUP);
  cudaDeviceSynchronize();
  for (int group = 0; group < THREADS / GROUP; ++group) {
    int same = 0;
    for (int t = GROUP * group; t < GROUP * (group + 1); ++t) same += out[t] == out[GROUP * group];
    printf("%d threads: %d\n", same, out[GROUP * group]);
  }
  cudaFree(out);
  return 0;
}

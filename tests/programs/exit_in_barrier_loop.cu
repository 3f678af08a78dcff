// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that leave a loop with barriers read shared memory before they end; a barrier of the others waits for that.
#include "check.h"

__global__ void leave_early(unsigned *out, int rounds) {
  __shared__ unsigned cells[64];
  unsigned thread = threadIdx.x, global = blockIdx.x * blockDim.x + thread;
  cells[thread] = 1000 + thread;
  for (int round = 0; round < rounds; ++round) {
    if (thread >= 17 + 16 * round) {
      out[global] = cells[thread];
      return;
    }
    __syncthreads();
    if (thread == 3) cells[31] = cells[40] = 7;
    if (round > 0 && __syncthreads_count(thread & 1) == 0) break;
  }
  out[global] = thread == 3 ? cells[31] + 1 : 5;
}

int main() {
  const int blocks = 3, threads = 64;
  std::vector<unsigned> want(blocks * threads);
  for (int i = 0; i < blocks * threads; ++i) {
    int thread = i % threads;
    want[i] = thread >= 17 ? 1000 + thread : thread == 3 ? 8 : 5;
  }
  unsigned *out = device_zeros<unsigned>(blocks * threads);
  leave_early<<<blocks, threads>>>(out, 3);
  compare("exit in a barrier loop", want, download(out, blocks * threads));
  return 0;
}

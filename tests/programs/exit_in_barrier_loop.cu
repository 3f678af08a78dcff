// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / threads that leave a loop with barriers
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

// The condition to leave is the same for all threads that come to it, but not all come to it.
__global__ void leave_where_some_come(unsigned *out, int rounds, int flags) {
  __shared__ unsigned cells[64];
  unsigned thread = threadIdx.x, global = blockIdx.x * blockDim.x + thread;
  cells[thread] = 1000 + thread;
  for (int round = 0; round < rounds; ++round) {
    if (thread >= 48) {
      if (flags & 1) {
        out[global] = 1;
        return;
      }
    }
    __syncthreads();
    if (thread % 3 == 1) {
      if (flags & 2) {
        out[global] = cells[(thread + 1) % 64];
        return;
      }
    }
    __syncthreads();
    if (thread % 3 == 2) cells[thread] = 7;
  }
  out[global] = cells[thread];
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
  for (int i = 0; i < blocks * threads; ++i) {
    int thread = i % threads;
    want[i] = thread >= 48 ? 1 : thread % 3 == 1 ? 1001 + thread : thread % 3 == 2 ? 7 : 1000 + thread;
  }
  leave_where_some_come<<<blocks, threads>>>(out, 2, 3);
  compare("exit where some come", want, download(out, blocks * threads));
  return 0;
}

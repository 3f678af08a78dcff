// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / waiting for another thread
// One thread waits in a loop on a volatile flag that another sets: within a warp, across warps and across blocks.
#include "check.h"

__global__ void pass_on(volatile int *mailbox, volatile int *flags, int *output) {
  int thread = threadIdx.x, last = blockDim.x - 1;
  if (thread == last) {
    mailbox[0] = 1;
    __threadfence();
    flags[last] = 1;
  } else {
    while (flags[thread + 1] == 0) {
    }
    __threadfence();
    mailbox[0] = mailbox[0] + 1;
    output[thread] = mailbox[0];
    __threadfence();
    flags[thread] = 1;
  }
}

__global__ void produce_consume(volatile int *box, volatile int *turn, int *sum, int rounds) {
  if (threadIdx.x != 0) return;
  int got = 0;
  for (int round = 0; round < rounds; ++round) {
    while (*turn != blockIdx.x) {
    }
    __threadfence();
    if (blockIdx.x == 0)
      *box = round * round;
    else
      got += *box;
    __threadfence();
    *turn = 1 - blockIdx.x;
  }
  if (blockIdx.x == 1) *sum = got;
}

int main() {
  const int threads = 70;
  int *mailbox = device_zeros<int>(1), *flags = device_zeros<int>(threads), *output = device_zeros<int>(threads);
  pass_on<<<1, threads>>>(mailbox, flags, output);
  std::vector<int> want(threads, 0);
  for (int thread = 0; thread < threads - 1; ++thread) want[thread] = threads - thread;
  compare("chain", want, download(output, threads));
  report("mailbox", threads, download(mailbox, 1)[0]);
  int *box = device_zeros<int>(1), *turn = device_zeros<int>(1), *sum = device_zeros<int>(1);
  produce_consume<<<2, 32>>>(box, turn, sum, 20);
  report("consumed", 2470, download(sum, 1)[0]);
  return 0;
}

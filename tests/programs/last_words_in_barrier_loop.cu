// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Barriers and fences / what threads write that leave a loop with barriers
// Threads that leave a loop with barriers write shared memory before they end, in code that others come to later or by
// another way; behind the next barrier the others read it.
#include "check.h"

constexpr int kThreads = 64, kRounds = 4;

// All come to the code behind the loop, some of them early.
__global__ void behind_the_loop(int *out, int rounds) {
  __shared__ int cell;
  int thread = threadIdx.x;
  if (thread == 0) cell = 1;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (thread == 3) break;
    __syncthreads();
    out[round * kThreads + thread] = cell;
    __syncthreads();
  }
  if (thread == 3) cell = 42;
}

// `value` is the same for all threads that are in the inner loop, and not for those that have left it.
__global__ void by_two_ways(const int *in, int *out, int rounds) {
  __shared__ int cell;
  int thread = threadIdx.x;
  if (thread == 0) cell = 1;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    int value, at = 0;
    for (;;) {
      value = in[at];
      if (thread == 3) {
        if (value == 5) break;
      }
      if (++at == 20) break;
    }
    if (value == 5) {
      cell = 42;
      return;
    }
    __syncthreads();
    out[round * kThreads + thread] = cell;
    __syncthreads();
  }
}

// Who leaves the inner loop leaves the outer one, too.
__global__ void out_of_two_loops(const int *in, int *out, int rounds) {
  __shared__ int cell;
  int thread = threadIdx.x;
  if (thread == 0) cell = 1;
  __syncthreads();
  for (int outer = 0; outer < 2; ++outer) {
    for (int round = 0; round < rounds / 2; ++round) {
      if (in[thread] == 3) break;
      __syncthreads();
      out[(outer * rounds / 2 + round) * kThreads + thread] = cell;
      __syncthreads();
    }
    if (in[thread] == 3) {
      cell = 42 + outer;
      break;
    }
  }
}

int main() {
  std::vector<int> in(kThreads), want(kThreads * kRounds);
  for (int i = 0; i < kThreads; ++i) in[i] = i;
  for (int i = 0; i < kThreads * kRounds; ++i) want[i] = i % kThreads == 3 ? 0 : 42;
  const int *numbers = upload(in);
  int *out = device_zeros<int>(kThreads * kRounds);
  behind_the_loop<<<1, kThreads>>>(out, kRounds);
  compare("behind the loop", want, download(out, kThreads * kRounds));
  out = device_zeros<int>(kThreads * kRounds);
  by_two_ways<<<1, kThreads>>>(numbers, out, kRounds);
  compare("by two ways", want, download(out, kThreads * kRounds));
  out = device_zeros<int>(kThreads * kRounds);
  out_of_two_loops<<<1, kThreads>>>(numbers, out, kRounds);
  compare("out of two loops", want, download(out, kThreads * kRounds));
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / monte carlo pi
// Monte Carlo with a generator of our own in each thread's registers: hits in a quarter circle, counted in integers.
#include "check.h"

__host__ __device__ int hits_of(unsigned seed, int throws) {
  Lcg lcg{seed * 7919u + 17u};
  int hits = 0;
  for (int i = 0; i < throws; ++i) {
    unsigned long long x = lcg.next() >> 4, y = lcg.next() >> 4;
    hits += x * x + y * y < (1ull << 40);
  }
  return hits;
}

__global__ void throw_darts(unsigned long long *hits, int throws) {
  __shared__ unsigned block_hits;
  if (threadIdx.x == 0) block_hits = 0;
  __syncthreads();
  atomicAdd(&block_hits, static_cast<unsigned>(hits_of(blockIdx.x * blockDim.x + threadIdx.x, throws)));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(hits, static_cast<unsigned long long>(block_hits));
}

int main() {
  const int threads = 600, throws = 100;
  long long want = 0;
  for (int i = 0; i < threads; ++i) want += hits_of(i, throws);
  unsigned long long *hits = device_zeros<unsigned long long>(1);
  throw_darts<<<threads / 50, 50>>>(hits, throws);
  report("hits", want, static_cast<long long>(download(hits, 1)[0]));
  std::printf("pi is near %.2f\n", 4.0 * want / (threads * throws));
  return 0;
}

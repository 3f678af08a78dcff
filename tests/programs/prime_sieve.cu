// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / prime sieve
// The sieve of Eratosthenes: one thread a prime strikes out bytes, one launch for the segment, counts by block votes.
#include "check.h"

__global__ void strike(unsigned char *composite, int limit, int primes_to) {
  int p = blockIdx.x * blockDim.x + threadIdx.x + 2;
  if (p > primes_to) return;
  for (int d = 2; d * d <= p; ++d)
    if (p % d == 0) return;
  for (int multiple = p * p; multiple < limit; multiple += p) composite[multiple] = 1;
}

__global__ void count(const unsigned char *composite, int limit, int *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int here = __syncthreads_count(i >= 2 && i < limit && !composite[i]);
  if (threadIdx.x == 0) atomicAdd(total, here);
}

int main() {
  const int limit = 10000;
  std::vector<unsigned char> want(limit, 0);
  for (int p = 2; p < limit; ++p)
    for (int m = 2 * p; m < limit; m += p) want[m] = 1;
  unsigned char *composite = device_zeros<unsigned char>(limit);
  int *total = device_zeros<int>(1);
  strike<<<2, 64>>>(composite, limit, 100);
  count<<<(limit + 255) / 256, 256>>>(composite, limit, total);
  compare("composites", want, download(composite, limit));
  report("primes", 1229, download(total, 1)[0]);
  return 0;
}

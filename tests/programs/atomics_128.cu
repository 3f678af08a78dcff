// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atomicCAS and atomicExch of any type of 16 bytes that is aligned to as many: a pair is changed as a whole.
// feature: Atomics / compare and swap, exchange of 16 bytes
// arch: sm_90
#include "check.h"

struct alignas(16) Pair {
  unsigned long long sum;
  unsigned seen, last;
};

// Counts in both halves; a swap that was torn would lose one of them.
__device__ void add(Pair *place, unsigned value) {
  Pair old = *place, expected;
  do {
    expected = old;
    old = atomicCAS(place, expected, Pair{expected.sum + value, expected.seen + 1, expected.sum % 2 ? 1u : 0u});
  } while (old.sum != expected.sum || old.seen != expected.seen || old.last != expected.last);
}

__global__ void count(Pair *pairs, Pair *before) {
  __shared__ Pair block;
  if (threadIdx.x == 0) block = Pair{0, 0, 0};
  __syncthreads();
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  add(&block, id);
  add(&pairs[id % 3], id);
  __syncthreads();
  if (threadIdx.x == 5) before[blockIdx.x] = atomicExch(&pairs[3 + blockIdx.x], block);
}

int main() {
  const unsigned blocks = 4, threads = 100;
  std::vector<Pair> start(3 + blocks), want(3 + blocks), kept;
  for (unsigned i = 0; i < blocks; ++i) kept.push_back(start[3 + i] = Pair{i, 7 * i, 3});
  for (unsigned id = 0; id < blocks * threads; ++id)
    for (Pair *pair : {&want[id % 3], &want[3 + id / threads]}) pair->sum += id, ++pair->seen;
  Pair *pairs = upload(start), *before = device_zeros<Pair>(blocks);
  count<<<blocks, threads>>>(pairs, before);
  const std::vector<Pair> got = download(pairs, 3 + blocks), exchanged = download(before, blocks);
  int wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    wrong += want[i].sum != got[i].sum || want[i].seen != got[i].seen || got[i].last > 1;
  for (unsigned i = 0; i < blocks; ++i) wrong += std::memcmp(&kept[i], &exchanged[i], sizeof(Pair)) != 0;
  std::printf("pairs of 16 bytes: %d wrong\n", wrong);
  return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / values that only some lanes set
// Lanes bring values to shuffles and votes that they never set, and that nobody reads: NVIDIA's warp-aggregated atomic.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int by_group(int *count) {
  auto group = cg::coalesced_threads();
  int before;
  if (group.thread_rank() == 0) before = atomicAdd(count, static_cast<int>(group.size()));
  before = group.thread_rank() + group.shfl(before, 0);
  return before;
}

__device__ int by_mask(int *count) {
  const unsigned mask = __activemask();
  const int leader = __ffs(mask) - 1, lane = threadIdx.x % 32;
  int before;
  if (lane == leader) before = atomicAdd(count, __popc(mask));
  before = __shfl_sync(mask, before, leader);
  return before + __popc(mask & ((1u << lane) - 1));
}

template <int (*next)(int *)>
__global__ void filter(const int *in, int n, int *out, int *count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[next(count)] = in[i];
}

__device__ int passed(int value, int lane) { return __shfl_sync(0xffffffffu, value, lane); }

__global__ void votes(unsigned *out, const int *in) {
  const int t = threadIdx.x;
  bool p;
  int q;
  float f;
  if (t < 16) {
    p = in[t] > 0;
    q = in[t];
    f = static_cast<float>(q) * 2.f;
  }
  const unsigned half = 0xffff;
  const unsigned all = __ballot_sync(0xffffffffu, t < 16 ? p : false);
  const unsigned ballot = __ballot_sync(0xffffffffu, p);
  const int third = passed(q, 3), near = __shfl_xor_sync(0xffffffffu, q, 1);
  const float fifth = __shfl_sync(0xffffffffu, f, 5);
  unsigned low = 0;
  if (t < 16) low = __reduce_add_sync(half, static_cast<unsigned>(q));
  int sum = q;
  for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 16);
  if (t < 16)
    out[t] = (all & half) + 100 * (ballot & half) + third + static_cast<int>(fifth) + near + low + sum * (t == 0);
}

int main() {
  const int n = 1000;
  std::vector<int> values(n);
  int wanted = 0;
  long long total = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = (i * 7919) % 23 - 15;
    if (values[i] > 0) ++wanted, total += values[i];
  }
  int *in = upload(values), *out = device_zeros<int>(n);
  for (int way = 0; way < 2; ++way) {
    int *count = device_zeros<int>(1);
    if (way == 0) filter<by_group><<<8, 128>>>(in, n, out, count);
    if (way == 1) filter<by_mask><<<8, 128>>>(in, n, out, count);
    const int counted = download(count, 1)[0];
    long long sum = 0;
    const auto kept = download(out, n);
    for (int i = 0; i < counted && i < n; ++i) sum += kept[i];
    std::printf("%s: %d of %d, %lld of %lld\n", way == 0 ? "group" : "mask", counted, wanted, sum, total);
  }
  unsigned *bits = device_zeros<unsigned>(16);
  votes<<<1, 32>>>(bits, in);
  std::printf("votes:");
  for (unsigned each : download(bits, 16)) std::printf(" %u", each);
  std::printf("\n");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90
// feature: Inline PTX / clusters: barrier.cluster, mapa, shared::cluster, mbarriers of other blocks
//
// Blocks of a cluster of three add to each other's shared memory and arrive at each other's mbarriers.
#include "check.h"

using u32 = std::uint32_t;

__device__ u32 shared_address(const void *pointer) { return static_cast<u32>(__cvta_generic_to_shared(pointer)); }

__global__ void __cluster_dims__(3) pass_on(u32 *out) {
  __shared__ u32 sums[3];
  __shared__ unsigned long long barrier;
  u32 rank, size;
  asm("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(size));
  if (threadIdx.x < 3) sums[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(3 * blockDim.x));
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  for (u32 target = 0; target < size; ++target) {
    u32 place, theirs, owner;
    asm("mapa.shared::cluster.u32 %0, %2, %4; mapa.shared::cluster.u32 %1, %3, %4;"
        : "=r"(place), "=r"(theirs)
        : "r"(shared_address(sums + rank)), "r"(shared_address(&barrier)), "r"(target));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(place));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(place), "r"((owner + 1) * threadIdx.x));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs) : "memory");
  }
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra again; }" ::"r"(shared_address(&barrier))
      : "memory");
  if (threadIdx.x < 3) out[blockIdx.x * 3 + threadIdx.x] = sums[threadIdx.x];
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

int main() {
  constexpr u32 kThreads = 40, kBlocks = 6;
  u32 *out;
  CHECK(cudaMallocManaged(&out, kBlocks * 3 * sizeof *out));
  pass_on<<<kBlocks, kThreads>>>(out);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (u32 i = 0; i < kBlocks * 3; ++i) wrong += out[i] != (i / 3 % 3 + 1) * (kThreads * (kThreads - 1) / 2);
  std::printf("sums over the cluster: %d wrong\n", wrong);
  return 0;
}

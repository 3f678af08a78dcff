// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / copies and reductions in bulk, st.async and red.async, mbarriers that count bytes
// arch: sm_90
//
// Tiles come by bulk copies that an mbarrier waits for, change, and go back by a bulk copy and a bulk reduction. Blocks
// of a cluster write into each other's memory and are waited for by the bytes that they write.
#include "check.h"

typedef std::uint32_t u32;
constexpr u32 kThreads = 64, kTile = 128, kRounds = 5;

__device__ u32 shared_address(const void *pointer) { return static_cast<u32>(__cvta_generic_to_shared(pointer)); }
__device__ void init(unsigned long long *barrier, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void wait(unsigned long long *barrier, u32 parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      ".pragma \"nounroll\";\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__global__ void through_tiles(const u32 *in, u32 *out, u32 *total) {
  __shared__ alignas(128) u32 tiles[2][kTile];
  __shared__ alignas(128) u32 sums[kTile];
  __shared__ unsigned long long full[2];
  const u32 bytes = kTile * sizeof(u32);
  if (threadIdx.x == 0) {
    init(full, 1);
    init(full + 1, 1);
  }
  for (u32 i = threadIdx.x; i < kTile; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  for (u32 round = 0; round < kRounds; ++round) {
    const u32 at = round % 2, first = (blockIdx.x * kRounds + round) * kTile;
    if (threadIdx.x == 0) {
      // Bytes may come before they are expected.
      if (round != 3)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full + at)),
                     "r"(bytes)
                     : "memory");
      for (u32 half = 0; half < 2; ++half) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(tiles[at] + half * kTile / 2)),
                     "l"(in + first + half * kTile / 2), "r"(bytes / 2), "r"(shared_address(full + at))
                     : "memory");
      }
      if (round == 3) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(full + at)),
                     "r"(bytes)
                     : "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(full + at)) : "memory");
      }
    }
    wait(full + at, round / 2 % 2);
    for (u32 i = threadIdx.x; i < kTile; i += blockDim.x) {
      sums[i] += tiles[at][i];
      tiles[at][i] = tiles[at][i] * 3 + round;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + first),
                   "r"(shared_address(tiles[at])), "r"(bytes)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(total),
                 "r"(shared_address(sums)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

__global__ void __cluster_dims__(2) to_each_other(u32 *out) {
  __shared__ alignas(16) u32 slots[kThreads * 4];
  __shared__ u32 sum;
  __shared__ unsigned long long barrier;
  u32 rank, slot, their_sum, theirs;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    sum = 0;
    init(&barrier, 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
                 "r"(kThreads * (16 + 4))
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm("mapa.shared::cluster.u32 %0, %3, %6; mapa.shared::cluster.u32 %1, %4, %6; mapa.shared::cluster.u32 %2, %5, %6;"
      : "=r"(slot), "=r"(their_sum), "=r"(theirs)
      : "r"(shared_address(slots + threadIdx.x * 4)), "r"(shared_address(&sum)), "r"(shared_address(&barrier)),
        "r"(1 - rank));
  const u32 value = blockIdx.x * 1000 + threadIdx.x;
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %3}, [%4];" ::"r"(slot),
      "r"(value), "r"(value * 2), "r"(rank), "r"(theirs)
      : "memory");
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(their_sum),
      "r"(value), "r"(theirs)
      : "memory");
  wait(&barrier, 0);
  const u32 *const mine = slots + threadIdx.x * 4;
  out[blockIdx.x * kThreads + threadIdx.x] = mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7 + sum * 11;
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Sums of vectors, matrices in the order of modifiers that CUTLASS writes, and pairs of halfwords.
__global__ void others(float *sums, u32 *words) {
  __shared__ alignas(16) u32 rows[64];
  const u32 lane = threadIdx.x;
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %1, %3};" ::"l"(sums + lane % 4 * 4), "f"(1.0f + lane), "f"(0.5f),
               "f"(-2.0f)
               : "memory");
  u32 a = lane * 0x10001u, b = lane * 0x30005u + 7, c, d;
  asm volatile("stmatrix.sync.aligned.x2.m8n8.shared.b16 [%0], {%1, %2};" ::"r"(shared_address(rows + lane % 16 * 4)),
               "r"(a), "r"(b)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];"
               : "=r"(c), "=r"(d)
               : "r"(shared_address(rows + lane % 16 * 4))
               : "memory");
  u32 *const out = words + lane * 8;
  out[0] = c;
  out[1] = d;
  asm("max.s16x2 %0, %1, %2;" : "=r"(out[2]) : "r"(c - 0x00080008u), "r"(d - 0x4000u));
  asm("min.relu.s16x2 %0, %1, %2;" : "=r"(out[3]) : "r"(c - 0x00080008u), "r"(d));
  asm("min.u16x2 %0, %1, %2;" : "=r"(out[4]) : "r"(c - 0x00080008u), "r"(d));
  asm("add.u16x2 %0, %1, %2;" : "=r"(out[5]) : "r"(c | 0x8000u), "r"(d | 0x8000u));
  asm("max.relu.s32 %0, %1, %2;" : "=r"(out[6]) : "r"(lane - 20), "r"(lane - 24));
  asm("add.s16x2 %0, %1, %2;" : "=r"(out[7]) : "r"(c), "r"(d));
}

int main() {
  constexpr u32 kBlocks = 3, kWords = kBlocks * kRounds * kTile;
  std::vector<u32> in(kWords), want(kWords), totals(kTile);
  Lcg lcg{3};
  for (u32 i = 0; i < kWords; ++i) {
    in[i] = lcg.next();
    want[i] = in[i] * 3 + i / kTile % kRounds;
    totals[i % kTile] += in[i];
  }
  u32 *const out = device_zeros<u32>(kWords), *const total = device_zeros<u32>(kTile);
  through_tiles<<<kBlocks, kThreads>>>(upload(in), out, total);
  compare("tiles", want, download(out, kWords));
  compare("totals", totals, download(total, kTile));

  to_each_other<<<4, kThreads>>>(out);
  want.clear();
  for (u32 i = 0; i < 4 * kThreads; ++i) {
    const u32 block = i / kThreads ^ 1, value = block * 1000 + i % kThreads;
    const u32 sum = block * 1000 * kThreads + kThreads * (kThreads - 1) / 2;
    want.push_back(value + value * 2 * 3 + value * 5 + block % 2 * 7 + sum * 11);
  }
  compare("cluster", want, download(out, 4 * kThreads));

  float *const sums = device_zeros<float>(16);
  u32 *const words = device_zeros<u32>(32 * 8);
  others<<<1, 32>>>(sums, words);
  std::vector<float> all;
  for (int i = 0; i < 4; ++i) {
    const float first = 8.0f * 15 + static_cast<float>(i) * 8;  // 1 + lane of 8 lanes, 4 apart
    for (const float each : {first, 4.0f, first, -16.0f}) all.push_back(each);
  }
  compare("vectors", all, download(sums, 16));
  const auto pairs = [](auto each, u32 a, u32 b) {
    return (static_cast<u32>(each(a & 0xffff, b & 0xffff)) & 0xffff) | static_cast<u32>(each(a >> 16, b >> 16)) << 16;
  };
  const auto element = [](int row, int column, bool second) {  // of a matrix that was stored
    const u32 lane = row * 4 + column / 2, word = second ? lane * 0x30005u + 7 : lane * 0x10001u;
    return word >> column % 2 * 16 & 0xffff;
  };
  want.clear();
  for (int lane = 0; lane < 32; ++lane) {
    const int row = lane % 4 * 2, column = lane / 4;
    const u32 c = element(row, column, false) | element(row + 1, column, false) << 16;
    const u32 d = element(row, column, true) | element(row + 1, column, true) << 16;
    const auto s = [](u32 half) { return static_cast<int>(static_cast<std::int16_t>(half)); };
    want.push_back(c);
    want.push_back(d);
    want.push_back(pairs([&](u32 a, u32 b) { return std::max(s(a), s(b)); }, c - 0x00080008u, d - 0x4000u));
    want.push_back(pairs([&](u32 a, u32 b) { return std::max(0, std::min(s(a), s(b))); }, c - 0x00080008u, d));
    want.push_back(pairs([&](u32 a, u32 b) { return std::min(a, b); }, c - 0x00080008u, d));
    want.push_back(pairs([&](u32 a, u32 b) { return a + b; }, c | 0x8000u, d | 0x8000u));
    want.push_back(static_cast<u32>(std::max({0, lane - 20, lane - 24})));
    want.push_back(pairs([&](u32 a, u32 b) { return a + b; }, c, d));
  }
  compare("pairs", want, download(words, 32 * 8));
  return 0;
}

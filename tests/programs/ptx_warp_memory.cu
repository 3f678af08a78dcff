// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90
// feature: Inline PTX / warps, barriers, memory
// Inline PTX that meets other threads: warp instructions under partial masks, barriers with numbers, memory in all its
// spaces, asynchronous copies, fragments of matrices. Everything is checked against the host.
#include <cuda_fp16.h>

#include "check.h"

using u32 = std::uint32_t;
using u64 = std::uint64_t;

static void report(const char *name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "WRONG"); }

__device__ u32 shared_address(const void *pointer) {
  u32 address;
  asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(address) : "l"(pointer));
  return address;
}

// Lanes 0 to 2 of each 5 take part.
__global__ void warp_words(u32 *out, u32 members) {
  const u32 lane = threadIdx.x % 32;
  u32 *mine = out + threadIdx.x * 12;
  if (!(members >> lane & 1)) return;
  const u32 value = lane * lane + 7;
  u32 up, down, flip, fixed, pred;
  asm volatile("shfl.sync.up.b32 %0, %1, 2, 0, %2;" : "=r"(up) : "r"(value), "r"(members));
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 3, 0x181f, %3; selp.u32 %1, 1, 0, p; }"
               : "=r"(down), "=r"(pred)
               : "r"(value), "r"(members));
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, %2;" : "=r"(flip) : "r"(value), "r"(members));
  asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x1f, %2;" : "=r"(fixed) : "r"(value), "r"(members));
  u32 ballot, any, all, same, sum, most, active, leader, elected;
  asm volatile(
      "{ .reg .pred p, q; setp.gt.u32 p, %3, 100; vote.sync.ballot.b32 %0, p, %4; vote.sync.any.pred q, p, %4;"
      " selp.u32 %1, 1, 0, q; vote.sync.all.pred q, !p, %4; selp.u32 %2, 1, 0, q; }"
      : "=r"(ballot), "=r"(any), "=r"(all)
      : "r"(value), "r"(members));
  asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(same) : "r"(lane % 4), "r"(members));
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(sum) : "r"(value), "r"(members));
  asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(most) : "r"(100 - value), "r"(members));
  asm volatile("activemask.b32 %0;" : "=r"(active));
  asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
               : "=r"(leader), "=r"(elected)
               : "r"(members));
  const u32 results[12] = {up, down, pred, flip, fixed, ballot, any, all, same, sum, most, leader * 2 + elected};
  for (int i = 0; i < 12; ++i) mine[i] = results[i];
  (void)active;
}

static bool check_warp(const std::vector<u32> &out, u32 members) {
  bool right = true;
  auto in = [&](u32 lane) { return lane < 32 && (members >> lane & 1); };
  auto value = [](u32 lane) { return lane * lane + 7; };
  u32 ballot = 0, sum = 0, leader = static_cast<u32>(__builtin_ctz(members));
  for (u32 l = 0; l < 32; ++l) {
    if (in(l) && value(l) > 100) ballot |= 1u << l;
    if (in(l)) sum += value(l);
  }
  for (u32 l = 0; l < 32; ++l) {
    const u32 *mine = &out[l * 12];
    if (!in(l)) continue;
    u32 same = 0;
    for (u32 k = 0; k < 32; ++k) same |= in(k) && k % 4 == l % 4 ? 1u << k : 0;
    // A source that does not take part has no defined value: only defined ones are checked.
    if (l < 2 || in(l - 2)) right &= mine[0] == value(l < 2 ? l : l - 2);
    const bool inside = l + 3 <= (l | 7);
    if (!inside || in(l + 3)) right &= mine[1] == value(inside ? l + 3 : l);
    right &= mine[2] == inside;
    if (in(l ^ 1)) right &= mine[3] == value(l ^ 1);
    if (in(5)) right &= mine[4] == value(5);
    right &= mine[5] == ballot && mine[6] == (ballot != 0) && mine[7] == (ballot == 0) && mine[8] == same;
    right &= mine[9] == sum && mine[10] == 100 - value(leader) && mine[11] == leader * 2 + (l == leader);
  }
  return right;
}

// Two pairs of warps meet at barriers of their own; producers arrive, consumers wait.
__global__ void barriers(u32 *out) {
  __shared__ u32 box[128];
  __shared__ u32 sum;
  const u32 t = threadIdx.x, half = t / 64;
  if (t == 0) sum = 0;
  box[t] = t * 3 + blockIdx.x;
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  const u32 other = box[half * 64 + (t + 17) % 64];
  u32 count;
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }" : "=r"(count) : "r"(t) : "memory");
  box[t] = 1000 + t;
  if (half == 0) {
    asm volatile("bar.arrive 3, 128;" ::: "memory");
    out[blockIdx.x * 128 + t] = other + count;
  } else {
    asm volatile("barrier.sync 3, 128;" ::: "memory");
    out[blockIdx.x * 128 + t] = other + count + box[t - 64];
  }
}

__global__ void memory(const u32 *in, u32 *out, u64 *sums, u32 *flag) {
  __shared__ alignas(16) u32 tile[256];
  const u32 t = threadIdx.x, address = shared_address(tile);
  u32 a, b, c, d;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(in + 4 * t));
  asm volatile(
      "st.shared.v2.u32 [%0+8], {%1, %2}; st.shared.u32 [%0], %3; st.shared.u16 [%0+4], %4;"
      " st.shared.u16 [%0+6], %5;" ::"r"(address + 16 * t),
      "r"(c), "r"(d), "r"(a), "h"((unsigned short)b), "h"((unsigned short)(b >> 16))
      : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  u32 s8, shared, global;
  asm volatile("ld.shared.s8 %0, [%1+3];" : "=r"(s8) : "r"(address + 16 * (63 - t)));
  asm volatile("ld.volatile.global.u32 %0, [%1+4];" : "=r"(global) : "l"(in + 4 * t));
  // A copy of 16 bytes, of which only `t % 17` come from the source, and one that is left out.
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile(
      "{ .reg .pred p; setp.eq.u32 p, %3, 1; cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
      " @p cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group; cp.async.wait_group 0; }" ::"r"(address +
                                                                                                           16 * t),
      "l"(in + 4 * t), "r"(t % 17), "r"(t % 3)
      : "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  shared = 0;
  for (int i = 0; i < 4; ++i) shared = shared * 31 + tile[((t + 1) % 64) * 4 + i];
  u32 is_shared;
  asm("{ .reg .pred p, q; isspacep.shared p, %1; isspacep.global q, %2; and.pred p, p, q; selp.u32 %0, 1, 0, p; }"
      : "=r"(is_shared)
      : "l"(tile), "l"(in));
  u64 old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(sums), "l"((u64)t << 30) : "memory");
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(flag), "r"(t * 5) : "memory");
  asm volatile("red.global.or.b32 [%0+4], %1;" ::"l"(flag), "r"(1u << t % 32) : "memory");
  u32 seen;
  asm volatile("atom.cas.b32 %0, [%1+8], 77, 78;" : "=r"(seen) : "l"(flag) : "memory");
  asm volatile("fence.acq_rel.gpu; membar.gl;" ::: "memory");
  out[t] = s8 + global + shared + is_shared;
  (void)seen;
}

__global__ void product(const __half *a, const __half *b, float *d) {
  __shared__ alignas(16) __half tile[16 * 16];
  const u32 lane = threadIdx.x;
  for (u32 i = lane; i < 256; i += 32) tile[i] = a[i];
  __syncwarp();
  u32 f[4], g[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
               : "r"(shared_address(tile + (lane % 16) * 16 + lane / 16 * 8)));
  __syncwarp();
  for (u32 i = lane; i < 128; i += 32) tile[i] = b[i];
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(g[0]), "=r"(g[1])
               : "r"(shared_address(tile + (lane % 16) * 8)));
  float c[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"
      " {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
  for (u32 i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
}

__global__ void special(u32 *out) {
  u32 r[8];
  asm("mov.u32 %0, %tid.x; mov.u32 %1, %ctaid.x; mov.u32 %2, %ntid.x; mov.u32 %3, %nctaid.x;"
      " mov.u32 %4, %laneid; mov.u32 %5, %warpid; mov.u32 %6, %lanemask_lt; mov.u32 %7, %lanemask_ge;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]));
  r[5] = r[5] == __shfl_sync(~0u, r[5], 0);  // a warp's number is its place on a processor
  u32 sum = 0;
  for (int i = 0; i < 8; ++i) sum = sum * 7 + r[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x % 2) asm volatile("exit;" ::: "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void test_memory() {
  std::vector<u32> in(256);
  Lcg lcg{5};
  for (u32 &word : in) word = lcg.next() << 8 ^ lcg.next();
  u32 *out = device_zeros<u32>(64), *flag = upload(std::vector<u32>{0, 0, 77});
  u64 *sums = device_zeros<u64>(1);
  memory<<<1, 64>>>(upload(in), out, sums, flag);
  const std::vector<u32> got = download(out, 64), flags = download(flag, 3);
  bool right = download(sums, 1)[0] == (2016ull << 30) && flags[0] == 315 && flags[1] == ~0u && flags[2] == 78;
  std::vector<u32> tile(256);
  for (u32 t = 0; t < 64; ++t) {
    std::memcpy(&tile[4 * t], &in[4 * t], t % 17 < 16 ? t % 17 : 16);
    if (t % 3 == 1) tile[4 * t] = in[4 * t];
  }
  for (u32 t = 0; t < 64; ++t) {
    const u32 s8 = static_cast<u32>(static_cast<int>(in[4 * (63 - t)]) >> 24);
    u32 shared = 0;
    for (int i = 0; i < 4; ++i) shared = shared * 31 + tile[(t + 1) % 64 * 4 + i];
    right &= got[t] == s8 + in[4 * t + 1] + shared + 1;
  }
  report("memory", right);
}

static void test_product() {
  std::vector<__half> a(256), b(128);
  for (int i = 0; i < 256; ++i) a[i] = __float2half(static_cast<float>(i * 7 % 23 - 11));
  for (int i = 0; i < 128; ++i) b[i] = __float2half(static_cast<float>(i * 5 % 19 - 9));
  float *d = device_zeros<float>(128);
  product<<<1, 32>>>(upload(a), upload(b), d);
  const std::vector<float> got = download(d, 128);
  bool right = true;
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      float sum = static_cast<float>(1 + column % 2 + row / 8 * 2);
      for (int k = 0; k < 16; ++k) sum += __half2float(a[row * 16 + k]) * __half2float(b[k * 8 + column]);
      right &= got[row * 8 + column] == sum;
    }
  }
  report("mma", right);
}

int main() {
  for (const u32 members : {0xffffffffu, 0x739ce739u, 0x00ff00f0u}) {
    u32 *out = device_zeros<u32>(32 * 12);
    warp_words<<<1, 32>>>(out, members);
    report("warp", check_warp(download(out, 32 * 12), members));
  }
  u32 *out = device_zeros<u32>(256);
  barriers<<<2, 128>>>(out);
  std::vector<u32> got = download(out, 256);
  bool right = true;
  for (u32 i = 0; i < 256; ++i) {
    const u32 t = i % 128, source = t / 64 * 64 + (t + 17) % 64;
    right &= got[i] == source * 3 + i / 128 + 40 + (t < 64 ? 0 : 1000 + t - 64);
  }
  report("barriers", right);
  test_memory();
  test_product();
  special<<<2, 96>>>(out);
  got = download(out, 192);
  right = true;
  for (u32 i = 0; i < 192; ++i) {
    const u32 t = i % 96, lane = t % 32, below = (1u << lane) - 1;
    u32 sum = 0;
    for (const u32 word : {t, i / 96, 96u, 2u, lane, 1u, below, ~below}) sum = sum * 7 + word;
    right &= got[i] == sum + (t % 2 == 0);
  }
  report("special", right);
  return 0;
}

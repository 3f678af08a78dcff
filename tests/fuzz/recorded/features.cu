// Random kernels of kind features; features.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include "launches.cuh"

#include "prelude.cuh"

__global__ void k1488(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ f32 s0[1 * THREADS];
  f64 *y0 = (f64 *)(own + total * 0u);
  f32 g0 = f32(((const i32 *)in)[u32(((const i32 *)in)[u32(3248549768u) % 1024u]) % 1024u]);
  f32 u1 = ((0.0f - g0) + f32(((const i32 *)in)[whole<u32>(g0) % 1024u]));
  f32 v2 = f32(u64(u64(whole<u64>(g0)) | u64(whole<u64>(g0))));
  u32 v3 = whole<u32>(v2);
  f32 v4 = f32(v3);
  u64 v5 = whole<u64>(u1);
  f64 w6 = f64(((const i16 *)in)[u32(((const u64 *)in)[whole<u32>(g0) % 512u]) % 2048u]);
  s0[tid * 1u + 0u] = f32(gid * u32(1164817067u));
  v5 = u64(32ull);
  s0[tid * 1u + 0u] = 3.25f;
  u1 = f32(__syncthreads_and(((u32(u32(block) ^ u32(v3)) & 1) != 0)));
  s0[tid * 1u + 0u] = f;
  s0[tid * 1u + 0u] = f32(y0[i32(gid + 0 * total)]);
  if ((u32(__brev(u32(whole<u32>(u1) >> 1))) != u32(u32(whole<u32>(f)) | u32(whole<u32>(u1))))) {
    {
      u32 some = __ballot_sync(0xffffffffu, ((whole<u32>(w6) & 4) != 0));
      if (some >> lane & 1u) {
        v3 = from_lane<u32>(some, some, lane, ((i16(lane) >= i16(v5)) ? threadIdx.y : u32(1u)), u32(whole<u64>(f)), 8);
      }
    }
    s0[tid * 1u + 0u] = f32(remainder_of<u8>(whole<u8>(v2), whole<u8>(v2)));
    u1 = f32(__syncthreads_count(((u8(block) < u8(31u)) || (v3 == whole<u32>(g0)))));
    seen = mixed(seen, bits(s0[((tid + 32u) % threads) * 1u + 0u]));
    {
      __shared__ u32 list0[64], list0_count, list0_places;
      for (u32 i = tid; i < 64u; i += threads) list0[i] = 0;
      if (tid == 0) list0_count = list0_places = 0;
      __syncthreads();
      if ((ptx_funnel(tid, whole<u32>(g0), whole<u32>(g0)) & 3u) != 0u) {
      u32 place = atomicAdd(&list0_count, 1u);
      atomicAdd(&list0[place / 1u % 64u], ptx_find(u32(u32(whole<u32>(v4)) ^ u32(u32(31u)))));
      atomicAdd(&list0_places, place * place);
      }
      __syncthreads();
      u32 all = list0_count ^ list0_places;
      for (u32 i = 0; i < 64u; ++i) all += list0[i];
      seen = mixed(seen, all);
      __syncthreads();
    }
    seen = mixed(seen, bits(s0[((tid + 33u) % threads) * 1u + 0u]));
    __syncthreads();
    s0[tid * 1u + 0u] = u1;
    u1 = g0;
  }
  {
    __shared__ volatile u32 sync1[64 * 8];
    volatile u32 *minesync1 = sync1 + warp * 64u;
    minesync1[lane + 32u] = lane;
    minesync1[lane] = v3;
    minesync1[lane] = minesync1[lane] | minesync1[lane + 16u];
    minesync1[lane] = minesync1[lane] | minesync1[lane + 8u];
    minesync1[lane] = minesync1[lane] | minesync1[lane + 4u];
    minesync1[lane] = minesync1[lane] | minesync1[lane + 2u];
    minesync1[lane] = minesync1[lane] | minesync1[lane + 1u];
    v5 = u64(minesync1[0]);
    __syncwarp();
  }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(w6));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1489(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 *y0 = (u64 *)(own + total * 0u);
  int4 *y1 = (int4 *)(own + total * 32u);
  u32 g0 = u32(u32(((u8(blockDim.x) < u8(threads)) ? blockDim.x : u32(2147483648u))) - u32(u32(((const i32 *)in)[a % 1024u])));
  f32 u1 = f32(((const i16 *)in)[g0 % 2048u]);
  i32 v2 = shifted_right<i32>(i32(u32(i32(g0)) + u32(whole<i32>(u1))), u32(u32(u32(7u)) ^ u32(a)));
  i32 v3 = i32(u32(i32(u32(i32(lane)) - u32(whole<i32>(u1)))) ^ u32(((const i32 *)in)[g0 % 1024u]));
  i16 v4 = ((const i16 *)in)[u32(gid + u8(2u)) % 2048u];
  u8 v5 = u8(255u);
  f32 w6 = f32(((const i32 *)in)[u32(3u) % 1024u]);
  {
    __shared__ volatile u32 sync0[64 * 8];
    volatile u32 *minesync0 = sync0 + warp * 64u;
    minesync0[lane + 32u] = lane;
    minesync0[lane] = u32(__popc(u32(u32(__clz(u32(u32(v4) >> 1))) >> 1)));
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 16u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 8u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 4u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 2u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 1u];
    v4 = i16(minesync0[0]);
    __syncwarp();
  }
  { u32 c1 = 0; do {
    v4 = i16(u32(i16(u32(i16(v2)) + u32(whole<i16>(f)))) + u32(i16(u32(whole<i16>(w6)) | u32(i16(v2)))));
    if ((i32(u32(i32(threadIdx.z)) & u32(i32(v5))) < i32(threadIdx.z))) {
      for (i32 c2 = i32(u32(u32(y0[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + (u32(c1) % 3u))])) % 5u); c2 > 0; c2 -= 1) {
        switch (g0 % 4u) { case 0: {
          y0[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + 2)] = settled(y0[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + (u32(c1) % 3u))]);
          v3 = i32(u32(__brev(u32(whole<u32>(u1) >> 1))));
        } break; case 2: {
          atomicXor(&counters[n % 64u], called(u32(((const i32 *)in)[u32(v4) % 1024u]), threadIdx.z, whole<u32>(texel(g0))));
        } break; default: {
          y0[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + 2)] = settled(whole<u64>(texel_of_four(u32(u32(whole<u32>(f)) * u32(u32(c2))), ptx_select(whole<u32>(w6), u32(v3)))));
        } break; }
        atomicAdd((f32 *)counters + 80u + u32(2147483648u) % 16u, f32(63 & (i32(v4))) * f32(-0.5));
      }
      v4 = i16(y1[i64((gid + 3u) % total * 2u + (u32(c1) % 2u))].x);
    } else {
      {
        int4 all = y1[i64((gid + 3u) % total * 2u + 0)];
        all.y = settled(i32(whole<i8>(u1)));
        all.z = settled(i32(u32(i32(2u)) - u32(i32(((const u64 *)in)[tid % 512u]))));
        all.w = settled(i32(blockIdx.x));
        y1[i64((gid + 3u) % total * 2u + 0)] = all;
      }
    }
    v2 = v2;
  } while (++c1 < 4u && (i16(u32(v4) ^ u32(i16(v2))) <= i16(ptx_saturate(i32(255u), whole<i32>(u1))))); }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(w6));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1490(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ i16 s0[1 * THREADS];
  u8 *y0 = (u8 *)(own + total * 0u);
  uchar4 *y1 = (uchar4 *)(own + total * 16u);
  i16 g0 = i16(u32(divided<i16>(i16(a), i16(n))) & u32(i16(((const u8 *)in)[u32(3u) % 4096u])));
  f32 u1 = f32(((const u64 *)in)[u32(((const u64 *)in)[u32(g0) % 512u]) % 512u]);
  f64 v2 = (f64(u16(3u)) * f64(((const i16 *)in)[whole<u32>(u1) % 2048u]));
  f32 v3 = f32(g0);
  u32 v4 = u32(u32(u32(u32(whole<u32>(v3)) & u32(u32(g0)))) - u32(remainder_of<u32>(whole<u32>(v3), whole<u32>(v3))));
  f32 v5 = ((u1 * v3) - ((f64(g0) != f64(threadIdx.x)) ? f32(g0) : f32(v4)));
  u64 w6 = u64(u64(u64(u64(whole<u64>(u1)) ^ u64(u64(g0)))) & u64(u64(((const u8 *)in)[u32(g0) % 4096u])));
  s0[tid * 1u + 0u] = i16(gid * u32(0u));
  y1[u32(gid + 0 * total)].w = settled(whole<u8>(half_sub(f32(w6), 1000000.0f)));
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(w6));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1491(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ i64 s0[1 * THREADS];
  double2 *y0 = (double2 *)(own + total * 0u);
  u32 g0 = u32(4294967295u);
  f64 u1 = f64(u16(((const u64 *)in)[u32(7u) % 512u]));
  f32 v2 = f32(((const i32 *)in)[whole<u32>(u1) % 1024u]);
  f64 v3 = f64(((const i32 *)in)[u32(gid + u8(187u)) % 1024u]);
  f32 v4 = quotient(f32(u8(2u)), fma(f32(n), f32(g0), f32(v3)));
  u32 v5 = whole<u32>(u1);
  f32 w6 = f32(((const i16 *)in)[u32(u32(whole<u32>(u1)) * u32(block)) % 2048u]);
  s0[tid * 1u + 0u] = i64(gid * u32(3u));
  v3 = ceil(f64(i32(255u)));
  v5 = whole<u32>(y0[u32(gid + 0 * total)].y);
  s0[tid * 1u + 0u] = i64(u64(i64(2451016040026198382ull)) - u64(i64(ptx_prmt(whole<u32>(u1), whole<u32>(w6), g0))));
  u1 = f64(__syncthreads_count((i32(called(u32(3u), whole<u32>(u1), blockIdx.x)) == ((u64(v5) == whole<u64>(v4)) ? whole<i32>(v2) : whole<i32>(w6)))));
  s0[tid * 1u + 0u] = whole<i64>(half_mul(v2, f32(ptx_bfi(gid, whole<u32>(v4), whole<u32>(u1), threads))));
  u1 = f64(f);
  {
    __shared__ volatile u32 sync0[64 * 8];
    volatile u32 *minesync0 = sync0 + warp * 64u;
    minesync0[lane + 32u] = lane;
    minesync0[lane] = u32(ptx_saturate(shifted_left<i32>(i32(32u), threadIdx.y), i32(3u)));
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 16u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 8u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 4u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 2u];
    minesync0[lane] = minesync0[lane] ^ minesync0[lane + 1u];
    v3 = f64(minesync0[0]);
    __syncwarp();
  }
  { u32 slot = whole<u32>(texel(whole<u32>(texel_of_four(u32(2u), u32(7u))))) % 16u; atomicExch(&counters[64u + slot], slot * 3u + 1u); }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(w6));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1492(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  Three *y0 = (Three *)(own + total * 0u);
  f32 g0 = (f32(i32(a)) * f32(((const i32 *)in)[u32(2147483648u) % 1024u]));
  f32 u1 = f32(((const u64 *)in)[u32(u32(blockDim.x) + u32(whole<u32>(g0))) % 512u]);
  f32 v2 = f32(((const u8 *)in)[u32(((const i32 *)in)[whole<u32>(g0) % 1024u]) % 4096u]);
  f32 v3 = f32(((const i32 *)in)[u32(((const i16 *)in)[whole<u32>(g0) % 2048u]) % 1024u]);
  i32 v4 = i32(((const u8 *)in)[whole<u32>(u1) % 4096u]);
  u64 v5 = u64(u32(__brev(u32(u32(((const u8 *)in)[whole<u32>(v2) % 4096u]) >> 1))));
  u32 w6 = whole<u32>(g0);
  v4 = i32(tile_sum<1>(whole<u32>(v3), u32(v5)));
  if (((whole<u32>(g0) <= blockIdx.y) && (whole<u32>(g0) != gridDim.x))) {
    for (u32 c0 = 0; c0 < 3u && __syncthreads_or((0.5f >= 0.1f)); ++c0) {
      v2 = f32(tile_sum<2>(u32(u32(u32(3u)) - u32(u32(v5))), u32(((const i32 *)in)[whole<u32>(u1) % 1024u])));
      u1 = f32(divided<i32>(i32(threads), whole<i32>(g0)));
    }
    __syncthreads();
    v3 = f32(tile_most<16>(half_less(f32(ptx_saturate(i32(2u), whole<i32>(g0))), half_pair(f32(blockIdx.y), f32(v4), whole<u32>(f))), u32(v4)));
  } else {
    { u32 c1 = 0; do {
      {
        Three all = y0[i64(gid + 0 * total)];
        all.x = settled(y0[i64(gid + 0 * total)].y);
        all.y = settled(f32(v5));
        y0[i64(gid + 0 * total)] = all;
      }
      y0[i64(gid + 0 * total)].x = settled(f32(ptx_select(ptx_prmt(blockIdx.x, u32(4294967295u), warp), u32(u32(whole<u32>(g0)) + u32(whole<u32>(u1))))));
    } while (++c1 < 4u && ((u32(u32(u32(v4)) ^ u32(u32(0u))) & 4) != 0)); }
    {
      u32 live = __ballot_sync(0xffffffffu, 1);
      { i32 same; v4 = i32(__match_all_sync(live, u64(blockIdx.x) & 1, &same) + same); }
    }
  }
  {
    __shared__ f64 sums2[8];
    for (u32 i = tid; i < 8u; i += threads) sums2[i] = f64(i);
    __syncthreads();
    atomicAdd(&sums2[whole<u32>(v3) % 8u], f64(63 & (i32(u32(~(u32(whole<u32>(y0[i64(gid + 0 * total)].x) >> 1)))))) * f64(1.0));
    __syncthreads();
    seen = mixed(seen, bits(sums2[whole<u32>(f) % 8u]));
    __syncthreads();
  }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(w6));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(1536); k1488<<<dim3(3, 1, 1), dim3(32, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 6u, 2u, 0.0f); launches.end("k1488 0"); }
  { launches.begin(3072); u32 x = unknown(4); k1488<<<dim3(3, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 189u, 1u, 0.5f); launches.end("k1488 1"); }
  { launches.begin(6144); u32 x = unknown(32); k1489<<<dim3(3, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 96u, 2u, -17.0f); launches.end("k1489 0"); }
  { launches.begin(12288); u32 x = unknown(96); k1489<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 192u, 0u, 3.25f); launches.end("k1489 1"); }
  { launches.begin(6144); k1490<<<dim3(2, 1, 1), dim3(96, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 139u, 4294967295u, -17.0f); launches.end("k1490 0"); }
  { launches.begin(16384); u32 x = unknown(256); k1490<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 512u, 0u, 1.0f); launches.end("k1490 1"); }
  { launches.begin(2048); u32 x = unknown(128); k1491<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 2u, 1000000.0f); launches.end("k1491 0"); }
  { launches.begin(4096); u32 x = unknown(16); k1491<<<dim3(2, 1, 1), dim3(x, 8, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 253u, 5u, -17.0f); launches.end("k1491 1"); }
  { launches.begin(1536); u32 x = unknown(8); k1492<<<dim3(3, 1, 1), dim3(x, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 96u, 5u, 0.5f); launches.end("k1492 0"); }
  { launches.begin(2048); u32 x = unknown(64); k1492<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 62u, 1u, -17.0f); launches.end("k1492 1"); }
}

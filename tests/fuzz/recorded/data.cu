// Random kernels of kind data; data.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include "launches.cuh"

#include "prelude.cuh"

__global__ void k0(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x, tid = threadIdx.x, block = blockIdx.x, total = gridDim.x * blockDim.x;
  const u32 gid = blockIdx.x * blockDim.x + threadIdx.x, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  float2 *y0 = (float2 *)(own + total * 0u);
  i32 *y1 = (i32 *)(own + total * 32u);
  uchar4 *y2 = (uchar4 *)(own + total * 48u);
  i64 g0 = i64(31ull);
  i16 u1 = i16(32768u);
  u64 v2 = u64(u1);
  i16 v3 = u1;
  i16 v4 = i16(u32((((gridDim.x & 2) != 0) ? i16(v2) : i16(threadIdx.x))) + u32(shifted_right<i16>(i16(65535u), lane)));
  f32 v5 = 0.0f;
  if (gid >= n) return;
  y1[i32(gid * 3u + 2)] = settled(whole<i32>(((const float4 *)x)[u32(gid + 14u)].x));
  v5 = ((u16(7u) <= u16(1u)) ? (((u32(1u) & 1) != 0) ? f32(v3) : f32(g0)) : ceil(f32(threads)));
  for (u32 c0 = 0, topc0 = 4u; c0 < topc0; ++c0) {
    v5 = ((const float2 *)x)[i64(gid + 5u)].y;
    for (u32 c1 = 0, topc1 = 3u; c1 < topc1 && ((u32(g0) & 2) != 0); ++c1) {
      for (i32 c2 = i32(u32(whole<u32>(y0[u64(gid * 3u + (u32(c0) % 3u))].x)) % 9u); c2 > 0; c2 -= 2) {
        v2 = u64(1ull);
        v3 = i16(1u);
      }
      {
        float2 all = y0[u64(gid * 3u + 0)];
        all.x = settled(f32(i8(v4)));
        all.y = settled((1.0f + f32(i64(v2))));
        y0[u64(gid * 3u + 0)] = all;
      }
    }
    v4 = divided<i16>(i16(32794u), whole<i16>(f));
  }
  {
    float2 all = y0[u64(gid * 3u + 0)];
    all.x = settled(f32(u1));
    all.y = settled((f32(((const i16 *)in)[u32(3u) % 2048u]) - f32(g0)));
    y0[u64(gid * 3u + 0)] = all;
  }
  y0[u64(gid * 3u + 1)].y = settled(((u64(n) != whole<u64>(v5)) ? f32(y1[i32(gid * 3u + 0)]) : fma(f32(v2), f32(g0), -1.0f)));
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y, tid = threadIdx.x + blockDim.x * threadIdx.y;
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y, total = threads * gridDim.x * gridDim.y;
  const i32 column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const u32 gid = row * (gridDim.x * blockDim.x) + column, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  u32 *y0 = (u32 *)(own + total * 0u);
  f64 *y1 = (f64 *)(own + total * 16u);
  u64 *y2 = (u64 *)(own + total * 48u);
  i16 g0 = i16(((const i32 *)in)[u32(u32(a) + u32(a)) % 1024u]);
  u32 u1 = u32(g0);
  f64 v2 = (((u32(0u) < u32(g0)) != ((u32(g0) & 3) != 0)) ? f64(((const i32 *)in)[u32(g0) % 1024u]) : ((u1 > u32(4294967295u)) ? 0.0 : 1.0));
  f32 v3 = (((u64(9223372036854775808ull) > u64(3ull)) ? f32(n) : f32(g0)) - quotient(f32(u1), f32(u1)));
  i16 v4 = i16(u32(i16(whole<i64>(v3))) ^ u32(i16(((const u8 *)in)[u32(gid + u8(7u)) % 4096u])));
  i32 v5 = whole<i32>(v2);
  if (gid < n) {
    y1[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + 0)] = settled(f64(g0));
    y0[u32(total * 2u - 1u - (gid * 2u + 1))] = settled(y0[u32(total * 2u - 1u - (gid * 2u + 0))]);
    v5 = i32(g0);
  }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k2(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x, tid = threadIdx.x, block = blockIdx.x, total = gridDim.x * blockDim.x;
  const u32 gid = blockIdx.x * blockDim.x + threadIdx.x, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  __shared__ i32 s0[1 * THREADS];
  u64 *y0 = (u64 *)(own + total * 0u);
  u64 g0 = u64(((const u8 *)in)[u32(((const i32 *)in)[u32(4294967295u) % 1024u]) % 4096u]);
  i32 u1 = (((i16(g0) <= i16(g0)) || ((u32(g0) & 1) != 0)) ? i32(blockDim.x) : i32(blockIdx.y));
  i32 v2 = i32(lane);
  f32 v3 = ((f32(u1) - f32(v2)) + f32(((const i32 *)in)[u32(gid + u8(128u)) % 1024u]));
  f32 v4 = f32(g0);
  f32 v5 = f32(v2);
  s0[tid * 1u + 0u] = i32(gid * u32(32u));
  i32 p0[8];
  for (u32 i = 0; i < 8u; ++i) {
    p0[i] = i32(i * u32(u32(whole<u32>(v3)) * u32(u32(g0))));
  }
  f32 q0[6];
  for (u32 i = 0; i < 6u; ++i) {
    q0[i] = f32(i) * f32(threadIdx.z);
  }
  for (i32 c0 = i32(3u); c0 > 0; c0 -= 2) {
    if ((u32(((const i32 *)in)[u32(4294967295u) % 1024u]) < divided<u32>(u32(u1), u32(4294967295u)))) {
      q0[u32(1u) % 6u] = ((v5 - v3) + fma(v5, v4, 1.0f));
      for (u32 c1 = 0, topc1 = u32(u32(3u)) % 3u; c1 < topc1; ++c1) {
        v4 = ((f * f) - 0.1f);
        atomicExch(&s0[tid * 1u + 0u], i32(u32(i32(u32(abs(i32(u1 >> 1))))) + u32(((const i32 *)in)[u32(gid + u8(1u)) % 1024u])));
        __syncthreads();
        for (i32 c2 = i32(4u); c2 > 0; c2 -= 1) {
          q0[((whole<u64>(v4) <= whole<u64>(v4)) ? u32(u1) : blockIdx.y) % 6u] = fma(fma(f32(gid), f32(v2), f32(c1)), f32(i8(v2)), f32(((const u64 *)in)[u32(u1) % 512u]));
          atomicMax(&counters[u32(s0[shifted_left<u32>(a, u32(c0)) % (1u * threads)]) % 64u], u32(0u));
        }
        atomicMax(&counters[divided<u32>(u32(s0[whole<u32>(v3) % (1u * threads)]), u32(u32(u32(4294967295u)) - u32(u32(g0)))) % 64u], u32(g0));
        seen = mixed(seen, bits(s0[((tid + 2u) % threads) * 1u + 0u]));
        __syncthreads();
        s0[tid * 1u + 0u] = i32(u32(s0[tid * 1u + 0u]) & u32(remainder_of<i32>(i32(255u), i32(g0))));
        q0[u32(g0) % 6u] = ((whole<u16>(v3) > whole<u16>(v3)) ? fabs(v3) : (v5 * f32(c0)));
        if (((whole<u32>(x[u32(u1) % 32768u]) & 1) != 0)) break;
      }
      __syncthreads();
      s0[tid * 1u + 0u] = i32(y0[i64(gid + 0 * total)]);
      q0[u32(i64(g0)) % 6u] = (trunc(f) - x[u32(32767u - gid * 1u - 15u)]);
    }
    s0[tid * 1u + 0u] = remainder_of<i32>(i32(u32(i32(3u)) | u32(c0)), i32(u32(i32(gid)) * u32(i32(blockIdx.x))));
    u1 = i32(__syncthreads_and((u1 <= shifted_right<i32>(whole<i32>(v4), threads))));
    s0[tid * 1u + 0u] = ((u8(gid) <= whole<u8>(v3)) ? i32(u16(0u)) : i32(u32(i32(warp)) - u32(i32(3u))));
    u1 = i32(((const u8 *)in)[u32(g0) % 4096u]);
    if ((u32(u16(g0)) <= u32(u32(u32(c0)) ^ u32(blockIdx.x)))) break;
    v5 = f32(s0[tid * 1u + 0u]);
  }
  q0[u32(u32(u32(1u)) * u32(u32(v2))) % 6u] = v5;
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k3(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  int4 *y0 = (int4 *)(own + total * 0u);
  i32 g0 = ((const i32 *)in)[u32(((const i32 *)in)[u32(1u) % 1024u]) % 1024u];
  i32 u1 = g0;
  i32 v2 = i32(u32(i32(u32(i32(a)) + u32(i32(warp)))) | u32(i32(2396020266u)));
  u64 v3 = shifted_right<u64>(u64(u1), u32(u32(u32(u1)) & u32(blockIdx.y)));
  i16 v4 = i16(((const u64 *)in)[u32(gid + u8(255u)) % 512u]);
  f64 v5 = f64(v3);
  v2 = i32(u32(u32(u32(g0)) | u32(u32(v2))));
  for (u32 c0 = 0, topc0 = 4u; c0 < topc0 && ((v5 > f64(blockDim.x)) || (whole<u32>(v5) == tid)); ++c0) {
    v3 = whole<u64>(v5);
  }
  v3 = u64(((const i32 *)in)[u32(gid + u8(0u)) % 1024u]);
  v5 = smaller(f64(v3), f64(u16(32u)));
  v2 = ((const i32 *)in)[u32(((const i32 *)in)[whole<u32>(f) % 1024u]) % 1024u];
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k4(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  Three *y0 = (Three *)(own + total * 0u);
  u64 *y1 = (u64 *)(own + total * 64u);
  f32 g0 = fma(ceil(f32(n)), (f32(threads) - f32(gridDim.x)), f32(n));
  f64 u1 = f64(((const i32 *)in)[((g0 > g0) ? whole<u32>(g0) : whole<u32>(g0)) % 1024u]);
  u32 v2 = u32(((const i16 *)in)[u32(gid + u8(255u)) % 2048u]);
  f64 v3 = f64(((const i32 *)in)[u32(u32(u32(3u)) + u32(whole<u32>(u1))) % 1024u]);
  u64 v4 = u64(gridDim.x);
  u64 v5 = whole<u64>(u1);
  i32 p0[8];
  for (u32 i = 0; i < 8u; ++i) {
    p0[i] = i32(i * u32(((const i32 *)in)[whole<u32>(f) % 1024u]));
  }
  p0[u32(32u) & 7u] = whole<i32>(g0);
  atomicAnd(&counters[u32(u32(u32(u32(block) ^ u32(whole<u32>(u1)))) - u32(u32(u32(u32(v5)) & u32(u32(3u))))) % 64u], u32(__brev(u32(u32(((const i16 *)in)[u32(gid + u8(7u)) % 2048u]) >> 1))));
  atomicAnd(&counters[u32(4294967295u) % 64u], whole<u32>(u1));
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(40960); k0<<<dim3(5, 1, 1), dim3(128, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 4294967295u, 1000000.0f); launches.end("k0 0"); }
  { launches.begin(8192); u32 x = unknown(64); k0<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 128u, 0u, 0.5f); launches.end("k0 1"); }
  { launches.begin(32768); u32 x = unknown(16); k1<<<dim3(2, 1, 1), dim3(x, 16, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 509u, 4294967295u, -17.0f); launches.end("k1 0"); }
  { launches.begin(960); u32 x = unknown(5); k1<<<dim3(1, 1, 1), dim3(x, 3, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 12u, 4294967295u, 1.0f); launches.end("k1 1"); }
  { launches.begin(48); k2<<<dim3(3, 1, 1), dim3(1, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 0u, 0.0f); launches.end("k2 0"); }
  { launches.begin(20560); u32 x = unknown(257); k2<<<dim3(5, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 33u, 0.0f); launches.end("k2 1"); }
  { launches.begin(3072); k3<<<dim3(1, 1, 1), dim3(4, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 33u, 1.0f); launches.end("k3 0"); }
  { launches.begin(11520); u32 x = unknown(1); k3<<<dim3(1, 2, 3), dim3(x, 40, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 237u, 33u, 1.0f); launches.end("k3 1"); }
  { launches.begin(23040); u32 x = unknown(1); k4<<<dim3(1, 2, 3), dim3(x, 40, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 240u, 4294967295u, -17.0f); launches.end("k4 0"); }
  { launches.begin(576); u32 x = unknown(1); k4<<<dim3(1, 2, 3), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 6u, 1u, 1.0f); launches.end("k4 1"); }
}

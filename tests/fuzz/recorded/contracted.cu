// Random kernels of kind contracted; contracted.out is what an H200 printed, compiled by nvcc with: -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include "launches.cuh"

#include "prelude.cuh"


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1104(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  u64 g0 = u64(u8(u32(u8(n)) & u32(u8(blockDim.x))));
  i16 u1 = i16(u32(__clz(n)));
  u8 w2 = u8(g0);
  i32 v3 = in[tid % 1024u];
  u64 v4 = u64(u64(g0 >> (u32(u1) & 63u)) % u64(7));
  u32 v5 = u32(u8(u32(u8(v3)) + u32(u8(g0))));
  seen = mixed(seen, u64(i64(g0)));
  { const f32 t_1 = x[u32(block) * 5u + 3u] * f32(0.37), h_2 = f32(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(((((f32(t_1) * f32(h_2) + f32(t_1)) * f32(f) + f32(t_1)) + f32(t_1) * f32(f)) - f32(h_2) * f32(h_2))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  u1 = i16(u32(i16(u32(u1) ^ u32(u1))) + u32(i16(in[u32(in[u32(7u) % 1024u]) % 1024u])));
  u1 = i16(u32(i16(in[(((u32(g0) & 1u) != 0u) ? u32(u1) : n) % 1024u])) * u32(i16(u32(i16(i16(32768u) % i16(2))) - u32(i16(u32(i16(blockIdx.x)) - u32(i16(blockIdx.x)))))));
  { f32 t_3 = x[u32(gid * 3u + u32(u32((((v5 & 5u) != 0u) ? u32(v3) : u32(g0))) - u32(u32(u32(u32(w2)) - u32(u32(g0))))) % 64u) % 32768u] * 0.37f, h_4 = f32(u32(u32(u32(u32(u32(threadIdx.x) * u32(u32(u1)))) - u32(warp)) & 1023u)) / 7; const f32 p_5 = (((f32(f) * f32(t_3)) - (f32(t_3) - f32(f))) - (f32(t_3) / f32(t_3))); const f32 u_6 = (((f32(t_3) + f32(t_3)) - f32(t_3)) - fma(f, round(f32(threadIdx.y)), ((whole<u64>(t_3) > whole<u64>(t_3)) ? f : 0.1f))); const bool in_7 = u_6 != (f32(h_4) + f32(f)); __syncthreads(); mine[0] = raw(u_6); mine[1] = in_7; mine[2] = raw(p_5); waiting[tid] = raw(u_6); if (in_7) mine[3] = 7u; else mine[3] = 9u;  bad += unequal(waiting[tid], raw(u_6)); bad += unequal(mine[0], raw(u_6)) + unequal(mine[1], in_7) + unequal(mine[2], raw(p_5)); if (in_7) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { f32 t_8 = x[u32(gid * 3u + u32(u32(u1) % u32(2)) % 64u) % 32768u] * 0.37f, h_9 = f32(u32(u32(i16(31u)) & 1023u)) / 7; const f32 p_10 = ((h_9 * f32(f)) * (f32(h_9) + (quotient(f, -17.0f) + (f * f32(blockIdx.y))))); const f32 u_11 = exp((f32(p_10) * f32(p_10))); const bool in_12 = u_11 <= ((f32(f) + f32(h_9)) * (f32(h_9) * f32(f))); __syncthreads(); mine[0] = raw(u_11); mine[1] = in_12; mine[2] = raw(p_10); waiting[tid] = raw(u_11); if (in_12) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_11)); bad += unequal(mine[0], raw(u_11)) + unequal(mine[1], in_12) + unequal(mine[2], raw(p_10)); if (in_12) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1105(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  u64 g0 = u64(i32(gridDim.x));
  u8 u1 = u8(u32(((i32(a) != i32(g0)) ? u8(blockDim.x) : u8(n))) * u32(u8(g0)));
  u32 w2 = n;
  u64 v3 = u64(u64(u64(u64(w2) >> (u32(3u) & 63u))) << (u32(u32(block) | u32(u32(2u))) & 63u));
  u64 v4 = u64(u32(~(u32(u32(u32(0u)) ^ u32(n)))));
  u32 v5 = ((i32(31u) <= i32(2u)) ? blockIdx.y : u32(u32(u32(v4)) ^ u32(w2)));
  { const f64 q_1 = f64(i32(u32(u32(~(u32(in[u32(v3) % 1024u])))) & 31u) - 11); const f64 q_2 = f64(i32(u32(u32((((u32(v3) & 1u) != 0u) ? u32(g0) : u32(3u)) / u32(2))) & 31u) - 11); const f64 q_3 = f64(i32(u32(w2) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f64(2) * (q_1 * q_1 + q_1) + f64(1) * (q_1 * q_2 + q_2) + f64(-1) * (q_3 * q_3 + q_3) + f64(i) * q_1; seen = mixed(seen, u64(i64(sum))); }
  if (((u32(blockIdx.y / u32(2)) & 5u) != 0u)) {
    { const f32 q_4 = f32(i32(u32(u32(u32(u32(threadIdx.z) ^ u32(u32(2u))) / u32(7))) & 31u) - 11); const f32 q_5 = f32(i32(u32(u32((((w2 & 5u) != 0u) ? u8(w2) : u8(31u)))) & 31u) - 11); const f32 q_6 = f32(i32(u32(u32(u32(in[blockIdx.y % 1024u]) >> (((i16(31u) == i16(block)) ? u32(u1) : v5) & 31u))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f32(-3) * (q_6 * q_5 + q_5) + f32(1) * (q_6 * q_6 + q_4) + f32(-1) * (q_5 * q_6 + q_4) + f32(i) * q_4; seen = mixed(seen, u64(i64(sum))); }
  }
  { f32 t_7 = x[u32(gid * 3u + u32(i32(u32(i32(g0)) ^ u32(i32(1u)))) % 64u) % 32768u] * 0.37f, h_8 = f32(u32(u32(i32(u32(i32(v5)) - u32(i32(threadIdx.z)))) & 1023u)) / 7; const f32 p_9 = (f32(f) * f32(f)); const f32 u_10 = tanh(((f32(t_7) * f32(t_7)) * f32(p_9))); const bool in_11 = u_10 != f32(100); __syncthreads(); mine[0] = raw(u_10); mine[1] = in_11; mine[2] = raw(p_9); waiting[tid] = raw(u_10); if (in_11) mine[3] = 7u; else mine[3] = 9u;  bad += unequal(waiting[tid], raw(u_10)); bad += unequal(mine[0], raw(u_10)) + unequal(mine[1], in_11) + unequal(mine[2], raw(p_9)); if (in_11) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  seen = mixed(seen, u64((((u32(g0) & 1u) != 0u) ? i16(u64(3ull)) : i16(i16(v5) / i16(1)))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1106(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  u8 g0 = u8(blockDim.x);
  i64 u1 = i64(in[u32(4294967295u) % 1024u]);
  u32 w2 = u32(g0);
  i16 v3 = i16(g0);
  i16 v4 = i16((((u32(u1) & 5u) != 0u) ? i16(u1) : i16(w2)) / i16(10));
  u32 v5 = u32(v3);
  { const f32 t_1 = x[u32(tid % 8u) * 5u + 3u] * f32(0.37), h_2 = f32(in[u32(tid % 8u) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(((((f32(f) * f32(f) + f32(h_2)) + f32(f) + f32(t_1)) - f32(t_1) + f32(t_1)) + f32(f) + f32(t_1))); __syncthreads(); if (tid + 8u < threads) bad += unequal(waiting[tid], waiting[tid + 8u]); __syncthreads(); seen = mixed(seen, bad); }
  { f32 t_3 = x[u32(gid * 3u + u32(u32(u1) % u32(2)) % 64u) % 32768u] * 0.37f, h_4 = f32(u32(u32(u32(u32(u32(gid) - u32(n))) ^ u32(u32(u32(7u) / u32(10)))) & 1023u)) / 7; const f32 p_5 = (((f32(h_4) - f32(h_4)) * (f32(f) + f32(h_4))) - (f32(t_3) * f32(t_3))); const f32 u_6 = log((((f32(f) * f32(p_5)) * f32(p_5)) + fma(f32(whole<u64>(t_3)), f32(f64(h_4)), ((whole<i64>(h_4) <= whole<i64>(f)) ? f32(threadIdx.z) : f)))); const bool in_7 = u_6 <= f32(100); __syncthreads(); mine[0] = raw(u_6); mine[1] = in_7; mine[2] = raw(p_5); waiting[tid] = raw(u_6); if (in_7) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_6)); bad += unequal(mine[0], raw(u_6)) + unequal(mine[1], in_7) + unequal(mine[2], raw(p_5)); if (in_7) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  switch (u32(u32(u32(v5) | u32(u32(u1))) >> (u32(in[blockIdx.y % 1024u]) & 31u)) % 4u) { case 0: {
    for (u32 c_8 = 0, topc_8 = u32(u32(u32(u32(v4)) - u32(u32(v3)))) % 3u; c_8 < topc_8; ++c_8) {
      v5 = u32(i16(blockIdx.y));
      seen = mixed(seen, u64(i64(u64(i64(u64(i64(0ull)) ^ u64(i64(c_8)))) | u64(((u32(1u) <= u32(u1)) ? u1 : i64(g0))))));
      seen = mixed(seen, u64(i32(u1)));
    }
  } break; case 2: {
    { const f32 q_9 = f32(i32(u32(v5) & 31u) - 11); const f32 q_10 = f32(i32(u32(u32(u32(u32(v3) >> (u32(v4) & 31u)) >> (u32(__clz(u32(u1))) & 31u))) & 31u) - 11); const f32 q_11 = f32(i32(u32(u32(u32(u32(u32(v5) ^ u32(u32(g0)))) | u32(u32(v3)))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f32(1) * (q_9 * q_9 + q_11) + f32(-1) * (q_9 * q_11 + q_9) + f32(5) * (q_10 * q_11 + q_9) + f32(i) * q_9; seen = mixed(seen, u64(i64(sum))); }
  } break; default: {
    { const f32 q_12 = f32(i32(u32((((v5 & 1u) != 0u) ? u32(u32(threads) - u32(threads)) : u32(u1))) & 31u) - 11); const f32 q_13 = f32(i32(u32((((v5 & 2u) != 0u) ? u32(__clz(u32(v4))) : u32(v5 >> (u32(g0) & 31u)))) & 31u) - 11); const f32 q_14 = f32(i32(u32(u32(u1)) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f32(-3) * (q_14 * q_12 + q_13) + f32(-1) * (q_12 * q_12 + q_12) + f32(1) * (q_13 * q_12 + q_12) + f32(i) * q_12; seen = mixed(seen, u64(i64(sum))); }
    if ((((((lane & 5u) != 0u) ? u32(2147483648u) : u32(v4)) & 2u) != 0u)) {
      v4 = i16(u32(i16(in[u32(u32(v4) / u32(2)) % 1024u])) ^ u32(i16(u64((((u32(1u) & 3u) != 0u) ? i16(u1) : i16(blockIdx.y))) << (u32(in[w2 % 1024u]) & 15u))));
      { f64 t_15 = x[u32(gid * 3u + u32(4294967295u) % 64u) % 32768u] * 0.37, h_16 = f64(u32((((u64(g0) <= u64(u1)) != (i16(g0) == i16(g0))) ? u32(0u) : u32(u32(threads) + u32(u32(2u)))) & 1023u)) / 7; const f64 p_17 = ((f64(h_16) / f64(t_15)) - (h_16 * f64(f))); const f64 u_18 = log(((f64(p_17) * f64(((const i32 *)in)[(((u32(3u) & 4) != 0) ? whole<u32>(t_15) : whole<u32>(p_17)) % 1024u])) + f64(f))); const bool in_19 = u_18 < f64(100);  mine[0] = raw(u_18); mine[1] = in_19; mine[2] = raw(p_17);  if (in_19) mine[3] = 7u; else mine[3] = 9u;   bad += unequal(mine[0], raw(u_18)) + unequal(mine[1], in_19) + unequal(mine[2], raw(p_17)); if (in_19) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
      { const f32 q_20 = f32(i32(u32(w2) & 31u) - 11); const f32 q_21 = f32(i32(u32(u32(__ffs(u32(v4)))) & 31u) - 11); const f32 q_22 = f32(i32(u32(u32(g0)) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f32(5) * (q_20 * q_20 + q_22) + f32(-3) * (q_22 * q_21 + q_22) + f32(5) * (q_20 * q_21 + q_22) + f32(i) * q_20; seen = mixed(seen, u64(i64(sum))); }
    }
  } break; }
  { f64 t_23 = x[u32(gid * 3u + u32(u32(u32(u32(v5) + u32(u32(v3)))) - u32(u32(__ffs(w2)))) % 64u) % 32768u] * 0.37, h_24 = f64(u32(u32(u32(u32(__ffs(u32(g0)))) + u32(u32(i16(threads)))) & 1023u)) / 7; const f64 p_25 = (fma((t_23 - t_23), f64(3.25f), -1.0) * f64(f)); const f64 u_26 = rsqrt(((f64(f) * f64(p_25)) * (f64(t_23) / f64(f)))); const bool in_27 = u_26 <= f64(100); __syncthreads(); mine[0] = raw(u_26); mine[1] = in_27; mine[2] = raw(p_25); waiting[tid] = raw(u_26); if (in_27) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_26)); bad += unequal(mine[0], raw(u_26)) + unequal(mine[1], in_27) + unequal(mine[2], raw(p_25)); if (in_27) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { const f32 t_28 = x[u32(tid % 8u) * 5u + 3u] * f32(0.37), h_29 = f32(in[u32(tid % 8u) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(exp(((((f32(h_29) * f32(h_29) + f32(f)) - f32(t_28) * f32(t_28)) * f32(t_28) * f32(t_28)) + f32(h_29) * f32(t_28)))); __syncthreads(); if (tid + 8u < threads) bad += unequal(waiting[tid], waiting[tid + 8u]); __syncthreads(); seen = mixed(seen, bad); }
  { const f32 q_30 = f32(i32(u32(((i64(9223372036854775808ull) <= i64(gridDim.x)) ? u32(u32(u32(u1)) * u32(w2)) : u32(u32(u32(0u)) | u32(gid)))) & 31u) - 11); const f32 q_31 = f32(i32(u32(u32(2147483648u)) & 31u) - 11); const f32 q_32 = f32(i32(u32(((u8(blockIdx.x) != u8(209u)) ? u32(in[w2 % 1024u]) : ((i32(blockIdx.y) != i32(w2)) ? u32(g0) : u32(2u)))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f32(2) * (q_32 * q_31 + q_32) + f32(-3) * (q_31 * q_32 + q_30) + f32(2) * (q_31 * q_32 + q_32) + f32(i) * q_30; seen = mixed(seen, u64(i64(sum))); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1107(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i16 g0 = i16(u8(255u));
  i32 u1 = i32(u32(((i64(blockIdx.x) <= i64(1ull)) ? i32(g0) : i32(g0))) & u32(i32(2147483648u)));
  u64 w2 = u64(u1);
  u32 v3 = u32(u32(u32(u64(a) << (u32(g0) & 31u))) - u32(u32(i64(g0))));
  u32 v4 = u32(u1);
  u32 v5 = u32(u64(u32(u32(gridDim.x) + u32(u32(g0)))) << (((u8(255u) < u8(warp)) ? u32(7u) : tid) & 31u));
  { f32 t_1 = x[u32(gid * 3u + u32(u32(u32(v5) + u32(u32(g0))) % u32(64)) % 64u) % 32768u] * 0.37f, h_2 = f32(u32(u32(((i32(w2) <= i32(w2)) ? block : u32(2147483648u)) / u32(2)) & 1023u)) / 7; const f32 p_3 = (f32(t_1) / f32(f)); const f32 u_4 = sin((((f32(f) * f32(p_3)) * (3.25f / f32(f))) * (f32(p_3) - f32(p_3)))); const bool in_5 = u_4 > f32(100); __syncthreads(); mine[0] = raw(u_4); mine[1] = in_5; mine[2] = raw(p_3); waiting[tid] = raw(u_4); if (in_5) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_4)); bad += unequal(mine[0], raw(u_4)) + unequal(mine[1], in_5) + unequal(mine[2], raw(p_3)); if (in_5) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { const f32 t_6 = x[u32(tid % 8u) * 5u + 3u] * f32(0.37), h_7 = f32(in[u32(tid % 8u) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(log((f32(f) * f32(t_6) + f32(h_7)))); __syncthreads(); if (tid + 8u < threads) bad += unequal(waiting[tid], waiting[tid + 8u]); __syncthreads(); seen = mixed(seen, bad); }
  { const f64 q_8 = f64(i32(u32(u32(__popc(u32(2147483648u)))) & 31u) - 11); const f64 q_9 = f64(i32(u32(u32(g0)) & 31u) - 11); const f64 q_10 = f64(i32(u32(u32(2147483648u)) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f64(5) * (q_8 * q_8 + q_10) + f64(-1) * (q_8 * q_8 + q_9) + f64(-1) * (q_8 * q_9 + q_8) + f64(i) * q_8; seen = mixed(seen, u64(i64(sum))); }
  { const f32 t_11 = x[u32(block) * 5u + 3u] * f32(0.37), h_12 = f32(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(sin(((f32(h_12) * f32(f) + f32(f)) + f32(h_12) + f32(t_11)))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  { f64 t_13 = x[u32(gid * 3u + u32(w2) % 64u) % 32768u] * 0.37, h_14 = f64(u32(u32(g0) & 1023u)) / 7; const f64 p_15 = ((f64(t_13) - f64(f)) * f64(f)); const f64 u_16 = sin(((f64(f) / f64(f)) + (f64(f) * round(3.25)))); const bool in_17 = u_16 != (((f64(f) * f64(f)) - (h_14 / f64(h_14))) * (f64(f) + f64(f))); __syncthreads(); mine[0] = raw(u_16); mine[1] = in_17; mine[2] = raw(p_15); waiting[tid] = raw(u_16); if (in_17) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_16)); bad += unequal(mine[0], raw(u_16)) + unequal(mine[1], in_17) + unequal(mine[2], raw(p_15)); if (in_17) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1108(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i64 g0 = i64(u32(__brev(u32(255u))));
  u64 u1 = u64(u64(u64(g0)) ^ u64(u64(u64(u64(gridDim.x)) ^ u64(u64(2ull)))));
  i64 w2 = i64(i64(n) >> (u32(u32(u32(u1)) * u32(u32(7u))) & 63u));
  i16 v3 = i16(in[u32(u64(u32(g0)) << (u32(g0) & 31u)) % 1024u]);
  i32 v4 = i32(u32(i32(u1)) * u32(i32(0u)));
  u32 v5 = u32(in[u32(gridDim.x % u32(3)) % 1024u]);
  seen = mixed(seen, u64(i32(u32(i32(u1)) ^ u32(i32(u32(i32(v3)) + u32(i32(w2)))))));
  v4 = i32(2147483648u);
  __syncthreads();
  u1 = u64(threads);
  seen = mixed(seen, u64(v4));
  { const f64 q_1 = f64(i32(u32(u32(v4)) & 31u) - 11); const f64 q_2 = f64(i32(u32(u32(in[u32(block % u32(7)) % 1024u])) & 31u) - 11); const f64 q_3 = f64(i32(u32(u32(i32(g0))) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f64(-1) * (q_1 * q_3 + q_1) + f64(5) * (q_1 * q_2 + q_3) + f64(-1) * (q_3 * q_3 + q_3) + f64(i) * q_1; seen = mixed(seen, u64(i64(sum))); }
  v3 = i16(u64(i16(u8(g0))) << (u32(u32(u32(warp) & u32(u32(w2))) % u32(3)) & 15u));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(1024, 32, 0); u32 x = unknown(32); k1104<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k1104 0"); }
  { launches.begin(1024, 32, 0); u32 x = unknown(32); k1104<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 29u, 0u, 1.0f); launches.end("k1104 1"); }
  { launches.begin(6144, 192, 0); k1105<<<dim3(2, 1, 1), dim3(96, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 192u, 1u, 1.0f); launches.end("k1105 0"); }
  { launches.begin(3072, 96, 0); u32 x = unknown(96); k1105<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 96u, 33u, 1.0f); launches.end("k1105 1"); }
  { launches.begin(3072, 96, 0); u32 x = unknown(96); k1106<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 29u, 0u, 1.0f); launches.end("k1106 0"); }
  { launches.begin(32, 1, 0); u32 x = unknown(1); k1106<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 5u, 1.0f); launches.end("k1106 1"); }
  { launches.begin(1024, 32, 0); u32 x = unknown(32); k1107<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 29u, 2u, 1.0f); launches.end("k1107 0"); }
  { launches.begin(3360, 105, 0); u32 x = unknown(5); k1107<<<dim3(3, 1, 1), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 0u, 1.0f); launches.end("k1107 1"); }
  { launches.begin(2048, 64, 0); k1108<<<dim3(2, 1, 1), dim3(32, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 5u, 1.0f); launches.end("k1108 0"); }
}

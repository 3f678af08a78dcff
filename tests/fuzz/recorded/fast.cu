// Random kernels of kind fast; fast.out is what an H200 printed, compiled by nvcc with: -use_fast_math -w
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
__global__ void k1128(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i16 g0 = i16(i16(u32(i16(a)) ^ u32(i16(32u))) / i16(1));
  u32 u1 = u32(g0);
  i64 w2 = i64(u8(u64(u8(148u)) << (gridDim.x & 7u)));
  u8 v3 = ((u8(w2) > u8(255u)) ? u8(u32(u8(u1)) | u32(u8(a))) : u8(block));
  u8 v4 = (((u1 & 16u) != 0u) ? u8(g0) : u8(u32(v3) ^ u32(u8(g0))));
  u32 v5 = u32(u32(u32(u32(v4)) * u32(u32(255u))) / u32(10));
  { f64 t_1 = x[u32(gid * 3u + u32(u32(u64(u32(v3)) << (v5 & 31u)) % u32(2)) % 64u) % 32768u] * 0.37, h_2 = f64(u32(u32(v4) & 1023u)) / 7; const f64 p_3 = (((f64(h_2) * f64(h_2)) - f64(h_2)) + (f64(t_1) * -1.0)); const f64 u_4 = log((((f64(p_3) + f64(f)) * f64(t_1)) + (f64(f) * f64(p_3)))); const bool in_5 = u_4 != f64(100); __syncthreads(); mine[0] = raw(u_4); mine[1] = in_5; mine[2] = raw(p_3); waiting[tid] = raw(u_4); if (in_5) mine[3] = 7u; else mine[3] = 9u;  bad += unequal(waiting[tid], raw(u_4)); bad += unequal(mine[0], raw(u_4)) + unequal(mine[1], in_5) + unequal(mine[2], raw(p_3)); if (in_5) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  seen = mixed(seen, u64(i32(i32(w2) % i32(1))));
  { f32 t_6 = x[u32(gid * 3u + u32(u32(u32(u32(v3) / u32(3))) ^ u32(u32(u32(u32(434171568u)) | u32(u32(v3))))) % 64u) % 32768u] * 0.37f, h_7 = f32(u32(u32(u32(threadIdx.z) + u32(u32(in[u32(v4) % 1024u]))) & 1023u)) / 7; const f32 p_8 = (((f32(h_7) + f32(f)) + f32(f)) + (f32(((const u64 *)in)[u32(gid + u8(32u)) % 512u]) * f32(h_7))); const f32 u_9 = rsqrt((f32(p_8) * quotient(trunc(-1.0f), f))); const bool in_10 = u_9 <= f32(100); __syncthreads(); mine[0] = raw(u_9); mine[1] = in_10; mine[2] = raw(p_8); waiting[tid] = raw(u_9); if (in_10) mine[3] = 7u; else mine[3] = 9u; __syncwarp(); bad += unequal(waiting[tid], raw(u_9)); bad += unequal(mine[0], raw(u_9)) + unequal(mine[1], in_10) + unequal(mine[2], raw(p_8)); if (in_10) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  w2 = i64(u64(i64(u64(i64(g0)) * u64(i64(u8(g0))))) & u64(i64(u64(i64(u64(i64(g0)) & u64(w2))) * u64(i64(i64(u1) >> (u32(w2) & 63u))))));
  { f32 t_11 = x[u32(gid * 3u + u32(w2) % 64u) % 32768u] * 0.37f, h_12 = f32(u32(u32(4294967295u) & 1023u)) / 7; const f32 p_13 = (((fma(ceil(h_12), (h_12 - f), f32(f64(a))) / f32(whole<u64>(h_12))) - fabs(quotient(f32(block), t_11))) * (f32(h_12) * f32(h_12))); const f32 u_14 = sqrt((f32(t_11) + f32(t_11))); const bool in_15 = u_14 != f32(100); __syncthreads(); mine[0] = raw(u_14); mine[1] = in_15; mine[2] = raw(p_13); waiting[tid] = raw(u_14); if (in_15) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_14)); bad += unequal(mine[0], raw(u_14)) + unequal(mine[1], in_15) + unequal(mine[2], raw(p_13)); if (in_15) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { const f32 t_16 = x[u32(block) * 5u + 3u] * f32(0.37), h_17 = f32(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(log(((f32(t_16) * f32(h_17) + f32(t_16)) * f32(t_16) + f32(t_16)))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1129(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i64 g0 = i64(i64(blockDim.x) / i64(7));
  i16 u1 = i16(n);
  u32 w2 = u32(in[u32(i16(g0)) % 1024u]);
  i32 v3 = i32(i32(w2) >> (u32(w2 >> (w2 & 31u)) & 31u));
  i16 v4 = i16(u32(__brev(u32(in[u32(g0) % 1024u]))));
  u32 v5 = u32(u32(u32(u32(u32(g0)) ^ u32(u32(0u)))) & u32(u32(u32(u32(v4)) ^ u32(u32(u1)))));
  seen = mixed(seen, u64(i16(in[u32(u64(u32(g0)) << (u32(g0) & 31u)) % 1024u])));
  if ((i32(blockIdx.x) > i32(u32(i32(2147483648u)) - u32(i32(g0))))) {
    if ((i32(u1) <= ((u8(2u) == u8(v4)) ? i32(threadIdx.z) : i32(lane)))) {
      { f32 t_1 = x[u32(gid * 3u + u32(u32(u32(2501773978u)) * u32(u32(u32(u32(u1)) ^ u32(v5)))) % 64u) % 32768u] * 0.37f, h_2 = f32(u32(u32(v4) & 1023u)) / 7; const f32 p_3 = (f32(h_2) * f32(h_2)); const f32 u_4 = rsqrt((((f32(p_3) * f32(p_3)) * (f32(p_3) + f32(((const i32 *)in)[shifted_left<u32>(whole<u32>(h_2), tid) % 1024u]))) + f32(t_1))); const bool in_5 = u_4 < (((f32(h_2) * f32(h_2)) + round(f32(((const i32 *)in)[u32(gid + u8(255u)) % 1024u]))) * f32(f));  mine[0] = raw(u_4); mine[1] = in_5; mine[2] = raw(p_3);  if (in_5) mine[3] = 7u; else mine[3] = 9u;   bad += unequal(mine[0], raw(u_4)) + unequal(mine[1], in_5) + unequal(mine[2], raw(p_3)); if (in_5) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
      { f64 t_6 = x[u32(gid * 3u + u32(in[u32(u32(u32(v4)) - u32(v5)) % 1024u]) % 64u) % 32768u] * 0.37, h_7 = f64(u32(((i16(threadIdx.y) != i16(v3)) ? w2 : u32(w2 % u32(10))) & 1023u)) / 7; const f64 p_8 = (f64(h_7) * f64(t_6)); const f64 u_9 = tanh(((f64(p_8) / fma(f64(((const u8 *)in)[u32(32u) % 4096u]), (t_6 - h_7), (p_8 - h_7))) + (f64(t_6) * f64(f)))); const bool in_10 = u_9 > f64(100);  mine[0] = raw(u_9); mine[1] = in_10; mine[2] = raw(p_8);  if (in_10) mine[3] = 7u; else mine[3] = 9u;   bad += unequal(mine[0], raw(u_9)) + unequal(mine[1], in_10) + unequal(mine[2], raw(p_8)); if (in_10) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
      { f64 t_11 = x[u32(gid * 3u + u32(u32(u32(lane) | u32(u32(v3))) / u32(1)) % 64u) % 32768u] * 0.37, h_12 = f64(u32(u32(u32(w2) * u32(u32(g0))) & 1023u)) / 7; const f64 p_13 = (f64(h_12) - f64(f)); const f64 u_14 = tanh(((f64(p_13) + f64(p_13)) + ((((warp & 2) != 0) ? f64(threadIdx.z) : t_11) + (p_13 * t_11)))); const bool in_15 = u_14 <= f64(100);  mine[0] = raw(u_14); mine[1] = in_15; mine[2] = raw(p_13);  if (in_15) mine[3] = 7u; else mine[3] = 9u;   bad += unequal(mine[0], raw(u_14)) + unequal(mine[1], in_15) + unequal(mine[2], raw(p_13)); if (in_15) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
    } else {
      { const f64 q_16 = f64(i32(u32(u32(u32(in[v5 % 1024u]) / u32(1))) & 31u) - 11); const f64 q_17 = f64(i32(u32(((((u32(u1) & 4u) != 0u) || (i16(tid) >= v4)) ? u32(in[a % 1024u]) : u32(u32(u32(v4)) & u32(u32(u1))))) & 31u) - 11); const f64 q_18 = f64(i32(u32(u32(~(((v3 <= i32(2147483648u)) ? v5 : u32(v3))))) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f64(-3) * (q_18 * q_16 + q_16) + f64(5) * (q_16 * q_16 + q_16) + f64(5) * (q_17 * q_18 + q_18) + f64(i) * q_16; seen = mixed(seen, u64(i64(sum))); }
    }
    seen = mixed(seen, u64(i32(u32(__clz(u32(u8(w2)))))));
    w2 = u32(in[w2 % 1024u]);
  } else {
    seen = mixed(seen, u64(i16(u32(u1) ^ u32(i16(u32(i16(a)) & u32(i16(3u)))))));
  }
  u1 = (((u32(u32(u32(2147483648u)) * u32(u32(u1))) & 5u) != 0u) ? i16(i32(u32(i32(u1)) - u32(i32(g0)))) : i16(i16(u32(i16(65535u)) & u32(u1)) / i16(3)));
  { const f64 q_19 = f64(i32(u32(u32(u32(w2) - u32(u32(v4)))) & 31u) - 11); const f64 q_20 = f64(i32(u32(u32(32u)) & 31u) - 11); const f64 q_21 = f64(i32(u32(u32(u32(u32(in[u32(u1) % 1024u])) | u32(u32(u64(u32(g0)) << (gid & 31u))))) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 1u; ++i) sum = sum + f64(2) * (q_21 * q_19 + q_21) + f64(-3) * (q_21 * q_19 + q_20) + f64(1) * (q_20 * q_20 + q_19) + f64(i) * q_19; seen = mixed(seen, u64(i64(sum))); }
  { const f32 q_22 = f32(i32(u32(u32(255u)) & 31u) - 11); const f32 q_23 = f32(i32(u32(v5) & 31u) - 11); const f32 q_24 = f32(i32(u32(u32(u64(u32(u32(w2) ^ u32(u32(v4)))) << (u32(u32(u32(v4)) * u32(u32(g0))) & 31u))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f32(2) * (q_22 * q_23 + q_22) + f32(1) * (q_23 * q_24 + q_22) + f32(1) * (q_22 * q_22 + q_22) + f32(i) * q_22; seen = mixed(seen, u64(i64(sum))); }
  { const f32 q_25 = f32(i32(u32(((g0 != i64(w2)) ? u32(u32(u32(v4)) + u32(u32(g0))) : u32(u32(u32(v4)) ^ u32(threadIdx.x)))) & 31u) - 11); const f32 q_26 = f32(i32(u32(u32(u32(u32(u32(v4) / u32(3))) | u32(u32(u64(tid) << (a & 31u))))) & 31u) - 11); const f32 q_27 = f32(i32(u32(u32(__popc(u32(u64(v5) << (v5 & 31u))))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f32(-3) * (q_26 * q_25 + q_26) + f32(-1) * (q_26 * q_27 + q_26) + f32(5) * (q_26 * q_27 + q_27) + f32(i) * q_25; seen = mixed(seen, u64(i64(sum))); }
  v4 = i16(u32(~(u32(u32(u32(u32(v3)) & u32(w2)) / u32(3)))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1130(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i16 g0 = i16(blockDim.x);
  i16 u1 = i16(u32(i16(u32(g0) - u32(g0))) * u32(i16(32768u)));
  i32 w2 = i32(u64(i32(3u)) << (u32(u1) & 31u));
  i16 v3 = i16(u32(__popc(u32(u32(u32(u1)) | u32(u32(3u))))));
  i16 v4 = i16(u32(__popc(u32(g0))));
  u32 v5 = u32(u1);
  v3 = ((((threads & 4u) != 0u) || (((u32(u1) & 1u) != 0u) != ((gridDim.x & 5u) != 0u))) ? i16(i16(i16(2u) >> (u32(2147483648u) & 15u)) % i16(2)) : i16(u32(i16(u64(i16(n)) << (u32(w2) & 15u))) | u32(i16(u32(~(blockIdx.x))))));
  w2 = ((i64(u64(i64(u1)) ^ u64(i64(u1))) > i64(u64(i64(g0)) << (u32(u1) & 63u))) ? i32(u64(i32(u32(i32(n)) ^ u32(i32(gridDim.x)))) << (u32(w2) & 31u)) : i32(g0));
  { f64 t_1 = x[u32(gid * 3u + u32(u32(u32(__clz(u32(1u)))) ^ u32(u32(v5 >> (v5 & 31u)))) % 64u) % 32768u] * 0.37, h_2 = f64(u32(u32(~(u32(u32(u32(w2)) - u32(u32(g0))))) & 1023u)) / 7; const f64 p_3 = (f64(t_1) - ((f64(f) + h_2) * quotient(0.0, f64(f)))); const f64 u_4 = (((f64(t_1) / f64(p_3)) - f64(p_3)) - (f64(f) / f64(p_3))); const bool in_5 = u_4 > ((f64(u64(u64(whole<u64>(f)) | u64(whole<u64>(t_1)))) * f64(f)) + (f64(t_1) - f64(t_1))); __syncthreads(); mine[0] = raw(u_4); mine[1] = in_5; mine[2] = raw(p_3); waiting[tid] = raw(u_4); if (in_5) mine[3] = 7u; else mine[3] = 9u;  bad += unequal(waiting[tid], raw(u_4)); bad += unequal(mine[0], raw(u_4)) + unequal(mine[1], in_5) + unequal(mine[2], raw(p_3)); if (in_5) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { const f32 q_6 = f32(i32(u32(u32(u32(((i64(v5) >= i64(threadIdx.z)) ? u32(v4) : u32(g0))) - u32(u32(i64(v3))))) & 31u) - 11); const f32 q_7 = f32(i32(u32(u32(u32(u32(u32(v3) % u32(10))) | u32(u32(0u)))) & 31u) - 11); const f32 q_8 = f32(i32(u32(u32(u32(u32(u32(u32(u1)) & u32(u32(u1)))) * u32(u32(v5 >> (v5 & 31u))))) & 31u) - 11); f32 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f32(1) * (q_8 * q_8 + q_7) + f32(5) * (q_7 * q_7 + q_6) + f32(2) * (q_6 * q_7 + q_7) + f32(i) * q_6; seen = mixed(seen, u64(i64(sum))); }
  seen = mixed(seen, u64(i32(0u)));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1131(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  i64 g0 = i64(threads);
  i32 u1 = i32(u32(i32(threads)) - u32(i32(g0)));
  i64 w2 = i64(in[u32(u32(u32(g0)) & u32(block)) % 1024u]);
  i64 v3 = i64(u8(u32(u8(u1)) + u32(u8(threadIdx.z))));
  i16 v4 = ((((u32(w2) & 5u) != 0u) || ((u32(v3) & 16u) != 0u)) ? i16(i16(u1) / i16(1)) : i16(w2));
  u32 v5 = u32(u32(threadIdx.y) | u32(u32(u64(warp))));
  v4 = i16(u32(i16(u32(i16(u8(v5))) + u32(i16(u32(i16(w2)) | u32(i16(g0)))))) | u32(i16(u64(i16(u32(i16(n)) ^ u32(i16(255u)))) << (u32(1727053647u) & 15u))));
  { f64 t_1 = x[u32(gid * 3u + u32(u1) % 64u) % 32768u] * 0.37, h_2 = f64(u32(u32(u32(u32(u32(u32(v3)) * u32(u32(3u)))) * u32((((v5 & 5u) != 0u) ? v5 : u32(2u)))) & 1023u)) / 7; const f64 p_3 = ((f64(t_1) * f64(f)) - (1000000.0 + ((whole<u16>(t_1) == whole<u16>(h_2)) ? (-17.0 - -1.0) : quotient(-17.0, f64(threadIdx.y))))); const f64 u_4 = tanh((((f64(((const u8 *)in)[u32(gid + u8(0u)) % 4096u]) * f64(p_3)) - f64(f)) + (f64(p_3) * f64(p_3)))); const bool in_5 = u_4 <= ((f64(t_1) * rint(((h_2 <= 0.1) ? 3.25 : 0.0))) * fma(f64(u16(255u)), smaller(h_2, f64(gid)), ((whole<i8>(p_3) >= i8(threads)) ? 0.1 : -1.0))); __syncthreads(); mine[0] = raw(u_4); mine[1] = in_5; mine[2] = raw(p_3); waiting[tid] = raw(u_4); if (in_5) mine[3] = 7u; else mine[3] = 9u;  bad += unequal(waiting[tid], raw(u_4)); bad += unequal(mine[0], raw(u_4)) + unequal(mine[1], in_5) + unequal(mine[2], raw(p_3)); if (in_5) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  { const f64 q_6 = f64(i32(u32(u32(u32(v5) - u32(u32(u32(u32(988818858u)) - u32(u32(v4)))))) & 31u) - 11); const f64 q_7 = f64(i32(u32(u32(v3)) & 31u) - 11); const f64 q_8 = f64(i32(u32(u32(in[u32(in[u32(255u) % 1024u]) % 1024u])) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f64(1) * (q_8 * q_8 + q_6) + f64(1) * (q_6 * q_6 + q_6) + f64(-3) * (q_7 * q_7 + q_6) + f64(i) * q_6; seen = mixed(seen, u64(i64(sum))); }
  { const f32 t_9 = x[u32(block) * 5u + 3u] * f32(0.37), h_10 = f32(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(exp(((f32(h_10) * f32(h_10) + f32(f)) * f32(t_9) + f32(f)))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) { return __float_as_uint(x); }
__device__ inline u64 raw(f64 x) { return u64(__double_as_longlong(x)); }
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif
__global__ void k1132(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 bad = 0;
  __shared__ u64 waiting[128];
  u64 *const mine = (u64 *)own + gid * 4u;
  u32 g0 = gridDim.x;
  i64 u1 = i64(i32(g0));
  u32 w2 = u32(in[u32(u64(u32(u1)) << (g0 & 31u)) % 1024u]);
  i32 v3 = i32(4294967295u);
  i16 v4 = i16(u32(i16(w2)) + u32(i16(w2)));
  u32 v5 = u32(u32(u32(in[u32(v3) % 1024u])) * u32(u32(u32(u32(v3)) * u32(u32(7u)))));
  { const f32 t_1 = x[u32(block) * 5u + 3u] * f32(0.37), h_2 = f32(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(((((f32(t_1) * f32(t_1) + f32(t_1)) * f32(t_1) * f32(h_2)) - f32(t_1) + f32(t_1)) - f32(t_1) + f32(t_1))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  if (((u8(u1) >= u8(blockDim.x)) || (u64(n) == u64(block)))) {
    { f64 t_3 = x[u32(gid * 3u + u32(u32(u32(u32(2u) % u32(3))) & u32(u32(u32(v4) % u32(2)))) % 64u) % 32768u] * 0.37, h_4 = f64(u32(u32(u1) & 1023u)) / 7; const f64 p_5 = (((f64(t_3) * f64(f)) * f64(h_4)) + f64(f)); const f64 u_6 = ((f64(p_5) * f64(t_3)) * (f64(f) * f64(f))); const bool in_7 = u_6 < (f64(f) * t_3); __syncthreads(); mine[0] = raw(u_6); mine[1] = in_7; mine[2] = raw(p_5); waiting[tid] = raw(u_6); if (in_7) mine[3] = 7u; else mine[3] = 9u; __syncthreads(); bad += unequal(waiting[tid], raw(u_6)); bad += unequal(mine[0], raw(u_6)) + unequal(mine[1], in_7) + unequal(mine[2], raw(p_5)); if (in_7) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); } __syncthreads(); mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  } else {
    { f64 t_8 = x[u32(gid * 3u + u32(u32((((u32(v4) & 5u) != 0u) ? u32(v3) : u32(u1))) + u32(u32(u32(u32(v3)) + u32(threads)))) % 64u) % 32768u] * 0.37, h_9 = f64(u32(u32(v3) & 1023u)) / 7; const f64 p_10 = (f64(t_8) + f64(h_9)); const f64 u_11 = tanh(((trunc((t_8 - p_10)) + f64(t_8)) * f64(f))); const bool in_12 = u_11 != (((f64(h_9) * fma(f64(((const u8 *)in)[whole<u32>(t_8) % 4096u]), (p_10 + p_10), 0.0)) - f64(t_8)) * f64(t_8)); __syncthreads(); mine[0] = raw(u_11); mine[1] = in_12; mine[2] = raw(p_10); waiting[tid] = raw(u_11); if (in_12) mine[3] = 7u; else mine[3] = 9u; __syncwarp(); bad += unequal(waiting[tid], raw(u_11)); bad += unequal(mine[0], raw(u_11)) + unequal(mine[1], in_12) + unequal(mine[2], raw(p_10)); if (in_12) { bad += unequal(mine[3], 7u); } else { bad += unequal(mine[3], 9u); }  mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }
  }
  { const f64 q_13 = f64(i32(u32(u32(u32(u32(u32(blockIdx.y) * u32(g0))) ^ u32(u32(in[u32(32u) % 1024u])))) & 31u) - 11); const f64 q_14 = f64(i32(u32(lane) & 31u) - 11); const f64 q_15 = f64(i32(u32(u32(2147483648u)) & 31u) - 11); f64 sum = 0; for (u32 i = 0; i < 4u; ++i) sum = sum + f64(2) * (q_13 * q_15 + q_14) + f64(-1) * (q_13 * q_13 + q_13) + f64(-1) * (q_13 * q_13 + q_15) + f64(i) * q_13; seen = mixed(seen, u64(i64(sum))); }
  { const f64 t_16 = x[u32(block) * 5u + 3u] * f64(0.37), h_17 = f64(in[u32(block) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(sin(((((f64(h_17) * f64(t_16) + f64(t_16)) + f64(t_16) * f64(h_17)) + f64(f) + f64(f)) + f64(f) * f64(t_16)))); __syncthreads(); if (tid + 1u < threads) bad += unequal(waiting[tid], waiting[tid + 1u]); __syncthreads(); seen = mixed(seen, bad); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(1120, 35, 0); u32 x = unknown(5); k1128<<<dim3(1, 1, 1), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 32u, 0u, 1.0f); launches.end("k1128 0"); }
  { launches.begin(8192, 256, 0); u32 x = unknown(16); k1128<<<dim3(2, 2, 1), dim3(x, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 256u, 0u, 1.0f); launches.end("k1128 1"); }
  { launches.begin(224, 7, 0); u32 x = unknown(7); k1129<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2u, 33u, 1.0f); launches.end("k1129 0"); }
  { launches.begin(4096, 128, 0); k1130<<<dim3(2, 1, 1), dim3(64, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 128u, 33u, 1.0f); launches.end("k1130 0"); }
  { launches.begin(6144, 192, 0); u32 x = unknown(16); k1131<<<dim3(3, 1, 1), dim3(x, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 5u, 1.0f); launches.end("k1131 0"); }
  { launches.begin(2240, 70, 0); k1132<<<dim3(2, 1, 1), dim3(5, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 1u, 1.0f); launches.end("k1132 0"); }
}

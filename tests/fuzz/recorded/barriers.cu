// Random kernels of kind barriers; barriers.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include "launches.cuh"

#include "prelude.cuh"

__global__ void k1176(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ u64 s0[1 * THREADS];
  __shared__ f32 s1[1 * THREADS];
  f64 u0 = f64(i8(u32(i8(7u)) & u32(i8(gridDim.x))));
  f64 u1 = quotient(f64(u32(2147483648u)), f64(i8(n)));
  u32 u2 = u32(31u);
  u16 w3 = u16(u32(u16(u32(u16(3u)) ^ u32(whole<u16>(u1)))) * u32(whole<u16>(u1)));
  i32 w4 = i32(u32(i32(u32(i32(w3)) * u32(i32(2147483648u)))) & u32(i32(u2)));
  i64 v5 = i64(u2);
  f64 v6 = f64(w4);
  i64 v7 = i64(w3);
  i64 v8 = divided<i64>(i64(u64(i64(3ull)) | u64(i64(w4))), i64(u32(__brev(u32(blockDim.x >> 1)))));
  u32 v9 = u32(u32(u2) * u32(whole<u32>(v6)));
  s0[tid * 1u + 0u] = u64(gid * u32(255u));
  s1[tid * 1u + 0u] = f32(gid * u32(4294967295u));
  switch (u32(u8(u32(whole<u8>(u0)) * u32(whole<u8>(u0)))) % 4u) { case 0: {
    v5 = i64(u64(i64(s0[tid * 1u + 0u])) | u64(i64(tid)));
    {
      u32 live = __ballot_sync(0xffffffffu, 1);
      { i32 same; v6 = f64(__match_all_sync(live, v8 & 1, &same) + same); }
    }
  } case 2: {
    s0[tid * 1u + 0u] = ((divided<i32>(whole<i32>(u1), i32(w3)) < i32(u32(__clz(u32(blockIdx.y >> 1))))) ? u64(u64(remainder_of<u64>(u64(w4), u64(threadIdx.z))) + u64(u64(u64(whole<u64>(v6)) & u64(u64(v9))))) : u64(threadIdx.y));
    { u32 c0 = 0; do {
      s0[tid * 1u + 0u] = u64(((const i32 *)in)[remainder_of<u32>(v9, whole<u32>(f64(c0))) % 1024u]);
      v7 = remainder_of<i64>(i64(u64(remainder_of<i64>(i64(31ull), i64(gid))) ^ u64(i64(31ull))), shifted_right<i64>(i64(u64(i64(w3)) + u64(whole<i64>(f))), u32(u32(v9) + u32(u32(2147483648u)))));
      if (gid >= n && (-17.0f < f32(u0))) {
        out[gid] = mixed(seen, u64(u64(u64(u64(u64(w4)) | u64(u64(a)))) ^ u64(whole<u64>(v6))));
        return;
      }
    } while (++c0 < 4u && (i16(65535u) > i16(w3))); }
  } break; default: {
    if ((u32(((const i32 *)in)[u32(u32(u32(2u)) * u32(threads)) % 1024u]) > u32(u32(u32(u32(tid) ^ u32(u32(w4)))) | u32(u2)))) {
      v8 = i64(w3);
    }
  } break; }
  for (i32 c1 = i32(u32(u32(u32(u32(u32(u32(255u)) - u32(whole<u32>(u1)))) - u32(blockIdx.y))) % 5u); c1 > 0; c1 -= 1) {
    {
      u32 live = __ballot_sync(0xffffffffu, 1);
      v7 = from_partner<i64>(live, live, lane, i64(u32(__brev(u32(u32(u32(v9) + u32(v9)) >> 1)))), u32(u32(u32(u32(blockIdx.y) ^ u32(whole<u32>(u1)))) & u32(u32(u32(u2) * u32(u32(2147483648u))))), 1);
    }
    for (u32 c2 = 0; c2 < 3u && __syncthreads_or(((u32(__clz(u32(u32(31u) >> 1))) & 2) != 0)); ++c2) {
      {
        u32 live = __ballot_sync(0xffffffffu, 1);
        v5 = i64(__any_sync(0xffffffffu, ((((whole<u32>(f) & 4) != 0) && (whole<i16>(u0) == i16(u2))) || ((f32(c1) <= f32(v5)) != ((u32(1u) & 3) != 0)))) != 0);
      }
      s0[tid * 1u + 0u] = u64(32ull);
      s1[tid * 1u + 0u] = fma(((f32(u1) != f32(v6)) ? f32(w4) : f32(v5)), f32(u1), f32(u32(v8)));
      __syncthreads();
      s1[tid * 1u + 0u] = f32(v9);
      u0 = fma(((whole<u64>(u0) == u64(3ull)) ? f64(f) : ((whole<i32>(f) == whole<i32>(u1)) ? f64(u2) : 1.0)), sqrt(u1), f64(((const i32 *)in)[whole<u32>(u0) % 1024u]));
      for (u32 c3 = 0, topc3 = u32(u2) % 5u; c3 < topc3 && (u2 > u2); ++c3) {
        atomicOr(&counters[blockIdx.y % 64u], whole<u32>(f));
        if (((shifted_left<u32>(u32(((const u64 *)in)[u32(1u) % 512u]), gridDim.x) & 1) != 0)) {
          s1[tid * 1u + 0u] = f32(w3);
          s0[tid * 1u + 0u] = u64(c1);
          s1[tid * 1u + 0u] = (f32(((const i32 *)in)[u32(32u) % 1024u]) * f32(threadIdx.x));
          u1 = f64(__syncthreads_and((((u2 & 1) != 0) != (i32(1u) == i32(blockIdx.y)))));
          atomicExch(&s0[tid * 1u + 0u], u64(32ull));
          s1[tid * 1u + 0u] = f32(((const i16 *)in)[whole<u32>(u0) % 2048u]);
          v6 = f64(gridDim.x);
        }
        v5 = ((f32(blockIdx.y) == floor(f32(v8))) ? i64(u16(u32(w3) + u32(u16(threadIdx.x)))) : i64(u64(((0.1f <= -17.0f) ? i64(32ull) : v7)) - u64(i64(u64(i64(c1)) | u64(v5)))));
      }
    }
    s0[tid * 1u + 0u] = u64(blockIdx.x);
    s1[tid * 1u + 0u] = fma(f32(f64(gid)), quotient(f32(v6), f32(w4)), (f32(blockIdx.x) * 0.0f));
    u2 = u32(__syncthreads_count((u16(c1) > u16(v9))));
    s1[tid * 1u + 0u] = (quotient(f32(v9), f32(v5)) * f32(gid));
    v8 = shifted_right<i64>(v7, u32(s0[tid * 1u + 0u]));
  }
  v8 = i64(u64(whole<i64>(f)) + u64(whole<i64>(s1[tid * 1u + 0u])));
  atomicOr(&counters[shifted_left<u32>(u2, u32(u32(u32(v8)) + u32(u32(v8)))) % 64u], u32(u32(u32(u32(u32(908623263u)) ^ u32(a))) | u32(u32(32u))));
  s0[tid * 1u + 0u] = u64(u8(u32(u8(v9)) + u32(u8(w3))));
  s1[tid * 1u + 0u] = f32(w4);
  __syncthreads();
  s0[tid * 1u + 0u] = u64(v8);
  s1[tid * 1u + 0u] = (((u32(31u) & 2) != 0) ? f32(u16(block)) : quotient(f32(w3), f32(v5)));
  if (tid % 3u == 1u && ((u32(~(u32(u32(3745773364u) >> 1))) & 4) != 0)) {
    out[gid] = mixed(seen, ((u2 >= whole<u32>(f)) ? u64(u64(u64(v9)) ^ u64(u64(w4))) : u64(u64(whole<u64>(f)) - u64(u64(v7)))));
    return;
  }
  u64 sum = seen;
  sum = mixed(sum, bits(u0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(u2));
  sum = mixed(sum, bits(w3));
  sum = mixed(sum, bits(w4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(v6));
  sum = mixed(sum, bits(v7));
  sum = mixed(sum, bits(v8));
  sum = mixed(sum, bits(v9));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1177(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  extern __shared__ u64 dynamic_memory[];
  u64 *dynamic = (u64 *)dynamic_memory;
  u32 u0 = u32(u32(shifted_left<u32>(blockIdx.y, n)) ^ u32(blockIdx.y));
  i8 u1 = i8(u32((((u0 & 4) != 0) ? i8(n) : i8(u0))) & u32(i8(u0)));
  f32 u2 = (trunc(f32(a)) - (f32(u0) - f32(threads)));
  f32 w3 = f32(((const u64 *)in)[shifted_left<u32>(u32(32u), u32(2u)) % 512u]);
  f32 w4 = u2;
  i32 v5 = i32(u32(i32(u32(i32(blockIdx.y)) * u32(i32(2u)))) & u32(i32(u32(~(u32(u32(u1) >> 1))))));
  u16 v6 = u16(u32(u16(warp)) - u32(divided<u16>(u16(65535u), u16(threadIdx.y))));
  i8 v7 = i8(threadIdx.x);
  u32 v8 = u32(whole<i32>(w3));
  i64 v9 = i64(u64(i64(u64(i64(v8)) | u64(i64(v8)))) ^ u64(i64(((const i16 *)in)[u32(v7) % 2048u])));
  dynamic[tid + 0u * threads] = u64(gid * u32(4294967295u));
  for (i32 c0 = i32(2u); c0 > 0; c0 -= 2) {
    for (u32 c1 = 0; c1 < 3u && __syncthreads_or((i32(u32(i32(255u)) & u32(whole<i32>(u2))) >= i32(u32(i32(warp)) + u32(i32(3763062690u))))); ++c1) {
      { u32 c2 = 0; do {
        dynamic[tid + 0u * threads] = u64(u32(~(u32(shifted_right<u32>(((f64(blockIdx.y) == f64(n)) ? whole<u32>(u2) : blockIdx.x), u32(v5)) >> 1))));
        atomicExch(&dynamic[tid + 0u * threads], u64(u64(divided<u64>(u64(u0), u64(7ull))) + u64(u64(c0))));
        u1 = i8(__syncthreads_or(((u32(u32(whole<u32>(f)) | u32(u32(v7))) & 3) != 0)));
        seen = mixed(seen, bits(dynamic[((tid + 16u) % threads) + 0u * threads]));
        seen = mixed(seen, bits(dynamic[((tid + 2u) % threads) + 0u * threads]));
        if (((shifted_left<u32>(u32(((const i32 *)in)[u32(c0) % 1024u]), blockDim.x) & 1) != 0)) {
          atomicMin(&counters[u32(u32(u32(__clz(u32(tid >> 1)))) * u32(v8)) % 64u], shifted_right<u32>(((u32(3u) >= u32(u1)) ? block : whole<u32>(u2)), u32(abs(i32(i32(v6) >> 1)))));
          v5 = i32(u32(i32(threadIdx.y)) + u32(((block < block) ? i32(255u) : (((u32(0u) & 4) != 0) ? i32(c2) : i32(v8)))));
        } else {
          {
            u32 live = __ballot_sync(0xffffffffu, 1);
            v7 = i8(__any_sync(live, (w4 != (f32(threadIdx.z) - f32(blockDim.x)))) != 0);
          }
          v7 = divided<i8>(shifted_left<i8>(divided<i8>(i8(gridDim.x), whole<i8>(f)), u32(u32(u32(4294967295u)) * u32(blockDim.x))), i8(v9));
          v9 = i64(tid);
        }
        __syncthreads();
        if (tid == 63u % threads) {
          dynamic[u32(((const i32 *)in)[u32(v7) % 1024u]) % (1u * threads)] = u64(u64(((u0 != u0) ? u64(threadIdx.y) : whole<u64>(w4))) ^ u64(u64(((const i16 *)in)[lane % 2048u])));
        }
        atomicMin(&counters[u32(((const u8 *)in)[u32(v9) % 4096u]) % 64u], u32(((const i32 *)in)[shifted_right<u32>(u32(v5), whole<u32>(u2)) % 1024u]));
        if (tid == 63u % threads) {
          dynamic[u32(u32(((whole<i32>(w4) == i32(31u)) ? v8 : u32(31u))) ^ u32(u32(u32(u32(v7)) * u32(u32(v7))))) % (1u * threads)] = u64(((const i32 *)in)[u32(u32(u32(u32(u32(u1)) & u32(block))) * u32(u32(whole<i64>(w4)))) % 1024u]);
        }
        u0 = u32(__syncthreads_and((shifted_right<u8>(u8(c2), tid) > u8(u64(lane)))));
        dynamic[tid + 0u * threads] = u64(u64(u64(u64(u64(v7)) + u64(u64(18446744073709551615ull)))) | u64(((i64(v8) <= i64(32ull)) ? u64(0ull) : u64(31ull))));
        w3 = (f32(i8(((const u8 *)in)[u32(u1) % 4096u])) - fabs(f32(c0)));
        v6 = u16(u32(shifted_right<u16>(u16(v8), u32(dynamic[tid + 0u * threads]))) ^ u32(u16(u32(u16(u32(u16(threadIdx.x)) & u32(u16(u1)))) & u32(u16(u32(whole<u16>(w3)) - u32(u16(threadIdx.y)))))));
      } while (++c2 < 4u && ((whole<u32>(u2) & 1) != 0)); }
      u0 = u32(__syncthreads_or((i64(u32(__brev(u32(u32(u1) >> 1)))) <= i64(v6))));
      dynamic[tid + 0u * threads] = u64(shifted_right<i8>(whole<i8>(u2), u32(v5)));
      switch (u32(u32(u32(u32(u32(c0)) + u32(gridDim.x))) | u32(((i16(n) >= i16(u1)) ? whole<u32>(u2) : whole<u32>(u2)))) % 4u) { case 0: {
        v8 = u32(__clz(u32(u32(u32(u32(u32(u32(v7)) - u32(u32(v5)))) | u32(shifted_right<u32>(u32(v7), whole<u32>(w4)))) >> 1)));
      } break; case 2: {
        switch ((((whole<u32>(f) & 1) != 0) ? u32(u32(u32(2327754882u)) | u32(u32(v9))) : u32(32u)) % 4u) { case 0: {
          atomicMin(&counters[u32(c0) % 64u], u32(__clz(u32(u32(u32(u32(u1)) & u32(whole<u32>(w3))) >> 1))));
          v7 = i8(u32(i8(u0)) | u32(i8(u32(i8(((const i32 *)in)[v8 % 1024u])) - u32(i8(u32(i8(c0)) | u32(whole<i8>(u2)))))));
        } break; case 2: {
          v9 = ((i16(c0) >= i16(32u)) ? ((f64(u1) != f64(blockIdx.y)) ? whole<i64>(f) : i64(u64(i64(v5)) | u64(i64(v8)))) : i64(dynamic[tid + 0u * threads]));
          v9 = i64(u64(i64(u64(((u16(0u) < whole<u16>(f)) ? i64(255ull) : i64(32ull))) ^ u64(i64(u32(__brev(u32(u32(c0) >> 1))))))) | u64(i64(((const u8 *)in)[u32(gid + u8(255u)) % 4096u])));
        } break; default: {
          v7 = i8(v8);
          atomicMin(&counters[u32(__popc(u32(u32(__ffs(u32(warp >> 1))) >> 1))) % 64u], ((i32(v9) == i32(1u)) ? (((u32(u1) & 2) != 0) ? u32(2147483648u) : u32(7u)) : u32(((const u8 *)in)[u32(0u) % 4096u])));
        } break; }
        v5 = (((f64(v6) >= f64(u2)) && (i16(v7) < i16(v6))) ? i32(u32(i32(i64(u0))) | u32(i32(v8))) : i32(u32(i32(u32(__brev(u32(whole<u32>(u2) >> 1))))) * u32(i32(u32(whole<i32>(u2)) & u32(i32(255u))))));
      } break; default: {
        v9 = remainder_of<i64>(i64(v7), i64(u64(i64(u64(i64(9223372036854775808ull)) + u64(i64(threadIdx.x)))) | u64(i64(u64(i64(c0)) ^ u64(i64(gridDim.x))))));
        v7 = i8(((const u64 *)in)[u32(((const u8 *)in)[u32(gid + u8(45u)) % 4096u]) % 512u]);
      } }
      {
        u32 some = __ballot_sync(0xffffffffu, (u32(v7) == u32(((const u8 *)in)[u32(c0) % 4096u])));
        if (some >> lane & 1u) {
          v8 = from_below<u32>(some, some, lane, u32(c0), u32(u32(u32(u32(warp) & u32(whole<u32>(u2)))) & u32(whole<u32>(f64(blockDim.x)))), 16);
        }
      }
    }
    v6 = u16(((const i32 *)in)[u32(gid + u8(2u)) % 1024u]);
    dynamic[tid + 0u * threads] = u64(u64(dynamic[tid + 0u * threads]) - u64(u64(u64(u64(v8)) | u64(u64(v6)))));
    __syncthreads();
    if (tid == 6u % threads) {
      dynamic[u32(i32(v8)) % (1u * threads)] = u64(((const i16 *)in)[u32(abs(i32(i32(blockIdx.x) >> 1))) % 2048u]);
    }
    atomicMin(&counters[u32(u32(block) ^ u32(v8)) % 64u], u32(u32(shifted_right<u32>(u32(c0), u32(3u))) - u32(u32(u32(u32(v9)) ^ u32(whole<u32>(u2))))));
    if (tid == 6u % threads) {
      dynamic[u32(((const u8 *)in)[u32(gid + u8(32u)) % 4096u]) % (1u * threads)] = u64((((u64(warp) <= u64(u0)) != ((u32(0u) & 1) != 0)) ? i64(u64(i64(u0)) - u64(whole<i64>(w4))) : i64(u64(i64(v8)) ^ u64(i64(7ull)))));
    }
    if (tid == 6u % threads) {
      dynamic[u32(u32(u32(4294967295u)) | u32(whole<u32>(u2))) % (1u * threads)] = u64(u64(u64(u64(u64(7ull)) + u64(u64(v5)))) & u64(u64(u64(u64(v5)) + u64(u64(u1)))));
    }
    u2 = f32(__syncthreads_count(((whole<u32>(u2) & 3) != 0)));
    dynamic[tid + 0u * threads] = whole<u64>(w4);
    v9 = i64(u64(i64(dynamic[tid + 0u * threads])) * u64(remainder_of<i64>(i64(18446744073709551615ull), i64(v5))));
  }
  {
    u32 live = __ballot_sync(0xffffffffu, 1);
    v5 = i32(__match_any_sync(live, u32(u32(v8) & u32(whole<u32>(w4))) & 3));
  }
  {
    dynamic[tid + 0u * threads] = ((i32(2u) != whole<i32>(w3)) ? u64(v8) : whole<u64>(f));
    __syncwarp();
    if ((warp * 32u + (lane ^ 2u)) < threads) v9 = i64(dynamic[(warp * 32u + (lane ^ 2u)) + 0u * threads]);
    __syncwarp();
  }
  atomicMin(&counters[((i8(255u) != i8(n)) ? whole<u32>(u2) : block) % 64u], u32(u32(u32(((const i16 *)in)[u32(255u) % 2048u])) ^ u32(u32(2u))));
  dynamic[tid + 0u * threads] = whole<u64>(f64(u64(v7)));
  __syncthreads();
  w4 = (quotient(f32(((const i32 *)in)[whole<u32>(w3) % 1024u]), w4) + quotient((f32(n) * f), f32(threads)));
  u64 sum = seen;
  sum = mixed(sum, bits(u0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(u2));
  sum = mixed(sum, bits(w3));
  sum = mixed(sum, bits(w4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(v6));
  sum = mixed(sum, bits(v7));
  sum = mixed(sum, bits(v8));
  sum = mixed(sum, bits(v9));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1178(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ u16 s0[2 * THREADS];
  i16 u0 = i16(u32(i16(threads)) & u32(i16(u32(i16(threads)) * u32(i16(a)))));
  u64 u1 = u64(u0);
  u16 u2 = u16(((const i16 *)in)[u32(u1) % 2048u]);
  u64 w3 = shifted_left<u64>(u64(255ull), whole<u32>(f64(warp)));
  u64 w4 = u64(u64(shifted_right<u64>(u64(0ull), u32(u2))) + u64(u64(threads)));
  i64 v5 = i64(u32(__popc(u32(u32(u32(block) + u32(u32(u2))) >> 1))));
  u64 v6 = u64(u64(u64(u2)) ^ u64(u64(((const u8 *)in)[u32(u1) % 4096u])));
  i32 v7 = remainder_of<i32>(divided<i32>(i32(u2), i32(threadIdx.x)), i32(u32(i32(threadIdx.z)) - u32(i32(u1))));
  u32 v8 = u32(v5);
  u32 v9 = (((u32(v6) & 1) != 0) ? u32(u32(u32(v7)) & u32(warp)) : u32(((const i32 *)in)[u32(w3) % 1024u]));
  s0[tid + 0u * threads] = u16(gid * u32(1u));
  s0[tid + 1u * threads] = u16(gid * u32(31u));
  s0[tid + 0u * threads] = u16(65535u);
  {
    __syncthreads();
    for (u32 c0 = 128; c0 > 0; c0 >>= 1) {
      if (tid < c0 && tid + c0 < threads) {
        s0[tid] = u16(u64(s0[tid]) - u64(s0[tid + c0]));
      }
      __syncthreads();
    }
  }
  { u32 c1 = 0; do {
    w3 = u64(((const i32 *)in)[((i64(w3) == whole<i64>(f)) ? u32(u32(u32(u1)) * u32(u32(u1))) : u32(u32(u32(u2)) * u32(c1))) % 1024u]);
    s0[tid + 1u * threads] = u16(u0);
    s0[tid + 0u * threads] = ((u8(u2) == u8(v8)) ? u16(65535u) : u16(46084u));
    u2 = u16(__syncthreads_and((shifted_left<i32>(i32(w3), c1) > (((u32(2u) & 3) != 0) ? v7 : i32(7u)))));
    seen = mixed(seen, bits(s0[((tid + 64u) % threads) + 0u * threads]));
    atomicMax(&counters[threadIdx.y % 64u], u32(((const i32 *)in)[shifted_right<u32>(block, gridDim.x) % 1024u]));
    seen = mixed(seen, bits(s0[((tid + 33u) % threads) + 0u * threads]));
    __syncthreads();
    s0[tid + 0u * threads] = whole<u16>(f32(w4));
    s0[tid + 1u * threads] = u16(((const u8 *)in)[u32(gid + u8(2u)) % 4096u]);
    {
      u32 live = __ballot_sync(0xffffffffu, 1);
      v9 = u32(__reduce_max_sync(live, shifted_right<i32>(i32(v9), c1)));
    }
  } while (++c1 < 4u && ((i16(blockDim.x) >= whole<i16>(f)) && (u2 <= u16(u1)))); }
  s0[tid + 0u * threads] = shifted_left<u16>(shifted_left<u16>(u2, threads), shifted_left<u32>(u32(w3), u32(v6)));
  u2 = u16(__syncthreads_or(((u32(31u) & 4) != 0)));
  s0[((tid + 1u) % threads) + 1u * threads] = u16(u32(u16(a)) ^ u32(u16(v9)));
  {
    u32 live = __ballot_sync(0xffffffffu, 1);
    v9 = from_above<u32>(live, live, lane, u32(u32(gridDim.x) + u32(v9)), u32(u32(u32(~(u32(gridDim.x >> 1)))) & u32(u32(u32(u32(u2)) * u32(u32(w3))))), 4);
  }
  u1 = u64(255ull);
  u1 = u64(u64(u64(u64(u64(u32(~(u32(threads >> 1))))) * u64(u64(18446744073709551615ull)))) * u64(((const u64 *)in)[((u32(u2) >= blockIdx.y) ? threads : u32(u0)) % 512u]));
  s0[((tid + 1u) % threads) + 1u * threads] = u16(u32(u16(u32(remainder_of<u16>(u16(v5), u16(v6))) - u32(u16(((const i32 *)in)[u32(u2) % 1024u])))) | u32(u16(u32(u16(31u)) ^ u32(((u8(u2) < u8(u2)) ? u16(32768u) : u16(255u))))));
  s0[((tid + 1u) % threads) + 0u * threads] = (((u32(2127313926u) <= v8) || (i32(blockIdx.y) != i32(w3))) ? u16(u32(u16(block)) - u32(u16(32u))) : u16(v5));
  u0 = i16(__syncthreads_count((i64(v7) <= i64(threadIdx.z))));
  seen = mixed(seen, bits(s0[((tid + 1u) % threads) + 1u * threads]));
  {
    u32 live = __ballot_sync(0xffffffffu, 1);
    v8 = from_lane<u32>(live, live, lane, whole<u32>((((threadIdx.y & 3) != 0) ? f32(v6) : f32(v9))), u32(u32(((i16(v5) >= u0) ? u32(1u) : n)) & u32(shifted_right<u32>(u32(u2), gridDim.x))), 32);
  }
  seen = mixed(seen, bits(s0[((tid + 32u) % threads) + 0u * threads]));
  __syncthreads();
  s0[tid + 0u * threads] = u16(0u);
  s0[tid + 0u * threads] = u16(u32(u16(u32(u16(w3)) | u32(u16(w3)))) - u32(u16(u32(__ffs(u32(remainder_of<u32>(n, u32(u0)) >> 1))))));
  u64 sum = seen;
  sum = mixed(sum, bits(u0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(u2));
  sum = mixed(sum, bits(w3));
  sum = mixed(sum, bits(w4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(v6));
  sum = mixed(sum, bits(v7));
  sum = mixed(sum, bits(v8));
  sum = mixed(sum, bits(v9));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1179(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  __shared__ u8 s0[2 * THREADS];
  u16 u0 = shifted_right<u16>(u16(blockDim.x), u32(((const i16 *)in)[blockIdx.y % 2048u]));
  u32 u1 = u32(abs(i32(remainder_of<i32>(i32(u0), i32(threads)) >> 1)));
  i32 u2 = (((u1 & 4) != 0) ? i32(u32(i32(u0)) - u32(i32(u0))) : i32(u32(i32(blockIdx.y)) + u32(i32(32u))));
  i8 w3 = shifted_right<i8>(i8(u1), u32(((const i32 *)in)[u32(3u) % 1024u]));
  u8 w4 = (((i32(2u) >= i32(u0)) != ((u32(u0) & 1) != 0)) ? u8(((const i32 *)in)[u32(u0) % 1024u]) : remainder_of<u8>(u8(128u), u8(u1)));
  u64 v5 = u64(u64(u64(u64(u64(u2)) - u64(u64(31ull)))) - u64(u64(u0)));
  u32 v6 = u32(u2);
  i64 v7 = i64(w4);
  i8 v8 = i8(u32(i8(u32(__popc(u32(blockIdx.y >> 1))))) | u32(i8(u32(i8(gid)) + u32(i8(v7)))));
  f32 v9 = ((1000000.0f + f32(v6)) - f32(w3));
  s0[tid + 0u * threads] = u8(gid * u32(4294967295u));
  s0[tid + 1u * threads] = u8(gid * u32(3u));
  u2 = divided<i32>(divided<i32>(i32(((const i16 *)in)[u32(u0) % 2048u]), i32(u32(__brev(u32(u1 >> 1))))), i32(i8(u0)));
  s0[tid + 1u * threads] = u8(u32(divided<u8>(u8(threadIdx.z), whole<u8>(v9))) ^ u32(whole<u8>(v9)));
  u2 = i32(__syncthreads_and((u64(threads) < u64(blockIdx.x))));
  v5 = u64(u64(u64(u64(u64(9223372036854775808ull)) + u64(whole<u64>(v9)))) * u64(u64(u64(u64(threadIdx.z)) | u64(u64(u0)))));
  seen = mixed(seen, bits(s0[((tid + 16u) % threads) + 1u * threads]));
  u2 = i32(__syncthreads_count(((((u32(255u) & 2) != 0) && (u64(u0) >= u64(gid))) || (whole<u32>(v9) < u32(w3)))));
  s0[tid + 1u * threads] = u8(u32(u8(7u)) + u32(shifted_right<u8>(u8(gridDim.x), u1)));
  v5 = u64(u64((((whole<u32>(v9) & 3) != 0) ? u64(w4) : u64(u64(u64(w3)) ^ u64(u64(18446744073709551615ull))))) ^ u64(shifted_left<u64>(shifted_left<u64>(u64(v8), u32(2147483648u)), u32(u32(u32(4294967295u)) + u32(blockIdx.y)))));
  w4 = u8(threads);
  {
    u32 some = __ballot_sync(0xffffffffu, (whole<u64>(f) != u64(((const i32 *)in)[u32(gid + u8(255u)) % 1024u])));
    if (some >> lane & 1u) {
      v9 = f32(__any_sync(some, (f64(v9) > (f64(v7) - f64(v7)))) != 0);
    }
  }
  u0 = u16(u32(divided<u16>(u16(32768u), u16(u32(u16(u1)) + u32(u0)))) * u32(u16(u32(u16(u32(whole<u16>(f)) ^ u32(u16(u1)))) & u32(u16(u1)))));
  u64 sum = seen;
  sum = mixed(sum, bits(u0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(u2));
  sum = mixed(sum, bits(w3));
  sum = mixed(sum, bits(w4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(v6));
  sum = mixed(sum, bits(v7));
  sum = mixed(sum, bits(v8));
  sum = mixed(sum, bits(v9));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1180(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  f32 u0 = f32(threads);
  f32 u1 = f32(((const i32 *)in)[u32(((const i16 *)in)[u32(255u) % 2048u]) % 1024u]);
  u16 u2 = u16(((const i32 *)in)[u32(__popc(u32(whole<u32>(u0) >> 1))) % 1024u]);
  u32 w3 = u32(u32(u32(i16(threads))) + u32(shifted_left<u32>(u32(u2), whole<u32>(u0))));
  u64 w4 = u64(u64(u64(((const i16 *)in)[whole<u32>(u1) % 2048u])) + u64(u64(u32(__popc(u32(blockIdx.x >> 1))))));
  i8 v5 = i8(((const i16 *)in)[(((u32(w4) & 4) != 0) ? u32(1u) : u32(31u)) % 2048u]);
  u64 v6 = shifted_right<u64>(u64(((const i16 *)in)[u32(gid + u8(255u)) % 2048u]), ((i32(31u) != whole<i32>(u1)) ? u32(w4) : whole<u32>(u1)));
  i64 v7 = i64(u64(i64(u64(i64(gid)) * u64(i64(w3)))) - u64(i64(u2)));
  i64 v8 = i64(u64(shifted_left<i64>(i64(255ull), u32(3u))) - u64(i64(32ull)));
  u64 v9 = u64(((const i32 *)in)[u32(((const i16 *)in)[u32(v8) % 2048u]) % 1024u]);
  i32 p0[8];
  for (u32 i = 0; i < 8u; ++i) {
    p0[i] = i32(i * tid);
  }
  v5 = i8(u32(i8(p0[u32(((const i16 *)in)[u32(gid + u8(31u)) % 2048u]) & 7u])) * u32(i8(u32(shifted_right<i8>(i8(u2), u32(v7))) - u32(i8(u32(i8(v6)) ^ u32(v5))))));
  switch (whole<u32>(u0) % 4u) { case 0: {
    v9 = u64(u64(u64(u64(u64(u32(__brev(u32(u32(1u) >> 1))))) * u64(u64(u64(u64(9223372036854775808ull)) ^ u64(v6))))) - u64(u64(u64(u64(u64(u64(u2)) * u64(u64(threads)))) + u64(u64(u2)))));
  } break; case 2: {
    v9 = ((const u64 *)in)[u32(gid + u8(61u)) % 512u];
  } break; default: {
    atomicXor(&counters[u32(u32(u32(((const i32 *)in)[u32(gid + u8(1u)) % 1024u])) - u32(u32(u32(u32(32u)) & u32(threadIdx.z)))) % 64u], u32(u32(u32(u32(u32(u2)) * u32(w3))) - u32((((u32(1u) & 3) != 0) ? blockIdx.y : u32(1u)))));
  } break; }
  u2 = whole<u16>(f);
  atomicXor(&counters[u32(__ffs(u32(((i64(0ull) == i64(a)) ? u32(v8) : u32(32u)) >> 1))) % 64u], u32(v7));
  u64 sum = seen;
  sum = mixed(sum, bits(u0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(u2));
  sum = mixed(sum, bits(w3));
  sum = mixed(sum, bits(w4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(v6));
  sum = mixed(sum, bits(v7));
  sum = mixed(sum, bits(v8));
  sum = mixed(sum, bits(v9));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(); k1176<<<dim3(2, 2, 1), dim3(100, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 285u, 5u, 1000000.0f); launches.end("k1176 0"); }
  { launches.begin(); k1176<<<dim3(1, 1, 1), dim3(8, 8, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 61u, 33u, 0.0f); launches.end("k1176 1"); }
  { launches.begin(); u32 x = unknown(7); k1177<<<dim3(1, 1, 1), dim3(x, 1, 1), 56>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 7u, 5u, -1.0f); launches.end("k1177 0"); }
  { launches.begin(); k1177<<<dim3(2, 2, 1), dim3(128, 1, 1), 1024>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 4294967295u, 1.0f); launches.end("k1177 1"); }
  { launches.begin(); k1178<<<dim3(2, 2, 1), dim3(48, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 192u, 33u, -1.0f); launches.end("k1178 0"); }
  { launches.begin(); k1179<<<dim3(1, 1, 1), dim3(16, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 64u, 4294967295u, 1000000.0f); launches.end("k1179 0"); }
  { launches.begin(); u32 x = unknown(5); k1180<<<dim3(5, 1, 1), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 127u, 4294967295u, -17.0f); launches.end("k1180 0"); }
  { launches.begin(); u32 x = unknown(32); k1180<<<dim3(1, 2, 3), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 144u, 0u, 3.25f); launches.end("k1180 1"); }
  { launches.begin(); u32 x = unknown(5); k1180<<<dim3(1, 2, 3), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 2u, 1.0f); launches.end("k1180 2"); }
}

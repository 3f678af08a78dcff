// Random kernels of kind indices; indices.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include "launches.cuh"

// layout: apart reversed
__global__ void k1032(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *const words = (u32 *)own;
  const i64 count = i64(total) * 16;
  const i64 unknown_one = i64(blockDim.z > 1000u) + 1;
  u64 g0 = u64(u64((((u32(2147483648u) & 3u) != 0u) ? u64(n) : u64(blockDim.x))) * u64(u64(a)));
  i32 u1 = i32(u32(u32(u32(7u)) & u32(u32(2147483648u))));
  u32 w2 = u32(u32(u32(g0)) & u32(u32(u32(u32(u1)) * u32(u32(32u)))));
  i32 v3 = i32(u32(i32(i32(g0) % i32(10))) * u32(i32(w2)));
  i64 v4 = i64(u64(i64(block)) | u64(i64(i64(a) / i64(7))));
  u32 v5 = u32(v4);
  { const u32 x = u32(~(v5)); for (i64 i_1 = -5ll * unknown_one; i_1 < 10ll; i_1 += 3ll) seen = mixed(seen, u64(i_1) * 3u + u64(i32(i_1)) + x); }
  { const u32 x = (((u32(v4) & 1u) != 0u) ? u32(u32(u32(v3)) ^ u32(n)) : u32(u32(u32(v3)) & u32(threads))); for (i64 i_2 = -8589934592ll * unknown_one; i_2 < -8589934577ll; i_2 += 3ll) seen = mixed(seen, u64(i_2) * 3u + u64(i32(i_2)) + x); }
  { const u32 x = threadIdx.y; for (i64 i_3 = -1ll * unknown_one; i_3 > -6ll; i_3 += -1ll) seen = mixed(seen, u64(i_3) * 3u + u64(i32(i_3)) + x); }
  { const u32 x = u32(i16(u32(__clz(threadIdx.z)))); for (i64 i_4 = 1099511627776ll * unknown_one; i_4 < 1105954078720ll; i_4 += 2147483648ll) seen = mixed(seen, u64(i_4) * 3u + u64(i32(i_4)) + x); }
  for (u32 c_5 = 0, topc_5 = u32(u32(u1)) % 3u; c_5 < topc_5; ++c_5) {
    switch (u32(i16(c_5)) % 4u) { case 0: {
      { const u32 x = u32(in[c_5 % 1024u]); for (u64 i_6 = 9; i_6 >= 2 && i_6 < 1000; i_6 -= 1) words[i32(count) - 1 - i32(i_6) * i32(total) - i32(gid) * i32(unknown_one)] = words[i32(count) - 1 - i32(i_6) * i32(total) - i32(gid) * i32(unknown_one)] + x * (words + (count - 1 - i64(gid)))[-i64(total) * i64((i_6 / 2))] + u32(i_6); }
      { const u32 x = u32(in[u32(u32(u32(v3)) * u32(u32(g0))) % 1024u]); for (i32 i_7 = 2; i_7 <= 5; i_7 += 2) words[i64(count) - 1 - i64(i_7) * i64(total) - i64(gid) * i64(1)] = words[i64(count) - 1 - i64(i_7) * i64(total) - i64(gid) * i64(1)] + x * words[u64(count) - 1 - u64((i_7 / 2)) * u64(total) - u64(gid) * u64(unknown_one)] + u32(i_7); }
    } break; case 2: {
      for (u32 c_8 = u32(((u64(w2) <= u64(v5)) ? u32(u32(v5) + u32(u32(g0))) : u32(g0))) % 5u; c_8-- > 0u;) {
        { const u32 x = u32(u32(u32(u32(u32(g0)) + u32(u32(4245785621u)))) + u32(u32(u32(u1) >> (v5 & 31u)))); for (i64 i_9 = 15; i_9 >= 1 && i_9 < 1000; i_9 -= 1) words[i64(count) - 1 - i64(i_9) * i64(total) - i64(gid) * i64(1)] = words[i64(count) - 1 - i64(i_9) * i64(total) - i64(gid) * i64(1)] + x * (words + (count - 1 - i64(gid)))[-i64(total) * i64((i_9 / 2))] + u32(i_9); }
        { const u32 x = u32(u1); for (u64 i_10 = 15; i_10 >= 2 && i_10 < 1000; i_10 -= 1) words[i64(count) - 1 - i64(i_10) * i64(total) - i64(gid) * i64(unknown_one)] = words[i64(count) - 1 - i64(i_10) * i64(total) - i64(gid) * i64(unknown_one)] + x * words[u64(count) - 1 - u64((i_10 / 2)) * u64(total) - u64(gid) * u64(unknown_one)] + u32(i_10); }
      }
      { const u32 w = u32(u64(u32(threadIdx.z >> (threads & 31u))) << (u32(u32(w2) | u32(u32(v3))) & 31u)); seen = mixed(seen, words[i32(count) - 1 - i32(((u32(w) + 2147483648u) & 7u)) * i32(total) - i32(gid) * i32(unknown_one)]); words[i32(count) - 1 - i32(((u32(w) + 2147483648u) & 7u)) * i32(total) - i32(gid) * i32(unknown_one)] += w; }
    } break; default: {
      { const u32 w = u32(__popc(u32(u64(u32(32u)) << (blockIdx.x & 31u)))); seen = mixed(seen, words[u64(count) - 1 - u64(((u32(w) + 4294967295u) & 7u)) * u64(total) - u64(gid) * u64(unknown_one)]); words[u64(count) - 1 - u64(((u32(w) + 4294967295u) & 7u)) * u64(total) - u64(gid) * u64(unknown_one)] += w; }
    } break; }
  }
  { const u32 x = u32(u32(u32(u32(threadIdx.z) & u32(u32(255u)))) * u32(u32(3u))); for (u32 i_11 = 1; i_11 <= 15; i_11 += 2) words[i64(count) - 1 - i64(i_11) * i64(total) - i64(gid) * i64(1)] = words[i64(count) - 1 - i64(i_11) * i64(total) - i64(gid) * i64(1)] + x * words[i64(count) - 1 - i64((i_11 / 2)) * i64(total) - i64(gid) * i64(1)] + u32(i_11); }
  v5 = (((((w2 & 3u) != 0u) != ((u32(v3) & 3u) != 0u)) || ((u32(u1) & 4u) != 0u)) ? u32(u32(u32(u64(w2) << (u32(g0) & 31u))) & u32(u32(u32(v4) >> (u32(v4) & 31u)))) : u32(~(u32(255u))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

// layout: apart reversed
__global__ void k1033(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *const words = (u32 *)own;
  const i64 count = i64(total) * 16;
  const i64 unknown_one = i64(blockDim.z > 1000u) + 1;
  i32 g0 = i32(a);
  i64 u1 = (((a & 5u) != 0u) ? i64(u64(i64(10054244030949436424ull)) + u64(i64(g0))) : i64(u32(__ffs(u32(3982420260u)))));
  i32 w2 = i32(u32(__ffs(u32(u1))));
  u64 v3 = u64(u64(u64(u64(u64(warp)) * u64(u64(u1)))) + u64(u64(u64(u64(g0)) - u64(u64(31ull)))));
  i64 v4 = i64(w2);
  u32 v5 = u32(u64(v3 % u64(2)));
  { const u32 x = u32(u32(u32(u32(u32(u1)) ^ u32(u32(v4)))) | u32(u32(u32(v5) + u32(threadIdx.y)))); for (i64 i_1 = 15; i_1 >= 1 && i_1 < 1000; i_1 -= 1) words[i32(count) - 1 - i32(i_1) * i32(total) - i32(gid) * i32(unknown_one)] = words[i32(count) - 1 - i32(i_1) * i32(total) - i32(gid) * i32(unknown_one)] + x * words[u64(count) - 1 - u64((i_1 / 2)) * u64(total) - u64(gid) * u64(1)] + u32(i_1); }
  w2 = i32(u32(i32((((a & 2u) != 0u) ? i32(a) : i32(4294967295u)) >> (u32(u32(u32(2147483648u)) & u32(blockIdx.x)) & 31u))) & u32(i32(u64(i32(u1)) << (u32(~(a)) & 31u))));
  for (u32 c_2 = 0, topc_2 = u32(u32(~(u32(u32(u32(g0)) + u32(u32(g0)))))) % 9u; c_2 < topc_2; ++c_2) {
    if ((u32(in[u32(g0) % 1024u]) == a)) {
      for (u32 c_3 = 0, topc_3 = u32(u32(in[u32(w2) % 1024u])) % 5u; c_3 < topc_3; ++c_3) {
        v4 = i64(u64(i64(u64(i64(c_3)) ^ u64(i64(i32(u1))))) << (u32(u64(u32(2u)) << (u32(u32(0u) >> (u32(w2) & 31u)) & 31u)) & 63u));
        { const u32 x = u32(__popc((((c_2 & 5u) != 0u) ? u32(v4) : lane))); for (u64 i_4 = 9; i_4 >= 1 && i_4 < 1000; i_4 -= 1) words[u64(count) - 1 - u64(i_4) * u64(total) - u64(gid) * u64(unknown_one)] = words[u64(count) - 1 - u64(i_4) * u64(total) - u64(gid) * u64(unknown_one)] + x * (words + (count - 1 - i64(gid)))[-i64(total) * i64((i_4 / 2))] + u32(i_4); }
        { const u32 x = u32(u64(u32(~(c_3)))); for (u64 i_5 = 2; i_5 <= 15; i_5 += 1) (words + (count - 1 - i64(gid)))[-i64(total) * i64(i_5)] = (words + (count - 1 - i64(gid)))[-i64(total) * i64(i_5)] + x * (words + (count - 1 - i64(gid)))[-i64(total) * i64((i_5 / 2))] + u32(i_5); }
      }
      { const u32 x = u32(v3); for (i64 i_6 = -5ll * unknown_one; i_6 < 3221225467ll; i_6 += 1073741824ll) seen = mixed(seen, u64(i_6) * 3u + u64(i32(i_6)) + x); }
      seen = mixed(seen, u64(((c_2 >= u32(255u)) ? u64(u64(u64(v5)) | u64(u64(u1))) : u64(u64(g0) / u64(3)))));
    }
    seen = mixed(seen, u64(i32(u32(__popc(u32(i16(v5)))))));
    v3 = u64(u64(u64(u32(__popc(threads)))) << (u32(u32(u32(v4) >> (v5 & 31u)) >> (u32(u32(u32(g0)) & u32(n)) & 31u)) & 63u));
  }
  { const u32 x = warp; for (i64 i_7 = -5ll * unknown_one; i_7 > -6442450949ll; i_7 += -2147483648ll) seen = mixed(seen, u64(i_7) * 3u + u64(i32(i_7)) + x); }
  { const u32 x = u32(3u); for (i64 i_8 = -1ll * unknown_one; i_8 > -6ll; i_8 += -1ll) seen = mixed(seen, u64(i_8) * 3u + u64(i32(i_8)) + x); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

// layout: reversed
__global__ void k1034(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *const words = (u32 *)own;
  const i64 count = i64(total) * 16;
  const i64 unknown_one = i64(blockDim.z > 1000u) + 1;
  i64 g0 = i64((((u32(2147483648u) & 4u) != 0u) ? i64(gridDim.x) : i64(31ull)) / i64(64));
  i16 u1 = i16(u32(__ffs(u32(i32(g0)))));
  i32 w2 = in[u32(__popc(u32(7u))) % 1024u];
  i64 v3 = i64(u64(i64(i32(u1))) - u64(((i32(u1) != i32(4069505131u)) ? i64(u1) : i64(w2))));
  i32 v4 = i32(g0);
  u32 v5 = u32(u32(u32(u32(u32(g0)) + u32(u32(g0)))) - u32(u32(u32(u32(u1)) & u32(u32(v4)))));
  { const u32 x = u32(3u); for (i32 i_1 = 2; i_1 <= 5; i_1 += 1) (words + (count - 1))[-i64(gid) * 16 - i64(i_1) * unknown_one] = (words + (count - 1))[-i64(gid) * 16 - i64(i_1) * unknown_one] + x * words[i32(count) - 1 - (i32(gid) * 16 + i32((i_1 / 2)))] + u32(i_1); }
  for (u32 c_2 = 0, topc_2 = u32(u32(u32(u32(u64(u32(w2)) << (blockDim.x & 31u))) | u32(u32(u32(blockDim.x) | u32(u32(w2)))))) % 9u; c_2 < topc_2; ++c_2) {
    if ((i64(c_2) >= i64(u64(i64(c_2)) * u64(i64(255ull))))) {
      v3 = i64(i64(i64(v3 % i64(7)) / i64(10)) % i64(2));
      { const u32 x = v5; for (i64 i_3 = 1099511627776ll * unknown_one; i_3 < 1102732853248ll; i_3 += 1073741824ll) seen = mixed(seen, u64(i_3) * 3u + u64(i32(i_3)) + x); }
    }
    { const u32 x = u32(u64(u32(2u)) << (u32(u32(u1) / u32(2)) & 31u)); for (u64 i_4 = 5; i_4 >= 1 && i_4 < 1000; i_4 -= 1) words[i32(count) - 1 - (i32(gid) * 16 + i32(i_4))] = words[i32(count) - 1 - (i32(gid) * 16 + i32(i_4))] + x * (words + (count - 1))[-i64(gid) * 16 - i64((i_4 / 2)) * unknown_one] + u32(i_4); }
    w2 = i32(2u);
  }
  { const u32 x = u32(u32(u32(u32(g0) / u32(10))) ^ u32(u32(u32(u32(v3)) | u32(u32(v4))))); for (i64 i_5 = -8589934592ll * unknown_one; i_5 < -8589934583ll; i_5 += 3ll) seen = mixed(seen, u64(i_5) * 3u + u64(i32(i_5)) + x); }
  v3 = i64(in[u32(u32(u32(u32(u1)) & u32(u32(u1))) / u32(1)) % 1024u]);
  { const u32 x = u32(u64(u32(u32(v3) / u32(64))) << (u32(in[u32(u1) % 1024u]) & 31u)); for (i64 i_6 = 4294967294ll * unknown_one; i_6 > 4294967289ll; i_6 += -1ll) seen = mixed(seen, u64(i_6) * 3u + u64(i32(i_6)) + x); }
  { const u32 w = u32(3u); seen = mixed(seen, (words + (count - 1))[-i64(gid) * 16 - i64(((u32(w) + 4294967295u) & 15u)) * unknown_one]); (words + (count - 1))[-i64(gid) * 16 - i64(((u32(w) + 4294967295u) & 15u)) * unknown_one] += w; }
  u1 = i16(in[u32(u1) % 1024u]);
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

// layout: apart reversed
__global__ void k1035(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *const words = (u32 *)own;
  const i64 count = i64(total) * 16;
  const i64 unknown_one = i64(blockDim.z > 1000u) + 1;
  i16 g0 = i16(1u);
  u8 u1 = u8(g0);
  u8 w2 = u8(n);
  u32 v3 = u32(u32(u32(u32(u32(g0)) * u32(u32(w2)))) * u32(u32(u32(u32(g0)) & u32(u32(w2)))));
  i32 v4 = i32(i32(u32(i32(u1)) | u32(i32(w2))) / i32(7));
  u32 v5 = u32(u32(3563580390u) >> (((i32(2147483648u) != i32(255u)) ? u32(v4) : u32(3945720583u)) & 31u));
  v5 = u32(u32(u32(u32(u32(u32(u32(32u)) ^ u32(u32(w2)))) - u32(u32(v5 % u32(1))))) + u32(v5));
  { const u32 x = u32(~(v3)); for (i64 i_1 = -8589934592ll * unknown_one; i_1 < -8589934577ll; i_1 += 3ll) seen = mixed(seen, u64(i_1) * 3u + u64(i32(i_1)) + x); }
  v5 = u32(__brev(u32(w2)));
  { const u32 w = u32(u32(u32(__brev(u32(w2)))) + u32(u32(g0))); seen = mixed(seen, words[i32(count) - 1 - i32(((u32(w) + 3000000000u) & 15u)) * i32(total) - i32(gid) * i32(1)]); words[i32(count) - 1 - i32(((u32(w) + 3000000000u) & 15u)) * i32(total) - i32(gid) * i32(1)] += w; }
  { const u32 w = lane; seen = mixed(seen, (words + (count - 1 - i64(gid)))[-i64(total) * i64(((u32(w) + 4294967295u) & 7u))]); (words + (count - 1 - i64(gid)))[-i64(total) * i64(((u32(w) + 4294967295u) & 7u))] += w; }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

// layout: apart
__global__ void k1036(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *const words = (u32 *)own;
  const i64 count = i64(total) * 16;
  const i64 unknown_one = i64(blockDim.z > 1000u) + 1;
  u64 g0 = u64(a);
  u64 u1 = u64(u64(u64(g0) & u64(g0)) % u64(3));
  i16 w2 = i16(u32(i16(u32(i16(a)) | u32(i16(0u)))) * u32(i16(u64(i16(g0)) << (u32(u1) & 15u))));
  i16 v3 = i16(in[u32(threadIdx.x % u32(2)) % 1024u]);
  u8 v4 = u8(u32(u8(u1)) | u32(u8(1u)));
  u32 v5 = u32(u32(u32(g0)) | u32(u32(__brev(u32(w2)))));
  seen = mixed(seen, u64(((i32(31u) == i32(v3)) ? i16(in[u32(g0) % 1024u]) : i16(in[blockIdx.y % 1024u]))));
  { const u32 x = u32(u32(u32(~(u32(u1)))) * u32(u32(u32(u32(u1)) & u32(v5)))); for (i32 i_1 = 2; i_1 <= 9; i_1 += 2) (words + gid)[u64(i_1) * u64(total)] = (words + gid)[u64(i_1) * u64(total)] + x * (words + gid)[i64((i_1 / 2)) * i64(total)] + u32(i_1); }
  v3 = i16(u64(v4));
  if ((u8(u1) >= (((u32(g0) & 3u) != 0u) ? u8(g0) : u8(blockIdx.x)))) {
    { const u32 x = v5; for (i64 i_2 = -8589934592ll * unknown_one; i_2 > -8589934627ll; i_2 += -7ll) seen = mixed(seen, u64(i_2) * 3u + u64(i32(i_2)) + x); }
    v4 = u8(u32(u8(blockIdx.y)) ^ u32(u8(u32(u8(tid)) | u32(u8(v5)))));
    { const u32 x = u32(u32(v5) ^ u32((((v5 & 1u) != 0u) ? v5 : u32(737551237u)))); for (u32 i_3 = 2; i_3 <= 5; i_3 += 2) (words + gid)[u32(i_3) * u32(total)] = (words + gid)[u32(i_3) * u32(total)] + x * words[i64((i_3 / 2)) * i64(total) + i64(gid) * i64(1)] + u32(i_3); }
  } else {
    for (u32 c_4 = 0, topc_4 = u32(u32(__brev(u32(u32(v5) + u32(u32(w2)))))) % 3u; c_4 < topc_4; ++c_4) {
      v5 = u32(i32(u32(i32(w2)) * u32(i32(u32(i32(w2)) + u32(i32(0u))))));
      { const u32 x = u32(u32(u32(u64(u32(g0)) << (tid & 31u))) - u32(v5)); for (i64 i_5 = -1ll * unknown_one; i_5 < 2ll; i_5 += 1ll) seen = mixed(seen, u64(i_5) * 3u + u64(i32(i_5)) + x); }
      if (((u32(in[threadIdx.x % 1024u]) & 1u) != 0u)) {
        v4 = u8(w2);
        { const u32 x = u32(u32(u32(u32(v5) | u32(u32(u1)))) | u32(u32(in[u32(g0) % 1024u]))); for (i32 i_6 = 5; i_6 >= 1 && i_6 < 1000; i_6 -= 1) words[u64(i_6) * u64(total) + u64(gid) * u64(unknown_one)] = words[u64(i_6) * u64(total) + u64(gid) * u64(unknown_one)] + x * words[u32((i_6 / 2)) * u32(total) + u32(gid) * u32(1)] + u32(i_6); }
      } else {
        { const u32 x = u32(v4); for (i64 i_7 = -5ll * unknown_one; i_7 < 3221225467ll; i_7 += 1073741824ll) seen = mixed(seen, u64(i_7) * 3u + u64(i32(i_7)) + x); }
      }
    }
    seen = mixed(seen, u64(i32(v5)));
    { const u32 x = u32(u32(u32(u32(u32(u1)) | u32(u32(v4)))) | u32(u32(u32(u32(u1)) - u32(u32(v3))))); for (i32 i_8 = 1; i_8 <= 5; i_8 += 1) words[u32(i_8) * u32(total) + u32(gid) * u32(unknown_one)] = words[u32(i_8) * u32(total) + u32(gid) * u32(unknown_one)] + x * (words + gid)[i32((i_8 / 2)) * i32(total)] + u32(i_8); }
  }
  v5 = u32(u32(u32(v3)) & u32(u32(g0)));
  { const u32 x = u32(u64(u32(in[a % 1024u])) << (u32(u32(u32(w2)) + u32(u32(255u))) & 31u)); for (i64 i_9 = 1099511627776ll * unknown_one; i_9 > 1088774209536ll; i_9 += -2147483648ll) seen = mixed(seen, u64(i_9) * 3u + u64(i32(i_9)) + x); }
  { const u32 x = u32(in[gid % 1024u]); for (i64 i_10 = 1099511627776ll * unknown_one; i_10 < 1099511627785ll; i_10 += 3ll) seen = mixed(seen, u64(i_10) * 3u + u64(i32(i_10)) + x); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(8192, 128, 0); k1032<<<dim3(2, 2, 1), dim3(32, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 5u, 1.0f); launches.end("k1032 0"); }
  { launches.begin(2112, 33, 0); u32 x = unknown(33); k1032<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 5u, 1.0f); launches.end("k1032 1"); }
  { launches.begin(2048, 32, 0); u32 x = unknown(32); k1033<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 2u, 1.0f); launches.end("k1033 0"); }
  { launches.begin(1792, 28, 0); k1034<<<dim3(2, 2, 1), dim3(7, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 1u, 1.0f); launches.end("k1034 0"); }
  { launches.begin(2240, 35, 0); u32 x = unknown(5); k1034<<<dim3(1, 1, 1), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 32u, 0u, 1.0f); launches.end("k1034 1"); }
  { launches.begin(12288, 192, 0); k1035<<<dim3(3, 1, 1), dim3(16, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k1035 0"); }
  { launches.begin(6144, 96, 0); u32 x = unknown(96); k1035<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 96u, 0u, 1.0f); launches.end("k1035 1"); }
  { launches.begin(64, 1, 0); u32 x = unknown(1); k1036<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 2u, 1.0f); launches.end("k1036 0"); }
  { launches.begin(2112, 33, 0); u32 x = unknown(33); k1036<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 30u, 0u, 1.0f); launches.end("k1036 1"); }
}

// Random kernels of kind warps; warps.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "launches.cuh"

__global__ void k300(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 warp_board[128];
  i32 g0 = i32(a);
  i16 u1 = i16(g0);
  u64 w2 = u64(u32(~((((u32(g0) & 2u) != 0u) ? u32(3363087402u) : u32(g0)))));
  i32 v3 = i32(u32(i32(i32(7u) / i32(7))) * u32(i32(u8(g0))));
  i64 v4 = i64(u1);
  u32 v5 = u32(u32(u32(u32(2u) >> (u32(w2) & 31u))) & u32(u32(__clz(gridDim.x))));
  switch (u32(u32(u32(v5 / u32(3))) + u32(u32(i32(warp)))) % 4u) { case 0: {
    if ((u8(u32(u8(w2)) & u32(u8(v4))) < u8(in[block % 1024u]))) { const u32 there = __activemask(); const int first = __ffs(int(there)) - 1; u32 place1; if (int(lane) == first) place1 = atomicAdd(&counters[73], u32(__popc(there))); place1 = __shfl_sync(there, place1, first) + __popc(there & ((1u << lane) - 1u)); atomicAdd(&counters[89], place1 * place1); }
    seen = mixed(seen, u64(u32(i64(i64(warp) >> (u32(w2) & 63u)))));
  } break; case 2: {
    for (u32 c2 = 0, topc2 = u32(u32(g0)) % 5u; c2 < topc2; ++c2) {
      if (((u32(u32(blockIdx.x) | u32(c2)) & 16u) != 0u)) {
        if (((i64(2ull) < i64(warp)) && (i64(threadIdx.x) > i64(18446744073709551615ull)))) break;
      }
      v5 = u32(u1);
    }
  } break; default: {
    seen = mixed(seen, u64(i64(i64(blockDim.x) % i64(3))));
  } break; }
  { const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block()); if (tile.meta_group_rank() >> 2 & 1u) { v5 = tile.shfl(u32(u32(u32(w2)) & u32(u32(w2))), 16u % 8); tile.sync(); } else { v5 = 1u + tile.match_any(u32(n % u32(64)) & 3u); tile.sync(); } }
  seen = mixed(seen, u64(i32(in[v5 % 1024u] >> (u32(u32(blockDim.x) ^ u32(u32(v4))) & 31u))));
  { u32 t3 = 0; if (((u64(u1) != u64(0ull)) ? u32(u32(u32(2u)) * u32(gid)) : u32(2u)) % 2u == 0u) {for (u32 r4 = 0; r4 < 1u; ++r4) { t3 = t3 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(v5) | u32(u32(g0)))) + r4, lane ^ 31u) + 0u; }} else { for (u32 r4 = 0; r4 < 1u; ++r4) { t3 = t3 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(u32(g0)) - u32(v5))) + r4, lane ^ 31u) + 1u; } } v5 = u32(t3); }
  { const u32 top7 = u32(v3) % 6u; u32 m5 = __ballot_sync(0xffffffffu, top7 > 0u); for (u32 c6 = 0; c6 < top7; ++c6) { seen = mixed(seen, __shfl_sync(m5, u32(u32(u32(u32(u1)) - u32(u32(0u)))) + c6, __ffs(int(m5)) - 1)); m5 = __ballot_sync(m5, c6 + 1u < top7); } }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k301(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 warp_board[128];
  u32 g0 = n;
  u32 u1 = g0;
  i64 w2 = i64(u64(i64(u64(31ull))) | u64(i64(u64(i64(u1)) | u64(i64(threads)))));
  u8 v3 = u8(threadIdx.z);
  u64 v4 = u64(u32(~(u1)));
  u32 v5 = u32(u32(u32(g0 / u32(64))) | u32(u32(u32(u32(v4)) * u32(threads))));
  { const u32 m1 = __ballot_sync(0xffffffffu, ((u32(u32(v5) * u32(blockIdx.x)) & 4u) != 0u)); if (m1 >> lane & 1u) { const u32 m2 = __ballot_sync(m1, ((u32(u32(threads) | u32(gridDim.x)) & 4u) != 0u)); if (m2 >> lane & 1u) { v5 = __reduce_max_sync(m2, u32(in[v5 % 1024u])); } else { v5 = __reduce_add_sync((m1 & ~m2), u32(1u)); } } else { v5 = __ballot_sync((~m1), u32(u32(n) - u32(n)) & 2u); } }
  { const u32 m3 = __ballot_sync(0xffffffffu, (i64(u64(i64(9223372036854775808ull)) ^ u64(i64(v5))) < i64(u64(i64(v5)) * u64(i64(tid))))); if (m3 >> lane & 1u) { const u32 m4 = __ballot_sync(m3, ((u32(v4) & 3u) != 0u)); if (m4 >> lane & 1u) { v5 = __reduce_max_sync(m4, u32(u64(g0) << (v5 & 31u))); } else { v5 = __ballot_sync((m3 & ~m4), u32(u32(gid) - u32(v5)) & 2u); } } else { v5 = __shfl_sync((~m3), u32(u32(v5) * u32(u32(3u))), __ffs(int((~m3))) - 1); } }
  if (((u32(__clz(u32(v3))) & 2u) != 0u)) {
    seen = mixed(seen, u64(i16(u32(__ffs(((u32(1u) == u32(w2)) ? warp : tid))))));
    v3 = u8(u32(u8(i32(i32(g0) / i32(10)))) ^ u32(u8(u32(__clz(u32(2u))))));
    if (((u32(u32(n) ^ u32(block)) & 1u) != 0u)) { auto g = cooperative_groups::coalesced_threads(); u32 place5; if (g.thread_rank() == 0) place5 = atomicAdd(&counters[68], g.size()); place5 = g.shfl(place5, 0) + g.thread_rank(); atomicAdd(&counters[84], place5 * place5); }
  } else {
    v4 = u64(u64(u64((((block & 4u) != 0u) ? u64(u1) : u64(v5))) + u64(u64(u64(w2) % u64(7)))) / u64(2));
  }
  { const u32 m6 = __ballot_sync(0xffffffffu, (((u32(2u) & 16u) != 0u) || (v5 == u32(v3)))); if (m6 >> lane & 1u) { const u32 m7 = __ballot_sync(m6, (i16(i16(u1) % i16(7)) >= i16(v4))); if (m7 >> lane & 1u) { v5 = __ballot_sync(m7, threadIdx.y & 2u); } else { v5 = __reduce_add_sync((m6 & ~m7), u32(u32(u32(v4)) ^ u32(v5))); } } else { v5 = __shfl_sync((~m6), u32(255u), __ffs(int((~m6))) - 1); } }
  { const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); if (tile.meta_group_rank() >> 0 & 1u) { v5 = tile.shfl_xor(u32(u32(u32(7u)) | u32(u32(v3))), 32 / 2); tile.sync(); } else { v5 = 1u + tile.shfl(blockIdx.x, 10u % 32); tile.sync(); } }
  { u32 t8 = 0; if (u32(u32(u32(u32(u32(w2)) - u32(u32(32u)))) * u32(u32(u32(u32(w2)) + u32(u32(2147483648u))))) % 2u == 0u) {for (u32 r9 = 0; r9 < 3u; ++r9) { t8 = t8 * 3u + __ballot_sync(0xffffffffu, u32(blockDim.x) + r9 & 1u) + 0u; }} else { for (u32 r9 = 0; r9 < 3u; ++r9) { t8 = t8 * 3u + __ballot_sync(0xffffffffu, u32(u32(w2)) + r9 & 1u) + 1u; } } v5 = u32(t8); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k302(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 warp_board[128];
  u64 g0 = u64(blockDim.x);
  u64 u1 = ((i32(g0) < i32(threads)) ? u64(u64(g0) | u64(u64(3ull))) : g0);
  u64 w2 = u64(u8(u8(g0) % u8(10)));
  i64 v3 = i64(u64(i64(threadIdx.x)) - u64(i64(i32(g0))));
  i16 v4 = i16(u64(i16(g0)) << (u32(u32(u32(3890590433u)) ^ u32(u32(u1))) & 15u));
  u32 v5 = u32(in[u32(g0) % 1024u]);
  { u32 t1 = 0; if (threadIdx.y % 2u == 0u) {for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(w2)) * u32(u32(w2)))) + r2 & 1u) + 0u; }} else { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __ballot_sync(0xffffffffu, u32(u32(__brev(blockIdx.y))) + r2 & 1u) + 1u; } } v4 = i16(t1); }
  { const u32 top5 = u32(u32(u32(i64(v4))) ^ u32(u32(u32(v3) / u32(2)))) % 6u; u32 m3 = __ballot_sync(0xffffffffu, top5 > 0u); for (u32 c4 = 0; c4 < top5; ++c4) { seen = mixed(seen, __shfl_sync(m3, u32(u32(g0)) + c4, __ffs(int(m3)) - 1)); m3 = __ballot_sync(m3, c4 + 1u < top5); } }
  { const u32 top8 = u32(u32(u32(threadIdx.z >> (u32(v4) & 31u))) ^ u32(u32(in[u32(v3) % 1024u]))) % 6u; u32 m6 = __ballot_sync(0xffffffffu, top8 > 0u); for (u32 c7 = 0; c7 < top8; ++c7) { seen = mixed(seen, __ballot_sync(m6, u32(u32(1u)) + c7 & 2u)); m6 = __ballot_sync(m6, c7 + 1u < top8); } }
  if ((i64(u64(i64(blockIdx.x)) << (u32(w2) & 63u)) == i64(u64(i64(v5)) ^ u64(i64(w2))))) { const u32 there = __activemask(); const int first = __ffs(int(there)) - 1; u32 place9; if (int(lane) == first) place9 = atomicAdd(&counters[70], u32(__popc(there))); place9 = __shfl_sync(there, place9, first) + __popc(there & ((1u << lane) - 1u)); atomicAdd(&counters[86], place9 * place9); }
  { u32 t10 = 0; if (u32(u32(warp) + u32(u32(u32(u1) / u32(10)))) % 2u == 0u) {for (u32 r11 = 0; r11 < 1u; ++r11) { t10 = t10 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(lane) | u32(u32(31u)))) + r11, lane ^ 31u) + 0u; }} else { for (u32 r11 = 0; r11 < 1u; ++r11) { t10 = t10 * 3u + __shfl_sync(0xffffffffu, u32(gid) + r11, lane ^ 31u) + 1u; } } v4 = i16(t10); }
  { u32 t12 = 0; if (u32(3u) % 2u == 0u) {for (u32 r13 = 0; r13 < 1u; ++r13) { t12 = t12 * 3u + __shfl_xor_sync(0xffffffffu, u32(block) + r13, 1) + 0u; }} else { for (u32 r13 = 0; r13 < 1u; ++r13) { t12 = t12 * 3u + __shfl_xor_sync(0xffffffffu, u32(u32(u32(u32(v3)) & u32(threadIdx.x))) + r13, 1) + 1u; } } v5 = u32(t12); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k303(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 warp_board[128];
  i32 g0 = i32(4294967295u);
  u8 u1 = u8(255u);
  u64 w2 = u64(g0);
  i32 v3 = i32(u32(i32(u64(i32(2u)) << (u32(3u) & 31u))) * u32(i32(i32(w2) / i32(1))));
  i64 v4 = i64(in[u32(u8(g0)) % 1024u]);
  u32 v5 = u32(1u);
  { u32 t1 = 0; if (u32(i16(u32(__clz(u32(w2))))) % 2u == 0u) {for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(g0)) | u32(u32(v4)))) + r2 & 1u) + 0u; }} else { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(g0)) - u32(u32(v4)))) + r2 & 1u) + 1u; } } v5 = u32(t1); }
  { u32 t3 = 0; if (u32(u32(u32(u32(n) - u32(u32(g0)))) * u32(u32(u32(u32(v4)) - u32(u32(v3))))) % 2u == 0u) {for (u32 r4 = 0; r4 < 1u; ++r4) { t3 = t3 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(w2)) ^ u32(u32(2380391623u)))) + r4 & 1u) + 0u; }} else { for (u32 r4 = 0; r4 < 1u; ++r4) { t3 = t3 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(w2) >> (v5 & 31u))) + r4 & 1u) + 1u; } } v5 = u32(t3); }
  { u32 t5 = 0; if (u32(~(((u32(v3) > a) ? u32(w2) : u32(u1)))) % 2u == 0u) {for (u32 r6 = 0; r6 < 1u; ++r6) { t5 = t5 * 3u + __shfl_sync(0xffffffffu, u32(u32(in[threadIdx.y % 1024u])) + r6, lane ^ 2u) + 0u; }} else { for (u32 r6 = 0; r6 < 1u; ++r6) { t5 = t5 * 3u + __shfl_sync(0xffffffffu, u32(u32(__brev(u32(2147483648u)))) + r6, lane ^ 2u) + 1u; } } v4 = i64(t5); }
  v5 = u32(v4);
  { u32 t7 = 0; if (u32(u32(u32(w2)) & u32(u32(u32(u32(v4)) + u32(u32(v3))))) % 2u == 0u) {for (u32 r8 = 0; r8 < 1u; ++r8) { t7 = t7 * 3u + __reduce_add_sync(0xffffffffu, u32(u32(i64(w2))) + r8) + 0u; }} else { for (u32 r8 = 0; r8 < 1u; ++r8) { t7 = t7 * 3u + __reduce_add_sync(0xffffffffu, u32(u32(v3)) + r8) + 1u; } } v4 = i64(t7); }
  switch (u32(((i16(a) != i16(blockIdx.y)) ? u32(g0) : u32(w2)) % u32(2)) % 4u) { case 0: {
    { u32 t9 = 0; if (u32(threadIdx.x % u32(3)) % 2u == 0u) {for (u32 r10 = 0; r10 < 1u; ++r10) { t9 = t9 * 3u + __shfl_xor_sync(0xffffffffu, u32(u32(block / u32(7))) + r10, 2) + 0u; }} else { for (u32 r10 = 0; r10 < 1u; ++r10) { t9 = t9 * 3u + __shfl_xor_sync(0xffffffffu, u32(u32(u32(u32(v4)) - u32(u32(v3)))) + r10, 2) + 1u; } } v4 = i64(t9); }
  } break; case 2: {
    if (((((i16(g0) != i16(u1)) ? u32(u1) : u32(w2)) & 2u) != 0u)) {
      v5 = u32(u32(u32(u32(u32(u32(u32(3733662268u)) * u32(v5))) | u32(u32(u32(u32(v4)) - u32(u32(g0)))))) * u32(u32(u32(u32(w2)) ^ u32(u32(~(u32(w2)))))));
      if (((u32(u32(w2) >> (u32(0u) & 31u)) & 16u) != 0u)) {
        { const u32 m11 = __ballot_sync(0xffffffffu, ((u1 == u8(v3)) && ((u8(g0) > u1) && (u32(v4) <= u32(1u))))); if (m11 >> lane & 1u) { const u32 m12 = __ballot_sync(m11, (i64(u1) == i64(in[threadIdx.x % 1024u]))); if (m12 >> lane & 1u) { v5 = u32(__any_sync(m12, u32(threadIdx.z % u32(10)) & 4u) != 0); } else { v5 = __shfl_sync((m11 & ~m12), u32(i16(v3)), __ffs(int((m11 & ~m12))) - 1); } } else { v5 = __shfl_sync((~m11), u32(u64(u32(u1)) << (tid & 31u)), __ffs(int((~m11))) - 1); } }
      }
      if (((u32(u32(3u) / u32(2)) & 3u) != 0u)) {
        { u32 t13 = 0; if (u32(4294967295u) % 2u == 0u) {for (u32 r14 = 0; r14 < 3u; ++r14) { t13 = t13 * 3u + __ballot_sync(0xffffffffu, u32(u32(2u)) + r14 & 1u) + 0u; }} else { for (u32 r14 = 0; r14 < 3u; ++r14) { t13 = t13 * 3u + __ballot_sync(0xffffffffu, u32(u32(g0)) + r14 & 1u) + 1u; } } v5 = u32(t13); }
        { const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block()); if (tile.meta_group_rank() >> 0 & 1u) { v5 = tile.shfl_xor(u32(u32(a) + u32(blockIdx.x)), 8 / 2); tile.sync(); } else { v5 = 1u + u32(tile.all(u32(2u) & 1u) != 0); tile.sync(); } }
        seen = mixed(seen, u64(u32(u32(u32(u32(blockDim.x) ^ u32(u32(4294967295u)))) - u32(u32(blockIdx.x / u32(64))))));
      } else {
        { const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()); if (tile.meta_group_rank() >> 2 & 1u) { v5 = cooperative_groups::exclusive_scan(tile, u32(u32(u32(u32(u1)) + u32(u32(w2)))), cooperative_groups::plus<u32>()); tile.sync(); } else { v5 = 1u + cooperative_groups::exclusive_scan(tile, u32(v5), cooperative_groups::plus<u32>()); tile.sync(); } }
      }
    } else {
      seen = mixed(seen, u64(i16(u32(__ffs(u32(u64(u32(u1)) << (u32(w2) & 31u)))))));
    }
  } break; default: {
    { u32 t15 = 0; if (v5 % 2u == 0u) {for (u32 r16 = 0; r16 < 1u; ++r16) { t15 = t15 * 3u + __ballot_sync(0xffffffffu, u32(u32(~(u32(2u)))) + r16 & 1u) + 0u; }} else { for (u32 r16 = 0; r16 < 1u; ++r16) { t15 = t15 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u1) >> (block & 31u))) + r16 & 1u) + 1u; } } v4 = i64(t15); }
  } break; }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k304(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 warp_board[128];
  i32 g0 = ((u64(a) > u64(threads)) ? i32(u32(i32(a)) - u32(i32(n))) : i32(i32(gridDim.x) >> (blockDim.x & 31u)));
  i64 u1 = i64(u64(i64(g0)) | u64(i64(u32(__popc(u32(g0))))));
  i16 w2 = i16(u32(i16(u1)) * u32(((i16(u1) != i16(blockIdx.x)) ? i16(3u) : i16(g0))));
  u32 v3 = u32(u32(u32(u32(u32(0u)) + u32(u32(u1)))) ^ u32(gid));
  u64 v4 = u64(u32(__popc(threadIdx.y)));
  u32 v5 = ((((u32(255u) & 5u) != 0u) || ((block & 5u) != 0u)) ? u32(u32(u32(w2)) - u32(u32(4294967295u))) : u32(__brev(u32(1u))));
  { u32 t1 = 0; switch (u32(i16(warp)) % 4u) { case 0: { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __shfl_sync(0xffffffffu, u32((((u32(v4) & 5u) != 0u) ? tid : v3)) + r2, lane ^ 7u) + 0u; } } break; case 1: { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __shfl_sync(0xffffffffu, u32(u32(2147483648u)) + r2, lane ^ 7u) + 1u; } } break; case 2: { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(u32(g0)) | u32(v5))) + r2, lane ^ 7u) + 2u; } } break; default: { for (u32 r2 = 0; r2 < 1u; ++r2) { t1 = t1 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(v3) | u32(threadIdx.z))) + r2, lane ^ 7u) + 3u; } } break; } v4 = u64(t1); }
  if ((u64(2ull) >= u64(i32(u1)))) {
    for (u32 c3 = u32(v5) % 9u; c3-- > 0u;) {
      if (((u8(g0) <= u8(v4)) || (i32(c3) >= i32(v3)))) { auto g = cooperative_groups::coalesced_threads(); u32 place4; if (g.thread_rank() == 0) place4 = atomicAdd(&counters[70], g.size()); place4 = g.shfl(place4, 0) + g.thread_rank(); atomicAdd(&counters[86], place4 * place4); }
    }
    for (u32 c5 = u32(u32(i16(i16(blockIdx.y) >> (u32(u1) & 15u)))) % 9u; c5-- > 0u;) {
      { u32 t6 = 0; if (u32(2147483648u) % 2u == 0u) {for (u32 r7 = 0; r7 < 1u; ++r7) { t6 = t6 * 3u + __ballot_sync(0xffffffffu, u32(u32(g0)) + r7 & 1u) + 0u; }} else { for (u32 r7 = 0; r7 < 1u; ++r7) { t6 = t6 * 3u + __ballot_sync(0xffffffffu, u32(u32(c5 / u32(64))) + r7 & 1u) + 1u; } } v5 = u32(t6); }
    }
  } else {
    { const u32 m8 = __ballot_sync(0xffffffffu, (i16(threadIdx.y) < i16(in[u32(v4) % 1024u]))); if (m8 >> lane & 1u) { const u32 m9 = __ballot_sync(m8, (((((u32(u1) & 4u) != 0u) ? u32(u1) : v3) & 2u) != 0u)); if (m9 >> lane & 1u) { v3 = __reduce_add_sync(m9, v5); } else { v3 = __reduce_add_sync((m8 & ~m9), u32(u32(u32(v4)) * u32(u32(g0)))); } } else { v3 = __reduce_max_sync((~m8), u32(g0)); } }
    { const u32 top12 = u32(u32(u32(u8(g0))) & u32(u32(u32(v5) - u32(v5)))) % 6u; u32 m10 = __ballot_sync(0xffffffffu, top12 > 0u); for (u32 c11 = 0; c11 < top12; ++c11) { seen = mixed(seen, __reduce_max_sync(m10, u32(u32(u32(v3) | u32(u32(0u)))) + c11)); m10 = __ballot_sync(m10, c11 + 1u < top12); } }
    { const auto tile = cooperative_groups::tiled_partition<2>(cooperative_groups::this_thread_block()); if (tile.meta_group_rank() >> 1 & 1u) { v3 = cooperative_groups::reduce(tile, u32(u32(u32(g0) / u32(10))), cooperative_groups::plus<u32>()); tile.sync(); } else { v3 = 1u + cooperative_groups::exclusive_scan(tile, u32(u32(u1)), cooperative_groups::plus<u32>()); tile.sync(); } }
  }
  { u32 t13 = 0; switch (u32(u32(u32(u32(31u) >> (tid & 31u))) - u32(u32(u32(u32(v4)) & u32(v3)))) % 4u) { case 0: { for (u32 r14 = 0; r14 < 1u; ++r14) { t13 = t13 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(u32(u1)) ^ u32(v5))) + r14, lane ^ 7u) + 0u; } } break; case 1: { for (u32 r14 = 0; r14 < 1u; ++r14) { t13 = t13 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(v5) * u32(u32(2u)))) + r14, lane ^ 7u) + 1u; } } break; case 2: { for (u32 r14 = 0; r14 < 1u; ++r14) { t13 = t13 * 3u + __shfl_sync(0xffffffffu, u32(u32(g0)) + r14, lane ^ 7u) + 2u; } } break; default: { for (u32 r14 = 0; r14 < 1u; ++r14) { t13 = t13 * 3u + __shfl_sync(0xffffffffu, u32(u32(u32(u32(v4)) ^ u32(threads))) + r14, lane ^ 7u) + 3u; } } break; } v4 = u64(t13); }
  w2 = i16(u32(i16(u32(__clz(((i64(255ull) < i64(w2)) ? u32(u1) : u32(w2)))))) - u32(i16(u32(i16(g0)) - u32(i16(u32(~(gridDim.x)))))));
  { const u32 m15 = __ballot_sync(0xffffffffu, ((v5 & 4u) != 0u)); if (m15 >> lane & 1u) { const u32 m16 = __ballot_sync(m15, (u64(v3) > u64(w2))); if (m16 >> lane & 1u) { v5 = u32(__any_sync(m16, n & 4u) != 0); } else { v5 = __reduce_add_sync((m15 & ~m16), u32(u32(u32(w2)) - u32(blockDim.x))); } } else { v5 = __shfl_sync((~m15), u32(in[u32(g0) % 1024u]), __ffs(int((~m15))) - 1); } }
  { u32 t17 = 0; if (u32(u32(u32(u32(v4) / u32(7))) & u32(u32(v4))) % 2u == 0u) {for (u32 r18 = 0; r18 < 1u; ++r18) { t17 = t17 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(2147483648u)) ^ u32(u32(w2)))) + r18 & 1u) + 0u; }} else { for (u32 r18 = 0; r18 < 1u; ++r18) { t17 = t17 * 3u + __ballot_sync(0xffffffffu, u32(v5) + r18 & 1u) + 1u; } } v5 = u32(t17); }
  { u32 t19 = 0; if (u32(__ffs(u32(u32(gid) - u32(threadIdx.y)))) % 2u == 0u) {for (u32 r20 = 0; r20 < 3u; ++r20) { t19 = t19 * 3u + __ballot_sync(0xffffffffu, u32(u32(u32(u32(g0)) ^ u32(v3))) + r20 & 1u) + 0u; }} else { for (u32 r20 = 0; r20 < 3u; ++r20) { t19 = t19 * 3u + __ballot_sync(0xffffffffu, u32(u32(u64(w2))) + r20 & 1u) + 1u; } } v5 = u32(t19); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(0, 96, 0); u32 x = unknown(96); k300<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 1u, 1.0f); launches.end("k300 0"); }
  { launches.begin(0, 256, 0); u32 x = unknown(16); k300<<<dim3(2, 2, 1), dim3(x, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k300 1"); }
  { launches.begin(0, 128, 0); u32 x = unknown(64); k301<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 125u, 5u, 1.0f); launches.end("k301 0"); }
  { launches.begin(0, 128, 0); u32 x = unknown(128); k301<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 2u, 1.0f); launches.end("k301 1"); }
  { launches.begin(0, 192, 0); k302<<<dim3(2, 1, 1), dim3(96, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 192u, 33u, 1.0f); launches.end("k302 0"); }
  { launches.begin(0, 64, 0); u32 x = unknown(64); k302<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 64u, 33u, 1.0f); launches.end("k302 1"); }
  { launches.begin(0, 64, 0); u32 x = unknown(32); k303<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 64u, 0u, 1.0f); launches.end("k303 0"); }
  { launches.begin(0, 32, 0); u32 x = unknown(32); k303<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 2u, 1.0f); launches.end("k303 1"); }
  { launches.begin(0, 32, 0); k304<<<dim3(1, 1, 1), dim3(32, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 33u, 1.0f); launches.end("k304 0"); }
  { launches.begin(0, 192, 0); u32 x = unknown(4); k304<<<dim3(3, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 5u, 1.0f); launches.end("k304 1"); }
}

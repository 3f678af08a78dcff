// Random kernels of kind privates; privates.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include "launches.cuh"

__global__ void k100(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  i32 g0 = in[u32(u64(n) << (u32(31u) & 31u)) % 1024u];
  i16 u1 = i16(in[u32(u32(gridDim.x) + u32(u32(7u))) % 1024u]);
  i64 w2 = i64(u64((((n & 1u) != 0u) ? i64(u1) : i64(u1))) + u64(i64(blockDim.x)));
  i64 v3 = i64(in[u32(u32(u32(g0)) * u32(u32(4294967295u))) % 1024u]);
  u32 v4 = u32(u32(blockIdx.x) & u32(u32(g0)));
  u32 v5 = u32(u32(u32(2832982921u)) & u32(u32(1u)));
  if (((u32(u32(u32(v3)) | u32(gridDim.x)) & 4u) != 0u)) {
    v5 = u32(v3);
    switch (v5 % 4u) { case 0: {
      v3 = i64(u1);
    } break; case 2: {
      v3 = i64(u64(i64(i64(n) / i64(10))) * u64(i64(1ull)));
    } break; default: {
      v3 = i64(w2 % i64(10));
    } break; }
  }
  __syncthreads();
  seen = mixed(seen, u64(i16(31u)));
  v5 = u32(7u);
  w2 = i64(u64(i64(block)) | u64(w2));
  i16 p1[512] = {}; { u32 s = u32(w2); for (u32 i2 = 0; i2 < 512u; i2 += 12u) p1[i2] = i16(s = s * 5u + 1u); }  p1[(u32(u32(__popc(u32(gridDim.x >> (u32(u1) & 31u))))) % (511u / 12u + 1u) * 12u)] = i16(u32(u32(u32(32u)) ^ u32(u32(u32(u32(v3)) * u32(u32(7u)))))); __syncwarp(); seen = mixed(seen, u64(p1[(u32(u32(u32(u32(v4) ^ u32(u32(w2))) / u32(2))) % (511u / 12u + 1u) * 12u)]) + u64(p1[0]) * 3u);
  v3 = ((u32(u32(u32(w2)) & u32(threadIdx.y)) > u32(u32(u32(w2)) | u32(v4))) ? (((u32(u1) & 5u) != 0u) ? i64(0ull) : (((blockIdx.y & 2u) != 0u) ? i64(u1) : i64(threads))) : w2);
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k101(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 g0 = n;
  i32 u1 = in[u32(__brev(a)) % 1024u];
  i32 w2 = i32(4294967295u);
  u64 v3 = u64(u1);
  i16 v4 = (((blockDim.x & 16u) != 0u) ? i16(u32(__brev(g0))) : i16(u32(__brev(u32(w2)))));
  u32 v5 = u32(u32(u32(in[gid % 1024u])) - u32(u32(u32(u32(2u)) * u32(u32(v4)))));
  for (u32 c1 = u32(u32(u32(g0) - u32(u32(in[gridDim.x % 1024u])))) % 5u; c1-- > 0u;) {
    if ((i64(u64(i64(n)) ^ u64(i64(u1))) != i64(in[g0 % 1024u]))) continue;
    if (((u32(v3) & 3u) != 0u)) {
      v5 = u32(u32(u32(u32(u32(in[v5 % 1024u])) * u32(u32(w2)))) - u32(((i16(0u) != i16(2u)) ? u32(u32(blockIdx.y) ^ u32(u32(u1))) : u32(v3))));
      v5 = u32(i64(u64(i64(i64(v5) / i64(3))) << (u32(u32(v5) * u32(gid)) & 63u)));
    }
  }
  seen = mixed(seen, u64(i64(1ull)));
  seen = mixed(seen, u64(i32(v5)));
  w2 = i32(u64(i32(i16(u1))) << (u32(u32(u32(u32(2u)) & u32(blockIdx.x)) >> (g0 & 31u)) & 31u));
  u1 = i32(u32(((g0 <= u32(3u)) ? i32(g0) : i32(u32(u1) * u32(u1)))) & u32(i32(g0)));
  alignas(16) u8 b2[40]; { const u32 len = u32(u32(v5) + u32(u32(in[u32(u1) % 1024u]))); memset(b2, int(u32(w2) & 255u), 40); const u64 put = u64(u32(4294967295u)) * 0x9e3779b97f4a7c15u; memcpy(b2 + 2, &put, 8); __syncwarp(); const u32 at = u32(u32(u32(u32(in[g0 % 1024u])) | u32(u32(u32(g0) & u32(u32(v3)))))) % 24u; u8 moved[16] = {}; memcpy(moved, b2 + at, (u32(len) % 9u)); __syncwarp(); u64 got; memcpy(&got, moved, 8); seen = mixed(seen, got + len + moved[8] + ((const u32 *)b2)[0]); }
  v4 = i16(v5);
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

struct Record3_401691ac { u64 m0[2]; };
__device__  Record3_401691ac changed(const Record3_401691ac from, u32 by) { Record3_401691ac made = from; made.m0[0] = u64(made.m0[0] + u64(by)); return made; }
__global__ void k102(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  i64 g0 = i64(i64(i64(n) >> (gridDim.x & 63u)) / i64(64));
  i64 u1 = ((i16(g0) <= i16(g0)) ? i64(in[a % 1024u]) : i64(u32(__clz(u32(g0)))));
  u32 w2 = u32(u32(u32(0u)) * u32(threads));
  i64 v3 = i64(u64(i64(i64(blockIdx.x) >> (u32(g0) & 63u))) * u64(g0));
  u32 v4 = u32(0u);
  u32 v5 = u32(in[u32(u32(u32(v3)) ^ u32(blockIdx.x)) % 1024u]);
  if (((u32(u32(g0) % u32(7)) & 4u) != 0u)) {
    for (u32 c1 = 0, topc1 = u32(u32(u32(g0) % u32(2))) % 5u; c1 < topc1; ++c1) {
      if (((((u32(g0) & 16u) != 0u) && (c1 == v4)) || ((v4 & 5u) != 0u))) {
        seen = mixed(seen, u64(u32(u32(u32(u32(v4) - u32(warp))) * u32(u32(in[c1 % 1024u])))));
        v3 = i64(v4);
      }
    }
    seen = mixed(seen, u64(u64(u64(g0) >> (u32(i32(g0)) & 63u))));
  } else {
    v5 = u32(u32(u32(u32(u32(u32(block) + u32(v5))) * u32(u32(u32(u32(v3)) & u32(u32(742481018u)))))) & u32(u32(4294967295u)));
    if ((u64(u32(__clz(threadIdx.z))) != u64(v4))) {
      for (u32 c2 = u32(u32(u64(u32(u32(w2) + u32(u32(g0)))) << (w2 & 31u))) % 9u; c2-- > 0u;) {
        seen = mixed(seen, u64(u32(u32(u32(u32(lane) + u32(v5))) | u32(u32(u32(u32(7u)) & u32(v5))))));
        seen = mixed(seen, u64(u8(i64(u64(i64(v4)) ^ u64(u1)))));
        v4 = u32(u32(u32(u8(i32(g0)))) & u32(u32(u32(u32(u32(lane) ^ u32(v5))) ^ u32(v4))));
      }
      v4 = u32(u64(u32(u32(u32(u32(v5) ^ u32(blockDim.x))) * u32(u32(u32(1u) >> (u32(v3) & 31u))))) << (u32(i64(threadIdx.z)) & 31u));
    } else {
      v5 = u32(u32(u32(u1)) ^ u32(u32(u32(v5) * u32(u32(u32(v4) - u32(u32(2112191947u)))))));
    }
  }
  u1 = i64(u8(u32(~(u32(u1)))));
  v5 = u32(u32(u32(u32(u32(u32(32u)) | u32(u32(4294967295u))) >> (u32(u32(u32(31u)) & u32(warp)) & 31u))) - u32((((v5 & 3u) != 0u) ? block : u32(u32(u32(u1)) - u32(u32(g0))))));
  seen = mixed(seen, u64(u8(u32(u8(u8(u1) >> (u32(u1) & 7u))) | u32(u8(u8(gridDim.x) / u8(3))))));
  v4 = u32(__popc(u32(u32(u32(__clz(v4))) & u32(u32(u32(v4) | u32(u32(3u)))))));
  Record3_401691ac one4, all5[5]; { const u32 x = u32(i16(u32(i16(7u)) | u32(i16(u1)))); one4.m0[0] = u64(x + 0u); one4.m0[1] = u64(x + 1u); } __syncwarp(); for (u32 i = 0; i < 5u; ++i) all5[i] = changed(one4, i * u32(u32(u32(u32(977565750u)) ^ u32(v5)) / u32(64))); __syncwarp(); { const u32 at = u32(u32(w2 >> (u32(u32(blockDim.x) ^ u32(v4)) & 31u))) % 5u; all5[at].m0[0] = u64(all5[at].m0[0] ^ u64(u32(in[u32(u32(u32(u1)) + u32(w2)) % 1024u]))); Record3_401691ac copy6; memset(&copy6, 0x5a, sizeof copy6); copy6 = all5[at]; __syncthreads(); seen = mixed(seen, 1u * u64(copy6.m0[0]) + 3u * u64(copy6.m0[1])); }
  __syncthreads();
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

__global__ void k103(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 g0 = u32(u32(u32(u32(a) * u32(a))) + u32(u32(blockDim.x >> (n & 31u))));
  i32 u1 = i32(g0);
  i16 w2 = i16(u32(i16(g0)) - u32(i16(u32(i16(3u)) ^ u32(i16(g0)))));
  u64 v3 = u64(u32(__brev(gridDim.x)));
  u8 v4 = u8(u8(u1) % u8(2));
  u32 v5 = u32(u32(u32(u1)) * u32(u32(g0 / u32(64))));
  __syncthreads();
  if (((g0 & 16u) != 0u)) {
    if ((u8(u8(gid) / u8(10)) >= u8(u32(__brev(u32(w2)))))) {
      v4 = u8(u32(((i64(u1) < i64(18446744073709551615ull)) ? u8(u32(u8(gridDim.x)) * u32(u8(tid))) : u8(v5))) ^ u32(u8(tid)));
      v4 = u8(in[u32(block >> ((((g0 & 16u) != 0u) ? u32(32u) : u32(v4)) & 31u)) % 1024u]);
      v3 = u64(u64(u64(w2)) - u64(u64(u64(u64(warp)) ^ u64(u64(tid)))));
    } else {
      seen = mixed(seen, u64(i16(i16(u32(i16(threads)) + u32(i16(a))) / i16(64))));
    }
    v4 = u8(31u);
    v5 = u32(u32((((u32(2147483648u) & 1u) != 0u) ? u32(in[threadIdx.y % 1024u]) : u32(u32(u32(w2)) & u32(u32(255u))))) - u32(warp));
  } else {
    v5 = u32(u32(u32(w2)) | u32(u32(u64(n) << (u32(v4) & 31u))));
  }
  alignas(16) u8 b1[1040]; { const u32 len = u32(u32(in[v5 % 1024u]) / u32(64)); memset(b1, int(u32(u32(u32(u32(2147483648u)) ^ u32(u32(w2))) >> (((i64(v5) > i64(v3)) ? g0 : v5) & 31u)) & 255u), 1040); const u64 put = u64(u32(1u)) * 0x9e3779b97f4a7c15u; memcpy(b1 + 32, &put, 8); __syncthreads(); const u32 at = u32(blockIdx.x) % 1024u; u8 moved[16] = {}; memcpy(moved, b1 + at, 7u); __syncthreads(); u64 got; memcpy(&got, moved, 8); seen = mixed(seen, got + len + moved[8] + ((const u32 *)b1)[8]); }
  seen = mixed(seen, u64(u8(u8(u32(__brev(v5))) / u8(1))));
  u64 p2[1024] ; { for (u32 i3 = 0; i3 < 1024u; i3 += 146u) p2[i3] = 0; u32 s = u32(u32(u32(g0) + u32(u32(v4))) / u32(10)); for (u32 i3 = 0; i3 < 1024u; i3 += 146u) p2[i3] = u64(s = s * 5u + 1u); } __syncwarp(); p2[(u32(u32(3u)) % (1023u / 146u + 1u) * 146u)] = u64(u32(u32(u32(u32(threadIdx.y) + u32(u32(u1)))) * u32(u32(u32(threadIdx.x) & u32(u32(2147483648u)))))); __syncthreads(); seen = mixed(seen, u64(p2[(u32((((u32(7u) & 5u) != 0u) ? u32(~(warp)) : u32(u8(128u)))) % (1023u / 146u + 1u) * 146u)]) + u64(p2[0]) * 3u);
  __syncthreads();
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}

struct Record1_0ef63696 { i16 m0[7]; i16 m1[5]; u8 m2[2]; };
__device__ __forceinline__ Record1_0ef63696 changed(const Record1_0ef63696 from, u32 by) { Record1_0ef63696 made = from; made.m1[3] = i16(made.m1[3] + i16(by)); return made; }
__global__ void k104(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 g0 = u32(31u);
  i32 u1 = i32(i64(i32(g0)));
  u64 w2 = u64(32ull);
  i64 v3 = i64(w2);
  u64 v4 = u64(v3);
  u32 v5 = g0;
  if (((u32(u32(u32(u1)) + u32(g0)) & 3u) != 0u)) {
    w2 = u64(u32(__popc(u32(__brev(u32(u32(u32(32u)) ^ u32(g0)))))));
    switch (block % 4u) { case 0: {
      v3 = i64(u64(i64(u32(in[u32(u1) % 1024u]))) * u64(((i16(0u) != i16(block)) ? i64(w2) : i64(g0))));
    } break; case 2: {
      v4 = w2;
    } break; default: {
      seen = mixed(seen, u64(i64(u64(i64(u64(i64(u1)) ^ u64(i64(w2)))) * u64(i64(i64(v5) % i64(1))))));
    } break; }
  } else {
    seen = mixed(seen, u64(((((lane & 3u) != 0u) || ((u32(v4) & 16u) != 0u)) ? i32(u32(u1) - u32(i32(warp))) : i32(gid))));
  }
  w2 = u64(u64(u64(u1)) * u64(u64(u64(w2) << (u32(u32(u32(2u)) * u32(gridDim.x)) & 63u))));
  v4 = u64(u64(u64(u64(u64(u64(u64(14105648561622894999ull)) + u64(v4))) + u64(u64(gridDim.x)))) ^ u64(u64(blockDim.x)));
  Record1_0ef63696 one2, all3[2]; { const u32 x = u32(u32(u32(in[blockIdx.x % 1024u])) - u32(u32(u32(u32(7u)) * u32(gid)))); one2.m0[0] = i16(x + 0u); one2.m0[1] = i16(x + 1u); one2.m0[2] = i16(x + 2u); one2.m0[3] = i16(x + 3u); one2.m0[4] = i16(x + 4u); one2.m0[5] = i16(x + 5u); one2.m0[6] = i16(x + 6u); one2.m1[0] = i16(x + 7u); one2.m1[1] = i16(x + 8u); one2.m1[2] = i16(x + 9u); one2.m1[3] = i16(x + 10u); one2.m1[4] = i16(x + 11u); one2.m2[0] = u8(x + 12u); one2.m2[1] = u8(x + 13u); }  for (u32 i = 0; i < 2u; ++i) all3[i] = changed(one2, i * u32(2147483648u));  { const u32 at = u32(gridDim.x) % 2u; all3[at].m1[3] = i16(all3[at].m1[3] ^ i16(u32(u1))); Record1_0ef63696 copy4; memcpy(&copy4, &all3[at], sizeof copy4); __syncthreads(); seen = mixed(seen, 1u * u64(copy4.m0[0]) + 3u * u64(copy4.m0[1]) + 5u * u64(copy4.m0[2]) + 7u * u64(copy4.m0[3]) + 9u * u64(copy4.m0[4]) + 11u * u64(copy4.m0[5]) + 13u * u64(copy4.m0[6]) + 15u * u64(copy4.m1[0]) + 17u * u64(copy4.m1[1]) + 19u * u64(copy4.m1[2]) + 21u * u64(copy4.m1[3]) + 23u * u64(copy4.m1[4]) + 25u * u64(copy4.m2[0]) + 27u * u64(copy4.m2[1])); }
  seen = mixed(seen, u64(i16(gridDim.x)));
  u32 p5[250] = {}; { u32 s = g0; for (u32 i6 = 0; i6 < 250u; i6 += 6u) p5[i6] = u32(s = s * 5u + 1u); }  p5[(u32(u32(u32(u32(i64(blockIdx.y))) + u32(u32(2147483648u)))) % (249u / 6u + 1u) * 6u)] = u32(u32(u32(u32(u8(threadIdx.z))) + u32(u32(u64(v5)))));  seen = mixed(seen, u64(p5[(u32(u32(u32(u32(in[g0 % 1024u])) | u32(((i32(g0) < i32(v3)) ? u32(u1) : v5)))) % (249u / 6u + 1u) * 6u)]) + u64(p5[0]) * 3u);
  v4 = u64(gridDim.x);
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(0, 140, 0); u32 x = unknown(5); k100<<<dim3(2, 2, 1), dim3(x, 7, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 115u, 0u, 1.0f); launches.end("k100 0"); }
  { launches.begin(0, 100, 0); u32 x = unknown(100); k101<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 57u, 0u, 1.0f); launches.end("k101 0"); }
  { launches.begin(0, 192, 0); u32 x = unknown(16); k101<<<dim3(3, 1, 1), dim3(x, 4, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 162u, 5u, 1.0f); launches.end("k101 1"); }
  { launches.begin(0, 64, 0); u32 x = unknown(4); k102<<<dim3(1, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 2u, 1.0f); launches.end("k102 0"); }
  { launches.begin(0, 64, 0); u32 x = unknown(4); k102<<<dim3(1, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 33u, 1.0f); launches.end("k102 1"); }
  { launches.begin(0, 100, 0); u32 x = unknown(100); k103<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 23u, 1u, 1.0f); launches.end("k103 0"); }
  { launches.begin(0, 64, 0); k104<<<dim3(1, 1, 1), dim3(4, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 0u, 1.0f); launches.end("k104 0"); }
  { launches.begin(0, 128, 0); u32 x = unknown(4); k104<<<dim3(2, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k104 1"); }
}

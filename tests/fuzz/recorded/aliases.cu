// Random kernels of kind aliases; aliases.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include "launches.cuh"


#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif
__global__ void k1008(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *mine = (u32 *)own + gid * 16u, *shifted = mine + 1 + a % 3u;
  __shared__ __align__(16) u32 alias_words[512];
  u8 g0 = u8(u32(u8(u32(u8(gridDim.x)) & u32(u8(0u)))) * u32((((gridDim.x & 16u) != 0u) ? u8(threads) : u8(31u))));
  i32 u1 = i32(u32(i32(i32(g0) >> (u32(g0) & 31u))) * u32(i32(i32(blockIdx.x) % i32(10))));
  i16 w2 = i16(255u);
  i16 v3 = ((u32(g0) >= u32(g0)) ? (((u32(u1) & 2u) != 0u) ? i16(blockDim.x) : i16(62124u)) : i16(u32(~(u32(w2)))));
  i64 v4 = i64(g0);
  u32 v5 = u32(u32(u32(u32(u32(w2)) & u32(u32(u1)))) | u32(u32(i64(w2))));
  { const u32 x = u32(u32(u32(v3)) & u32(u32(v5 / u32(1)))); for (u32 i_1 = 0; i_1 < 11u; ++i_1) shifted[i_1] = mine[i_1] * 5u + x; }
  { const u32 x = u32(u32(u32(u32(u32(g0)) ^ u32(u32(w2)))) * u32(u32(v3))); for (u32 i_2 = 0; i_2 < 7u; ++i_2) shifted[i_2] = mine[i_2] * 5u + x; }
  { const u32 x = u32(u32(u32(0u)) - u32(u32(in[threads % 1024u]))); for (u32 i_3 = 0; i_3 < 11u; ++i_3) mine[i_3] = shifted[i_3] * 5u + x; }
  { const u32 x = u32(in[((u8(w2) != u8(u1)) ? u32(v4) : u32(v3)) % 1024u]); put_words((u64 *)(mine + 0), x); seen = mixed(seen, u64(__float_as_uint(*(const f32 *)(mine + 0)))); }
  v5 = block;
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif
__global__ void k1009(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *mine = (u32 *)own + gid * 16u, *shifted = mine + 1 + a % 3u;
  __shared__ __align__(16) u32 alias_words[512];
  i64 g0 = i64(u32(__brev(u32(~(n)))));
  u32 u1 = (((u32(g0) & 2u) != 0u) ? u32(u32(a) - u32(u32(g0))) : u32(in[u32(g0) % 1024u]));
  u32 w2 = u32(u32(u1 / u32(1)) >> (u32(u32(u1) - u32(blockIdx.x)) & 31u));
  i16 v3 = i16(u64(u64(u64(w2)) | u64(u64(g0))));
  i16 v4 = i16(i16(i64(w2)) / i16(7));
  u32 v5 = u32(u64(u32(__ffs(u32(g0)))));
  { const u32 x = u32(u32(u32(3u)) ^ u32(u32(in[w2 % 1024u]))); put_words((f32 *)(mine + 6), x); seen = mixed(seen, u64((*(const uint2 *)(mine + 6)).y)); }
  { const u32 x = u1; for (u32 i_1 = 0; i_1 < 11u; ++i_1) shifted[i_1] = mine[i_1] * 5u + x; }
  { const u32 x = u32(u32(u32(u32(g0)) ^ u32(block)) / u32(3)); for (u32 i_2 = 0; i_2 < 7u; ++i_2) mine[i_2] = shifted[i_2] * 5u + x; }
  w2 = w2;
  { const u32 x = u32(in[u32(__brev(u32(g0))) % 1024u]); for (u32 i_3 = 11u; i_3-- > 0u;) shifted[i_3] = mine[i_3] * 5u + x; }
  { const u32 x = u32(g0); __syncthreads(); ((u64 *)alias_words)[tid] = u64(x) | u64(x ^ 0x5a5a5a5au) << 32; __syncthreads(); seen = mixed(seen, u64(*(const i64 *)(alias_words + 2u * ((tid + 0u) % threads)))); __syncthreads(); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif
__global__ void k1010(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *mine = (u32 *)own + gid * 16u, *shifted = mine + 1 + a % 3u;
  __shared__ __align__(16) u32 alias_words[512];
  u32 g0 = u32(u32((((blockDim.x & 1u) != 0u) ? blockDim.x : blockDim.x)) ^ u32(u32(u32(threads) - u32(gridDim.x))));
  u32 u1 = u32(u32(u32(i32(g0))) + u32(u32(u32(g0) * u32(a))));
  u32 w2 = u32(u32(u1) & u32(u32(__brev(u1))));
  i64 v3 = i64(u32(__popc(u1)));
  u64 v4 = (((g0 & 4u) != 0u) ? u64(0ull) : u64(u1));
  u32 v5 = u32(u32(((u32(v3) == w2) ? u32(0u) : u32(v4))) | u32(u32(w2 / u32(2))));
  { const u32 x = u32(u32(u32(__popc(w2))) + u32(u32(u32(32u) / u32(2)))); const u64 old = u64(*(const u8 *)(mine + 6)); *(mine + 6) = x; *(shifted + 6 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64(*(const u8 *)(mine + 6)) + old * 7u); }
  seen = mixed(seen, u64(u32(v4)));
  { const u32 x = u32(u64(u32(u32(gid) + u32(v5))) << (u32(u32(u32(v3)) | u32(u32(v3))) & 31u)); __syncthreads(); ((u64 *)alias_words)[tid] = u64(x) | u64(x ^ 0x5a5a5a5au) << 32; __syncthreads(); seen = mixed(seen, u64(__double_as_longlong(*(const f64 *)(alias_words + 2u * ((tid + 0u) % threads))))); __syncthreads(); }
  { const u32 x = u32(in[u32(threads / u32(3)) % 1024u]); for (u32 i_1 = 0; i_1 < 3u; ++i_1) shifted[i_1] = mine[i_1] * 5u + x; }
  seen = mixed(seen, u64(i16(u32(__ffs(u32(u64(g0)))))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif
__global__ void k1011(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *mine = (u32 *)own + gid * 16u, *shifted = mine + 1 + a % 3u;
  __shared__ __align__(16) u32 alias_words[512];
  i32 g0 = i32(blockDim.x);
  i64 u1 = i64(u8(u32(__popc(u32(31u)))));
  u8 w2 = u8(g0);
  u32 v3 = u32(g0);
  i16 v4 = i16(u32(__clz(u32(in[u32(u1) % 1024u]))));
  u32 v5 = u32(u1);
  if ((u64(u64(u64(blockIdx.y)) & u64(u64(u1))) < u64(u64(1ull) % u64(10)))) {
    if ((u64(u64(g0) % u64(1)) > u64(g0))) {
      v5 = u32(u32(u32(u32(in[threadIdx.y % 1024u])) - u32(u32(u32(v4) >> (tid & 31u)))) % u32(10));
    } else {
      v4 = (((u8(g0) < u8(g0)) || ((lane & 4u) != 0u)) ? i16(u32(i16(u32(i16(g0)) - u32(i16(g0)))) ^ u32(i16(i16(g0) % i16(2)))) : i16(blockIdx.x));
    }
    seen = mixed(seen, u64(i16(i16(u32(i16(w2)) ^ u32(i16(v5))) >> (u32(u32(g0) / u32(10)) & 15u))));
    switch (u32(in[u32(u32(v5) & u32(v3)) % 1024u]) % 4u) { case 0: {
      if (((u32(u32(u32(g0)) + u32(u32(2u))) & 1u) != 0u)) {
        { const u32 x = u32(v4); for (u32 i_1 = 7u; i_1-- > 0u;) mine[i_1] = shifted[i_1] * 5u + x; }
        { const u32 x = blockIdx.y; for (u32 i_2 = 0; i_2 < 11u; ++i_2) shifted[i_2] = mine[i_2] * 5u + x; }
      } else {
        { const u32 x = u32(v4); *(mine + 4) = x; *(shifted + 4 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64(*(const i16 *)(mine + 4))); }
      }
    } break; case 2: {
      if (((u32(v3 % u32(3)) & 4u) != 0u)) {
        v5 = u32(u32(u32(u32(u32(u32(u32(g0)) | u32(v3))) ^ u32(u32(u32(v3) & u32(u32(u1)))))) * u32(u32(i64(i64(w2) >> (u32(2147483648u) & 63u)))));
        { const u32 x = ((((v5 & 5u) != 0u) && ((v3 & 2u) != 0u)) ? u32(u8(v3)) : u32(u32(u32(v4)) & u32(u32(31u)))); const u64 old = u64((*(const Parts *)(mine + 4)).b) * 3u + (*(const Parts *)(mine + 4)).a; *(mine + 4) = x; *(shifted + 4 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64((*(const Parts *)(mine + 4)).b) * 3u + (*(const Parts *)(mine + 4)).a + old * 7u); }
      } else {
        { const u32 x = u32(u32(u32(u32(v5) | u32(u32(g0)))) - u32(u32(__ffs(u32(g0))))); for (u32 i_3 = 0; i_3 < 7u; ++i_3) mine[i_3] = shifted[i_3] * 5u + x; }
      }
    } break; default: {
      { const u32 x = u32(u32(u32(u32(blockDim.x) + u32(u32(2147483648u)))) - u32(u32(u32(u32(31u)) & u32(v3)))); put_words((Parts *)(mine + 2), x); seen = mixed(seen, u64(*(const i16 *)(mine + 2))); }
    } break; }
  } else {
    { const u32 x = (((u32(31u) & 2u) != 0u) ? u32(u32(u32(u1)) - u32(u32(v4))) : u32(32u)); const u64 old = u64(__float_as_uint(*(const f32 *)(mine + 14))); *(mine + 14) = x; *(shifted + 14 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64(__float_as_uint(*(const f32 *)(mine + 14))) + old * 7u); }
  }
  { const u32 x = v5; *(mine + 8) = x; *(shifted + 8 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64(*(const i16 *)(mine + 8))); }
  { const u32 x = lane; for (u32 i_4 = 0; i_4 < 7u; ++i_4) mine[i_4] = shifted[i_4] * 5u + x; }
  seen = mixed(seen, u64(u64(v3)));
  w2 = u8(u32(__brev(u32(i32(i32(n) % i32(2))))));
  { const u32 x = u32(u32(u32(w2) / u32(2)) % u32(10)); for (u32 i_5 = 11u; i_5-- > 0u;) shifted[i_5] = mine[i_5] * 5u + x; }
  u1 = i64(u64(i64(u64(i64(u32(__clz(blockIdx.x)))) + u64(i64(u64(u1) * u64(i64(31ull)))))) - u64(i64(g0)));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef PARTS
#define PARTS
struct Parts {
  u32 a;
  i16 b, c;
};
template <typename T>
__device__ __noinline__ void put_words(T *to, u32 x) {
  *(u32 *)to = x;
  *((u32 *)to + 1) = x * 2654435761u;
}
#endif
__global__ void k1012(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 *mine = (u32 *)own + gid * 16u, *shifted = mine + 1 + a % 3u;
  __shared__ __align__(16) u32 alias_words[512];
  i64 g0 = i64(u64(i64(u64(i64(n)) + u64(i64(a)))) + u64(i64(u64(i64(gridDim.x)) | u64(i64(n)))));
  u8 u1 = u8(u32(u8(u8(blockDim.x) / u8(3))) + u32(u8(2u)));
  i32 w2 = i32(g0);
  u32 v3 = u32(u32(u32(u32(u32(u1)) - u32(gridDim.x))) - u32(u32(u32(tid) * u32(u32(3u)))));
  u8 v4 = u8(u32(u8(lane)) ^ u32(u8(u32(u1) | u32(u8(w2)))));
  u32 v5 = u32(in[u32(u1) % 1024u]);
  { const u32 x = u32(u32(u64(v5) << (u32(g0) & 31u)) >> (u32(v4) & 31u)); const u64 old = u64(*(const i64 *)(mine + 2)); *(mine + 2) = x; *(shifted + 2 - a % 3u) = x * 2654435761u; seen = mixed(seen, u64(*(const i64 *)(mine + 2)) + old * 7u); }
  if (((((v3 & 3u) != 0u) && ((u32(1u) & 5u) != 0u)) && ((u32(w2) & 16u) != 0u))) {
    { const u32 x = u32(in[u32(g0) % 1024u]); for (u32 i_1 = 11u; i_1-- > 0u;) mine[i_1] = shifted[i_1] * 5u + x; }
    { const u32 x = v5; for (u32 i_2 = 0; i_2 < 7u; ++i_2) shifted[i_2] = mine[i_2] * 5u + x; }
  } else {
    v5 = u32(__brev(u32(u32(u32(in[v5 % 1024u])) + u32(u32(u32(1u) >> (v5 & 31u))))));
  }
  { const u32 x = blockDim.x; const u64 old = u64(*(const i32 *)(mine + 8)); put_words((u64 *)(mine + 8), x); seen = mixed(seen, u64(*(const i32 *)(mine + 8)) + old * 7u); }
  { const u32 x = u32(__ffs(u32(u32(tid) ^ u32(u32(g0))))); for (u32 i_3 = 0; i_3 < 3u; ++i_3) shifted[i_3] = mine[i_3] * 5u + x; }
  { const u32 x = u32(u32(u32(2147483648u)) + u32(u32(u32(32u) / u32(7)))); __syncthreads(); alias_words[2u * tid] = x; alias_words[2u * tid + 1u] = x ^ 0x5a5a5a5au; __syncthreads(); seen = mixed(seen, u64(*(const i32 *)(alias_words + 2u * ((tid + 32u) % threads)))); __syncthreads(); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(8192, 128, 0); u32 x = unknown(64); k1008<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 33u, 1.0f); launches.end("k1008 0"); }
  { launches.begin(12288, 192, 0); u32 x = unknown(4); k1008<<<dim3(3, 1, 1), dim3(x, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 1u, 1.0f); launches.end("k1008 1"); }
  { launches.begin(2112, 33, 0); k1009<<<dim3(1, 1, 1), dim3(33, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 33u, 0u, 1.0f); launches.end("k1009 0"); }
  { launches.begin(2112, 33, 0); u32 x = unknown(33); k1010<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k1010 0"); }
  { launches.begin(128, 2, 0); u32 x = unknown(1); k1010<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2u, 1u, 1.0f); launches.end("k1010 1"); }
  { launches.begin(896, 14, 0); u32 x = unknown(7); k1011<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 14u, 33u, 1.0f); launches.end("k1011 0"); }
  { launches.begin(6144, 96, 0); k1012<<<dim3(1, 1, 1), dim3(96, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 93u, 0u, 1.0f); launches.end("k1012 0"); }
  { launches.begin(4096, 64, 0); u32 x = unknown(32); k1012<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 0u, 1.0f); launches.end("k1012 1"); }
}

// Random kernels of kind waits; waits.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include "launches.cuh"


#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif
__global__ void k320(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 lost = 0;
  __shared__ u32 cell2;
  i64 g0 = i64(u64(i64(a)) * u64(i64(i64(gridDim.x) % i64(3))));
  i64 u1 = i64(u64(i64(u32(__clz(u32(g0))))) & u64(i64(u64(i64(gridDim.x)) * u64(i64(18446744073709551615ull)))));
  i32 w2 = i32(u64(i32(u1)) << (u32(u32(u32(g0)) + u32(u32(u1))) & 31u));
  i32 v3 = i32(u32(i32(u32(i32(g0)) * u32(w2))) & u32(i32(i32(g0) % i32(3))));
  u64 v4 = u64(u64(u64(in[u32(g0) % 1024u])) * u64((((u32(v3) & 2u) != 0u) ? u64(v3) : u64(255ull))));
  u32 v5 = u32(~(u32(u32(u32(u1)) | u32(blockIdx.y))));
  for (u32 c1 = 0, topc1 = u32(u32(u32(u32(~(blockDim.x))) | u32(u32(u8(w2))))) % 5u; c1 < topc1; ++c1) {
    if ((((u32(w2) & 16u) != 0u) || (i16(65535u) != i16(blockIdx.y)))) {
      switch (u32(u32(32u) >> (u32(threadIdx.z >> (u32(32u) & 31u)) & 31u)) % 4u) { case 0: {
        v5 = u32(g0);
      } break; case 2: {
        seen = mixed(seen, u64(i32(u32(__popc(u32(i64(w2)))))));
        v3 = i32(u64(i32(u32(i32(2u)) & u32(i32(u32(__brev(v5)))))) << (u32(u32(u32(u32(v4)) & u32(blockIdx.y)) >> (u32(i16(32768u)) & 31u)) & 31u));
      } break; default: {
        v4 = u64(u64(u64(u64(u64(v3) >> (blockIdx.x & 63u)) / u64(2))) + u64(u64(u64(u64(u64(u64(a)) << (u32(v4) & 63u))) * u64(u64(v5)))));
        v4 = u64(u64(u64(w2)) + u64(u64(u64(u64(u64(v3)) << (a & 63u)) / u64(2))));
      } break; }
      seen = mixed(seen, u64(i64(32ull)));
      v4 = (((u32(g0) & 1u) != 0u) ? u64(v4 >> (u32(blockIdx.y % u32(64)) & 63u)) : u64(g0));
    } else {
      v4 = ((u32(__popc(u32(0u))) <= u32(u64(g0))) ? u64(u64(u64(u64(32ull) % u64(10))) | u64(u64(u64(u64(u1)) ^ u64(u64(v5))))) : u64(v5));
    }
    v4 = u64(g0);
    if (((u64(w2) >= u64(3ull)) != ((u32(w2) & 3u) != 0u))) continue;
  }
  v4 = u64(u64(u64(u64(u64(u64(u64(0ull)) - u64(u64(7ull)))) ^ u64(u64(u64(u64(v3)) | u64(u64(u1)))))) ^ u64(u64(u64(v4 % u64(10)) / u64(64))));
  if (tid == 1u % threads) { *(volatile u32 *)&cell2 = u32(((u8(u1) <= u8(3u)) ? u32(3682667835u) : blockIdx.x) % u32(2)); __threadfence_block(); atomicAdd(counters + 64 + block % 4u, 2u); } else { while (*(volatile u32 *)(counters + 64 + block % 4u) < 2u) { if (*(volatile u32 *)(counters + 127)) { lost = 2; break; } } __threadfence_block(); seen = mixed(seen, *(volatile u32 *)&cell2 + lost); }
  v4 = u64(i16(u64(i16(u32(i16(v3)) & u32(i16(v4)))) << (u32(v3) & 15u)));
  if (tid == 0u) { const u32 ticket4 = atomicAdd(counters + 68, 1u); againw5: if (*(volatile u32 *)(counters + 69) < ticket4) goto againw5; __threadfence(); atomicAdd(counters + 69, 1u); seen = mixed(seen, lost); }
  w2 = i32(u32(((i16(g0) >= i16(3u)) ? in[u32(w2) % 1024u] : i32(2147483648u))) * u32(i32((((u32(g0) & 16u) != 0u) ? i32(g0) : w2) / i32(1))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif
__global__ void k321(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 lost = 0;
  i64 g0 = i64(i64(n) / i64(10));
  i16 u1 = i16(g0);
  u8 w2 = u8(u1);
  u32 v3 = u32(g0);
  u32 v4 = u32(w2);
  u32 v5 = (((u32(w2) & 4u) != 0u) ? v3 : u32(w2));
  if ((i32(u32(i32(w2)) | u32(i32(v3))) > i32(u32(i32(2u)) ^ u32(i32(v4))))) {
    if (((u32(u1) & 2u) != 0u)) {
      for (u32 c1 = 0, topc1 = u32(u32(__brev(u32(u32(v4) | u32(v4))))) % 9u; c1 < topc1; ++c1) {
        seen = mixed(seen, u64(u64(g0)));
      }
      v5 = u32(u32(u32(u32(u32(i32(w2))) | u32(u32(u32(g0) >> (u32(u1) & 31u))))) | u32(((i16(32u) <= i16(7372u)) ? u32(in[v5 % 1024u]) : u32(1562573652u))));
      v3 = (((u32(__clz(u32(g0))) & 4u) != 0u) ? u32(u32(u32(i32(w2))) & u32(u32(u64(u32(w2)) << (v4 & 31u)))) : u32(u32(u32(in[v4 % 1024u])) & u32(u32(__ffs(u32(w2))))));
    } else {
      seen = mixed(seen, u64(w2));
    }
    v3 = v5;
  }
  seen = mixed(seen, u64(i64(u32(__popc(u32(__clz(u32(g0))))))));
  seen = mixed(seen, u64(i64(blockIdx.y)));
  if (tid == 0u) { const u32 ticket2 = atomicAdd(counters + 64, 1u); while (*(volatile u32 *)(counters + 65) < ticket2) { if (*(volatile u32 *)(counters + 127)) { lost = 2; break; } } __threadfence(); atomicAdd(counters + 65, 1u); seen = mixed(seen, lost); }
  seen = mixed(seen, u64(i32(threads)));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif
__global__ void k322(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 lost = 0;
  __shared__ u32 sum2;
  u32 g0 = u32(__ffs(u32(n / u32(3))));
  i64 u1 = i64(u64(i64(0ull)) - u64(i64(u32(__popc(u32(4294967295u))))));
  i16 w2 = ((((u32(u1) & 2u) != 0u) && (u8(u1) == u8(g0))) ? i16(2u) : i16(u32(i16(g0)) + u32(i16(u1))));
  i64 v3 = i64(u64(i64(u64(i64(w2)) & u64(i64(255ull)))) - u64(i64(u32(~(g0)))));
  i32 v4 = i32(u32(i32(u32(i32(w2)) ^ u32(i32(u1)))) ^ u32(i32(u32(i32(v3)) | u32(i32(g0)))));
  u32 v5 = u32(u1);
  for (u32 c1 = 0, topc1 = u32(u32(u64(u32(~(a))) << (u32(u1) & 31u))) % 5u; c1 < topc1; ++c1) {
    switch (lane % 4u) { case 0: {
      switch (u32(v3) % 4u) { case 0: {
        v3 = i64(u32(~(u32(u32(u32(u32(g0) * u32(u32(v4)))) - u32(u32(u32(u32(2u)) * u32(u32(v3))))))));
        v5 = n;
      } break; case 2: {
        seen = mixed(seen, u64(u64(u64((((g0 & 2u) != 0u) ? u64(18446744073709551615ull) : u64(a))) & u64(u64(u64(u64(v5)) | u64(u64(w2)))))));
      } break; default: {
        v4 = i32(3u);
      } break; }
      v3 = i64(u64(i64(7ull)) + u64(i64(i64(u64(i64(c1)) << (u32(u1) & 63u)) % i64(2))));
    } break; case 2: {
      seen = mixed(seen, u64(u8(u32(u8(in[u32(w2) % 1024u])) | u32((((u32(4294967295u) & 1u) != 0u) ? u8(u1) : u8(warp))))));
    } break; default: {
      v4 = i32(u32(((u8(0u) < u8(block)) ? i32(u32(__clz(c1))) : i32(2u))) | u32(i32(u32(__popc(u32(u32(v5) | u32(v5)))))));
    } break; }
    seen = mixed(seen, u64(w2));
    seen = mixed(seen, u64(i64(u32(__popc(threadIdx.z)))));
  }
  __syncthreads();
  if (tid == 0u) *(volatile u32 *)&sum2 = 7u; __syncthreads(); if (tid < 4u) { bool donew3 = false; while (!donew3) { if (*(volatile u32 *)(counters + 64 + block % 4u) >= (min(threads, 4u) - 1u - tid)) donew3 = true; } __threadfence(); *(volatile u32 *)&sum2 = *(volatile u32 *)&sum2 * 31u + lost + threadIdx.z; __threadfence(); atomicAdd(counters + 64 + block % 4u, 1u); } __syncthreads(); seen = mixed(seen, sum2);
  seen = mixed(seen, u64(i16(u32(__popc(u32(u32(gridDim.x) * u32(v5)))))));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif
__global__ void k323(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 lost = 0;
  u64 g0 = u64(i64(n));
  i16 u1 = i16(g0);
  i64 w2 = i64(u1);
  u8 v3 = u8(u32((((u32(1u) & 3u) != 0u) ? u8(w2) : u8(gid))) | u32(u8(u32(u8(warp)) | u32(u8(2u)))));
  u32 v4 = u32(in[u32(__ffs(u32(2u))) % 1024u]);
  u32 v5 = u32(u32(u32(u32(w2) % u32(64))) & u32(u32(3u)));
  __syncthreads();
  w2 = i64(u64(i64(i64(u8(w2)) >> (u32(u32(u32(w2)) + u32(u32(32u))) & 63u))) * u64(i64(u64(i64(i64(gridDim.x) / i64(3))) | u64(i64(u64(i64(u1)) - u64(i64(7059585828699771548ull)))))));
  for (u32 c1 = 0, topc1 = u32(u32(__clz(u32(w2)))) % 5u; c1 < topc1; ++c1) {
    seen = mixed(seen, u64(u8(u64(u8(u32(__popc(u32(w2))))) << (u32(u32(u32(u1)) + u32(c1)) & 7u))));
    if (((u32(u32(u32(v3)) * u32(v5)) & 1u) != 0u)) {
      v3 = (((u32(u32(v5) ^ u32(u32(7u))) & 3u) != 0u) ? u8(v3 % u8(10)) : u8(u32(u8(u64(u8(warp)) << (u32(g0) & 7u))) - u32(u8(u32(__ffs(u32(v3)))))));
      v5 = (((u32(u32(u32(3986154030u)) | u32(c1)) & 2u) != 0u) ? ((u8(block) <= u8(g0)) ? n : u32(w2)) : u32(u32(u32(u32(u32(v3)) & u32(v4))) | u32(u32(u32(gridDim.x) * u32(threadIdx.x)))));
      v3 = u8(u32(u8(u8(u32(u8(v5)) ^ u32(u8(c1))) / u8(2))) + u32(u8(u64((((u32(v3) & 4u) != 0u) ? u8(c1) : u8(g0))) << (u32(u32(v4) | u32(v5)) & 7u))));
    } else {
      if ((((u64(v4) < u64(w2)) && ((u32(w2) & 3u) != 0u)) && (((u32(w2) & 16u) != 0u) || (u64(c1) > u64(a))))) break;
    }
  }
  if (block == 0u) { if (tid == threads / 2u) { *(volatile u32 *)(counters + 64) = u32(u64(in[u32(g0) % 1024u])); __threadfence(); atomicExch(counters + 65, 1u); } } else { if (tid == 0u) { for (u32 atw2 = 0; atw2 < 2u; ++atw2) { while (*(volatile u32 *)(counters + 65) < 1u * atw2) {} } } __syncthreads(); __threadfence(); seen = mixed(seen, *(volatile u32 *)(counters + 64) + lost); }
  u1 = i16(i16(3u) / i16(10));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef WAITING
#define WAITING
__device__ __noinline__ void wait_until(u32 *flag, u32 k) {
  while (*(volatile u32 *)flag < k) {}
}
__device__ __noinline__ bool waited(u32 *flag, u32 k, u32 *stop) {
  while (*(volatile u32 *)flag < k) {
    if (*(volatile u32 *)stop) return false;
  }
  return true;
}
#endif
__global__ void k324(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u32 lost = 0;
  i64 g0 = i64(i64(u64(i64(a)) + u64(i64(7ull))) / i64(3));
  i16 u1 = i16(a);
  i16 w2 = i16(u32(i16(u64(i16(1u)) << (block & 15u))) ^ u32(i16(65535u)));
  u32 v3 = u32(u1);
  i16 v4 = i16(u32(__ffs(u32(u32(blockDim.x) & u32(blockIdx.x)))));
  u32 v5 = u32(__popc(u32(u32(u32(v4)) & u32(u32(w2)))));
  seen = mixed(seen, u64(i16(u32(i16(block)) | u32(i16(u32(i16(v5)) * u32(v4))))));
  seen = mixed(seen, u64(u32(2147483648u)));
  { for (bool done1 = false; !done1;) { if (atomicCAS(counters + 64, 0u, 1u) == 0u) { __threadfence(); *(volatile u32 *)(counters + 65) = *(volatile u32 *)(counters + 65) + u32(u32(u32(u64(u32(g0)) << (v5 & 31u))) * u32(u32(gridDim.x % u32(7)))); __threadfence(); *(volatile u32 *)(counters + 64) = 0u; done1 = true; } } }
  if ((i64(u64(i64(u1)) << (block & 63u)) >= g0)) {
    seen = mixed(seen, u64(i16(u32(__ffs(u32(31u))))));
  }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(0, 32, 0); u32 x = unknown(32); k320<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 32u, 33u, 1.0f); launches.end("k320 0"); }
  { launches.begin(0, 64, 0); u32 x = unknown(32); k320<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 61u, 1u, 1.0f); launches.end("k320 1"); }
  { launches.begin(0, 128, 0); u32 x = unknown(128); k321<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 128u, 0u, 1.0f); launches.end("k321 0"); }
  { launches.begin(0, 128, 0); u32 x = unknown(128); k322<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 33u, 1.0f); launches.end("k322 0"); }
  { launches.begin(0, 128, 0); u32 x = unknown(64); k323<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 125u, 2u, 1.0f); launches.end("k323 0"); }
  { launches.begin(0, 128, 0); u32 x = unknown(32); k324<<<dim3(2, 2, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 128u, 2u, 1.0f); launches.end("k324 0"); }
  { launches.begin(0, 132, 0); u32 x = unknown(33); k324<<<dim3(2, 2, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 0u, 1.0f); launches.end("k324 1"); }
}

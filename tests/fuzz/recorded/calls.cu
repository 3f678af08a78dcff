// Random kernels of kind calls; calls.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
#include "launches.cuh"


#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif
__global__ void k1056(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u8 g0 = u8(u32(((u8(threads) > u8(gridDim.x)) ? u8(a) : u8(244u))) - u32(u8(u32(u8(gridDim.x)) * u32(u8(0u)))));
  u64 u1 = u64(in[u32(__popc(blockIdx.x)) % 1024u]);
  i16 w2 = i16(in[u32(u32(u32(u1)) & u32(u32(3u))) % 1024u]);
  u32 v3 = u32(u32(w2) % u32(1));
  i16 v4 = i16(i16(in[u32(3u) % 1024u]) >> (u32(i64(15060692884923143020ull)) & 15u));
  u32 v5 = u32(u1);
  { const u32 which = lane % 3u, x = u32(u32(u64(32ull)) / u32(64)), y = u32(u32(u32(v4)) | u32(v3)); auto next_1 = [=](u32 k) { return steps[(which + k) % 3u](x, y + k); }; u32 sum = 0; for (u32 i = 0; i < 3u; ++i) sum += next_1(i); v3 = sum; }
  u1 = (((u32(g0) & 2u) != 0u) ? u64(g0) : u64(u64(u64(1ull)) & u64(u64(255ull))));
  v3 = paths(u32(u32(u32(u32(4294967295u) >> (u32(u1) & 31u))) | u32(u32(u32(block) | u32(u32(w2))))) % 6u, u32(u32(u32(in[u32(u1) % 1024u])) | u32(u32(u32(u32(u1)) + u32(lane)))) % 6u);
  v5 = folded(u32(g0), u32(32u) % 20u);
  if (((u32(u32(v3) & u32(v5)) & 16u) != 0u)) {
    { const u32 which = (((blockIdx.x & 16u) != 0u) ? u32(in[blockIdx.y % 1024u]) : u32(~(v5))) % 3u, size = u32(u32(u32(u64(v3) << (block & 31u))) * u32(u32(~(block)))); const Shape shape_2_0(size); const Square shape_2_1(size); const Round shape_2_2(size); const Shape *shape_2 = which == 0u ? &shape_2_0 : which == 1u ? &shape_2_1 : (const Shape *)&shape_2_2; seen = mixed(seen, shape_2->area(u32(u32(u32(in[v3 % 1024u])) & u32(u32(u32(v5) & u32(blockIdx.y))))) + shape_2->size);  }
    switch (u32(u32(u32(u32(u1) >> (u32(u1) & 31u))) - u32(warp)) % 4u) { case 0: {
      seen = mixed(seen, u64(u64(u32(__ffs(u32(u32(v5) * u32(blockIdx.y)))))));
      { const u32 which = ((u8(gridDim.x) <= u8(v5)) ? u32(u32(u32(4294967295u)) ^ u32(u32(2u))) : u32(i16(threads))) % 3u, x = u32(u1), y = block; auto next_3 = [=](u32 k) { return steps[(which + k) % 3u](x, y + k); }; u32 sum = 0; for (u32 i = 0; i < 3u; ++i) sum += next_3(i); v5 = sum; }
    } break; case 2: {
      v3 = ((i64(i64(v4) >> (u32(v4) & 63u)) == i64(i32(w2))) ? u32(v4) : u32(__clz(u32(__ffs(v3)))));
    } break; default: {
      { const u32 which = u32(u32(u32(u32(n) * u32(u32(w2)))) + u32((((threads & 4u) != 0u) ? v5 : u32(u1)))) % 3u, size = u32(w2); const Shape *shape_4 = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : (const Shape *)new Round(size); seen = mixed(seen, shape_4->area(v3) + shape_4->size); delete shape_4; }
      v3 = odd_steps(u32(u32(u32(__brev(v5))) | u32(u32(u32(u32(4294967295u)) ^ u32(v5)))), threadIdx.z % 30u);
    } break; }
  } else {
    v5 = steps[u32(u32(v3) & u32(u32(u32(u32(w2)) | u32(u32(w2))))) % 3u](threadIdx.x, u32(u32(u32(u32(v3) & u32(u32(g0)))) & u32(u32(w2))));
    { const u32 which = u32(u32(u32(~(u32(v4)))) - u32(((i32(v4) == i32(v5)) ? v3 : v5))) % 3u, size = u32(~(u32(u32(v5) | u32(v5)))); const Shape *shape_6 = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : (const Shape *)new Round(size); seen = mixed(seen, shape_6->area(u32(3u)) + shape_6->size); delete shape_6; }
  }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif
__global__ void k1057(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u64 g0 = u64(i16(32768u));
  u64 u1 = u64(u64(g0) | u64(u64(in[u32(g0) % 1024u])));
  u64 w2 = u1;
  i64 v3 = (((u32(1u) & 16u) != 0u) ? i64(u64(i64(u1)) ^ u64(i64(0ull))) : i64(w2));
  i32 v4 = i32(u32(__ffs((((threadIdx.z & 3u) != 0u) ? u32(3u) : u32(255u)))));
  u32 v5 = u32(u32(u32(3432182846u)) - u32(u32(w2)));
  v5 = folded(u32(u32(u32(in[u32(g0) % 1024u])) | u32(u32(u8(u1)))), u32(v3) % 20u);
  v5 = paths(((((u32(v4) & 16u) != 0u) || (u64(v5) != u64(blockIdx.x))) ? (((u32(v3) & 5u) != 0u) ? u32(1402964023u) : u32(g0)) : u32(780610059u)) % 6u, u32(u1) % 6u);
  seen = mixed(seen, u64(i32(u32(i32(u32(i32(v3)) ^ u32(i32(w2)))) | u32(i32(v3)))));
  { const u32 which = ((((u32(g0) & 5u) != 0u) && ((u32(g0) & 16u) != 0u)) ? u32(w2) : u32(blockIdx.y / u32(2))) % 3u, x = ((((u32(255u) & 2u) != 0u) && ((tid & 16u) != 0u)) ? u32(u32(u32(v4)) & u32(u32(v4))) : u32(v4)), y = u32(31u); auto next_1 = [=](u32 k) { return steps[(which + k) % 3u](x, y + k); }; u32 sum = 0; for (u32 i = 0; i < 3u; ++i) sum += next_1(i); v5 = sum; }
  v5 = u32(u32(gridDim.x) ^ u32(v5));
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif
__global__ void k1058(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  __shared__ u32 *all_11;
  u8 g0 = u8(u32(__popc(u32(gridDim.x >> (blockDim.x & 31u)))));
  i64 u1 = i64(u64(i64(g0)) << (u32(in[u32(g0) % 1024u]) & 63u));
  u8 w2 = u8(u1);
  i16 v3 = ((i32(g0) >= i32(gid)) ? i16(i16(w2) % i16(1)) : i16(u64(i16(u1)) << (u32(255u) & 15u)));
  i16 v4 = i16(u32(~(u32(255u))));
  u32 v5 = u32(u32((((gridDim.x & 1u) != 0u) ? u32(g0) : u32(w2))) + u32(u32(u32(threads) & u32(u32(v3)))));
  switch (u32(u32(u32(blockDim.x / u32(10))) - u32(u32(g0))) % 4u) { case 0: {
    if ((i64(u64(u1)) > i64(1ull))) {
      if ((i64(u64(i64(w2)) | u64(i64(threads))) != i64(g0))) {
        { const u32 length = u32(255u) % 9u, x = u32(w2); Node *list_1 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = (Node *)malloc(sizeof(Node)); made->value = x + i; made->next = list_1; list_1 = made; } u32 sum = 1; while (list_1) { sum = sum * 31u + list_1->value; Node *next = list_1->next; free(list_1); list_1 = next; } seen = mixed(seen, sum); }
      } else {
        { u32 which = u32(u64(u32(u32(u32(u1)) | u32(u32(31u)))) << (u32(7u) & 31u)) % 3u, x = u32(v5 >> (u32(__ffs(u32(g0))) & 31u)), y = u32(u32(u32(u32(w2) % u32(64))) & u32(u32(u32(gid) * u32(u32(u1))))); Step next_2 = which == 0u ? step_0 : which == 1u ? step_1 : step_2; for (u32 i = 0; i < 3u; ++i) { x = next_2(x, y + i); if (x & 1u) next_2 = steps[i]; } v5 = x; }
      }
      { const u32 which = u32(u32(u32(g0)) + u32(u32(in[blockIdx.x % 1024u]))) % 3u, size = u32(u32(gid) + u32(u32(v3))); const Shape shape_3_0(size); const Square shape_3_1(size); const Round shape_3_2(size); const Shape *shape_3 = which == 0u ? &shape_3_0 : which == 1u ? &shape_3_1 : (const Shape *)&shape_3_2; __syncthreads(); seen = mixed(seen, shape_3->area(v5) + shape_3->size);  }
      v5 = folded(u32(u32(u32(in[u32(w2) % 1024u])) * u32(n)), u32(u32(in[u32(v4) % 1024u]) % u32(3)) % 20u);
    } else {
      { const u32 which = u32(u32(v3) >> (u32(u32(v5) * u32(u32(w2))) & 31u)) % 3u, x = u32(u32(u32(u64(u32(u1)) << (u32(w2) & 31u))) * u32((((u32(v4) & 16u) != 0u) ? u32(31u) : u32(u1)))), y = u32(u32(u32(u32(v4)) ^ u32(u32(v3))) / u32(64)); auto next_4 = [=](u32 k) { return steps[(which + k) % 3u](x, y + k); }; u32 sum = 0; for (u32 i = 0; i < 3u; ++i) sum += next_4(i); v5 = sum; }
    }
    { u32 which = (((u32(u1) & 1u) != 0u) ? u32(u32(u32(g0)) + u32(u32(v3))) : u32(u32(4294967295u) >> (u32(w2) & 31u))) % 3u, x = u32(u64(u32(u32(31u) % u32(64))) << (blockDim.x & 31u)), y = threadIdx.x; Step next_5 = which == 0u ? step_0 : which == 1u ? step_1 : step_2; for (u32 i = 0; i < 3u; ++i) { x = next_5(x, y + i); if (x & 1u) next_5 = steps[i]; } v5 = x; }
  } break; case 2: {
    { const u32 length = u32(u32(u32(u32(u32(u1)) ^ u32(u32(2147483648u)))) ^ u32(u32(n / u32(2)))) % 9u, x = (((u32(v3) & 1u) != 0u) ? u32(u32(u32(g0)) | u32(u32(g0))) : (((u32(v3) & 5u) != 0u) ? threadIdx.x : u32(g0))); Node *list_6 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = new Node; made->value = x + i; made->next = list_6; list_6 = made; } u32 sum = 1; while (list_6) { sum = sum * 31u + list_6->value; Node *next = list_6->next; delete(list_6); list_6 = next; } seen = mixed(seen, sum); }
  } break; default: {
    v5 = steps[u32(((i32(u1) >= i32(4091527977u)) ? v4 : v3)) % 3u](u32(v3), u32(u32(u32(g0)) | u32(u32(4294967295u))));
  } break; }
  { const u32 length = u32(u1) % 9u, x = u32(u32(u32(in[blockDim.x % 1024u])) | u32(u32(u32(block) ^ u32(u32(v4))))); Node *list_8 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = new Node; made->value = x + i; made->next = list_8; list_8 = made; } u32 sum = 1; while (list_8) { sum = sum * 31u + list_8->value; Node *next = list_8->next; delete(list_8); list_8 = next; } seen = mixed(seen, sum); }
  { const u32 length = u32(w2) % 9u, x = u32(~(u32(in[u32(v4) % 1024u]))); Node *list_9 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = (Node *)malloc(sizeof(Node)); made->value = x + i; made->next = list_9; list_9 = made; } u32 sum = 1; while (list_9) { sum = sum * 31u + list_9->value; Node *next = list_9->next; free(list_9); list_9 = next; } seen = mixed(seen, sum); }
  u1 = i64(in[u32(in[u32(u1) % 1024u]) % 1024u]);
  v5 = paths(u32(u32(u32(u32(lane) & u32(u32(w2)))) & u32(u32(u32(u32(u1)) & u32(u32(w2))))) % 6u, u32(u32(u32(w2)) | u32(u32(in[a % 1024u]))) % 6u);
  { const u32 length = (((threadIdx.z & 5u) != 0u) ? u32(in[u32(w2) % 1024u]) : u32(blockIdx.y >> (u32(v3) & 31u))) % 9u, x = n; Node *list_10 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = (Node *)malloc(sizeof(Node)); made->value = x + i; made->next = list_10; list_10 = made; } u32 sum = 1; while (list_10) { sum = sum * 31u + list_10->value; Node *next = list_10->next; free(list_10); list_10 = next; } seen = mixed(seen, sum); }
  { __syncthreads(); if (tid == 0u % threads) all_11 = new u32[threads]; __syncthreads(); all_11[tid] = u32(u64(u32(u32(u32(w2)) & u32(u32(3402989818u)))) << (u32(u32(threadIdx.z) | u32(u32(255u))) & 31u)); __syncthreads(); seen = mixed(seen, all_11[(tid + 1u) % threads]); __syncthreads(); if (tid == threads - 1u) delete[] all_11; }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif
__global__ void k1059(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  i32 g0 = i32(i32(u32(i32(blockDim.x)) + u32(i32(gridDim.x))) >> (u32(u32(gridDim.x) - u32(gridDim.x)) & 31u));
  i64 u1 = i64(i64(u64(i64(g0)) * u64(i64(g0))) % i64(1));
  u32 w2 = (((u8(128u) != u8(g0)) || (i64(n) >= i64(2ull))) ? u32(u32(u32(g0)) ^ u32(u32(u1))) : u32(u32(u32(255u)) - u32(u32(g0))));
  u64 v3 = u64(u64(u64(u64(g0)) << (blockIdx.y & 63u)) >> (u32(in[u32(g0) % 1024u]) & 63u));
  i32 v4 = i32(u32(i32(u32(i32(threadIdx.x)) ^ u32(g0))) - u32(i32(1u)));
  u32 v5 = u32(u32(((i32(w2) < i32(blockDim.x)) ? u32(32u) : w2)) + u32(u32(u64(u1))));
  v4 = in[u32(u64(u32(v4)) << (u32(v3) & 31u)) % 1024u];
  { const u32 which = u32(u32((((u32(g0) & 2u) != 0u) ? u32(u1) : u32(2147483648u))) - u32(block)) % 3u, size = ((i16(v5) >= i16(32768u)) ? u32(in[v5 % 1024u]) : u32(u64(lane) << (a & 31u))); const Shape *shape_1 = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : (const Shape *)new Round(size); __syncthreads(); seen = mixed(seen, shape_1->area(u32(__clz(u32(w2 % u32(3))))) + shape_1->size); delete shape_1; }
  seen = mixed(seen, u64(u8(u64(u8(v5)))));
  { const u32 length = u32(~(u32(__popc(w2)))) % 9u, x = u32(u32((((u32(u1) & 5u) != 0u) ? u32(3u) : v5)) & u32(u32(u1))); Node *list_2 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = (Node *)malloc(sizeof(Node)); made->value = x + i; made->next = list_2; list_2 = made; } u32 sum = 1; while (list_2) { sum = sum * 31u + list_2->value; Node *next = list_2->next; free(list_2); list_2 = next; } seen = mixed(seen, sum); }
  { const u32 length = u32(u32(u32(__brev(threads))) + u32(u32(u32(tid) | u32(n)))) % 9u, x = u32(u32(w2) & u32(u32(v5 >> (u32(4161884790u) & 31u)))); Node *list_3 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = new Node; made->value = x + i; made->next = list_3; list_3 = made; } u32 sum = 1; while (list_3) { sum = sum * 31u + list_3->value; Node *next = list_3->next; delete(list_3); list_3 = next; } seen = mixed(seen, sum); }
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}


#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif
__global__ void k1060(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z, total = threads * gridDim.x * gridDim.y;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  u64 seen = threadIdx.x;
  u8 g0 = u8(u32(u8(u64(u8(31u)) << (gridDim.x & 7u))) | u32(u8(u8(blockDim.x) / u8(2))));
  i64 u1 = i64(i32(u32(i32(g0)) * u32(i32(n))));
  i64 w2 = i64(u64(i64(in[u32(g0) % 1024u])) | u64(u1));
  u32 v3 = u32(32u);
  i16 v4 = i16(u64(v3));
  u32 v5 = u32(2u);
  if ((i32(u32(__popc(u32(g0)))) >= i32(i32(0u) % i32(64)))) {
    { const u32 which = u32(u32(u32(in[v3 % 1024u])) - u32(u32(u32(u32(255u)) | u32(v3)))) % 3u, size = v5; const Shape *shape_1 = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : (const Shape *)new Round(size); seen = mixed(seen, shape_1->area(u32(__ffs(u32(1u)))) + shape_1->size); delete shape_1; }
  }
  { const u32 length = v3 % 9u, x = u32(u32(u32(u32(3u)) ^ u32(u32(g0))) / u32(2)); Node *list_2 = nullptr; for (u32 i = 0; i < length; ++i) { Node *made = (Node *)malloc(sizeof(Node)); made->value = x + i; made->next = list_2; list_2 = made; } u32 sum = 1; while (list_2) { sum = sum * 31u + list_2->value; Node *next = list_2->next; free(list_2); list_2 = next; } seen = mixed(seen, sum); }
  seen = mixed(seen, u64(i32(i32(lane) >> (u32(u32(u32(g0)) - u32(u32(u1))) & 31u))));
  { const u32 which = u32(u32(u32(u32(u32(32u)) | u32(gid))) * u32(v5)) % 3u, size = u32(u32(u32(u32(v4) / u32(2))) ^ u32(u32(u32(u32(2095377917u)) * u32(u32(u1))))); const Shape *shape_3 = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : (const Shape *)new Round(size); __syncthreads(); seen = mixed(seen, shape_3->area(u32(u32(v5) ^ u32(u32(u32(u32(v4)) & u32(u32(g0)))))) + shape_3->size); delete shape_3; }
  v4 = i16(in[u32(u64(18446744073709551615ull)) % 1024u]);
  u64 sum = seen; sum = mixed(sum, bits(g0)); sum = mixed(sum, bits(u1)); sum = mixed(sum, bits(w2)); sum = mixed(sum, bits(v3)); sum = mixed(sum, bits(v4)); sum = mixed(sum, bits(v5)); out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(0, 32, 0); u32 x = unknown(32); k1056<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 32u, 5u, 1.0f); launches.end("k1056 0"); }
  { launches.begin(0, 96, 0); u32 x = unknown(96); k1057<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 1u, 1.0f); launches.end("k1057 0"); }
  { launches.begin(0, 14, 0); u32 x = unknown(7); k1058<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 2u, 1.0f); launches.end("k1058 0"); }
  { launches.begin(0, 64, 0); u32 x = unknown(32); k1058<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 1u, 1u, 1.0f); launches.end("k1058 1"); }
  { launches.begin(0, 128, 0); u32 x = unknown(64); k1059<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 125u, 1u, 1.0f); launches.end("k1059 0"); }
  { launches.begin(0, 1, 0); u32 x = unknown(1); k1059<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 5u, 1.0f); launches.end("k1059 1"); }
  { launches.begin(0, 14, 0); u32 x = unknown(7); k1060<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 11u, 0u, 1.0f); launches.end("k1060 0"); }
  { launches.begin(0, 100, 0); u32 x = unknown(100); k1060<<<dim3(1, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 100u, 33u, 1.0f); launches.end("k1060 1"); }
}

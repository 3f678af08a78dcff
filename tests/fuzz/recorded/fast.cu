// Random kernels of kind fast; fast.out is what an H200 printed, compiled by nvcc with: -use_fast_math -w
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every random program begins with: types, checksums and the host's side of a launch.
#include <cmath>
#include <cstdio>
#include <cstdlib>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

constexpr int INPUTS = 1024, FLOATS = 1 << 15, THREADS = 272, BLOCKS = 16, COUNTERS = 128, SCRATCH = 2 * THREADS;
constexpr int ALL_SCRATCH = (SCRATCH + THREADS) * BLOCKS;  // of each block, then of the grid
constexpr int OWN = 512 * THREADS * BLOCKS;

// The bits of a value, for checksums: all NaNs are one, and both zeros.
__device__ inline u64 bits(f32 x) { return x != x ? 1 : x == 0 ? 0 : __float_as_uint(x); }
__device__ inline u64 bits(f64 x) { return x != x ? 1 : x == 0 ? 0 : u64(__double_as_longlong(x)); }
template <typename T>
__device__ u64 bits(T x) {
  return u64(x);
}
__device__ inline u64 mixed(u64 sum, u64 x) { return (sum ^ x) * 0x9e3779b97f4a7c15u + (sum >> 29); }

// The floats of `x` as textures of linear memory.
__device__ cudaTextureObject_t linear, linear_of_four;

struct Device {
  i32 *in;
  u64 *out;
  u32 *counters;
  i32 *scratch;
  f32 *x;
  u8 *own;
};

// Numbers without rounding, and now and then one of those that arithmetic treats apart.
inline f32 some_float(u32 number, u32 bits) {
  const f32 special[] = {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, NAN, 1e-40f, 3e38f, -1.0f};
  return number % 61 == 60 ? special[bits >> 13 & 7] : f32(i32(bits >> 16) - 32768) * 0.125f;
}

// A size that the compiler does not see.
inline u32 unknown(u32 size) {
  volatile u32 x = size;
  return x;
}

// One line a launch: what it left in memory.
struct Launches {
  Device device;
  size_t sizes[4] = {};

  Launches() {
    static i32 values[INPUTS];
    static f32 floats[FLOATS];
    u32 state = 12345;
    for (i32 &value : values) {
      state = state * 1664525u + 1013904223u;
      value = i32(state >> (state >> 28 & 1 ? 24 : 3));
    }
    for (u32 i = 0; i < FLOATS; ++i) {
      state = state * 1664525u + 1013904223u;
      floats[i] = some_float(i, state);
    }
    cudaMalloc(&device.in, sizeof values);
    cudaMemcpy(device.in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMalloc(&device.x, sizeof floats);
    cudaMemcpy(device.x, floats, sizeof floats, cudaMemcpyHostToDevice);
    cudaMalloc(&device.out, sizeof(u64) * THREADS * BLOCKS);
    cudaMalloc(&device.counters, sizeof(u32) * COUNTERS);
    cudaMalloc(&device.scratch, sizeof(i32) * ALL_SCRATCH);
    cudaMalloc(&device.own, OWN);
    bind<f32>(linear);
    bind<float4>(linear_of_four);
  }

  // `x` as a texture of linear memory.
  template <typename T>
  void bind(cudaTextureObject_t &symbol) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device.x;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = sizeof(f32) * FLOATS;
    cudaTextureDesc texture = {};
    cudaTextureObject_t made = 0;
    cudaCreateTextureObject(&made, &resource, &texture, nullptr);
    cudaMemcpyToSymbol(symbol, &made, sizeof made);
  }

  // `own`: the bytes of the fields of all threads; `outs`: results; `scratch`: numbers of that array.
  void begin(size_t own = 0, size_t outs = THREADS * BLOCKS, size_t scratch = ALL_SCRATCH) {
    sizes[0] = sizeof(u64) * outs;
    sizes[1] = sizeof(u32) * COUNTERS;
    sizes[2] = sizeof(i32) * scratch;
    sizes[3] = own;
    cudaMemset(device.out, 0, sizes[0]);
    cudaMemset(device.counters, 0x11, sizes[1] / 2);
    cudaMemset(device.counters + COUNTERS / 2, 0, sizes[1] / 2);
    cudaMemset(device.scratch, 0x22, sizes[2]);
    cudaMemset(device.own, 0x33, sizes[3]);
    cudaDeviceSynchronize();  // there are streams that do not wait for the default stream
  }

  template <typename K>
  void cooperative(K *kernel, dim3 grid, dim3 block, size_t shared, u32 n, u32 a, f32 f) {
    void *arguments[] = {&device.in, &device.out, &device.counters, &device.scratch, &device.x, &device.own, &n,
                         &a,         &f};
    cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, nullptr);
  }

  void end(const char *name) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    u64 sums[4] = {};
    const void *pointers[4] = {device.out, device.counters, device.scratch, device.own};
    for (int i = 0; i < 4 && error == cudaSuccess; ++i) {
      u64 *words = (u64 *)std::malloc(sizes[i] + 8);
      cudaMemcpy(words, pointers[i], sizes[i], cudaMemcpyDeviceToHost);
      u64 sum = 0xcbf29ce484222325u;
      for (const u64 *word = words, *end = words + sizes[i] / sizeof(u64); word < end; ++word) {
        sum = (sum ^ *word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 31;
      }
      sums[i] = sum;
      std::free(words);
    }
    std::printf("%s %016llx %016llx %016llx %016llx %s\n", name, sums[0], sums[1], sums[2], sums[3],
                error == cudaSuccess ? "" : cudaGetErrorString(error));
    std::fflush(stdout);
  }
};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random kernels call: arithmetic that is defined for all operands, shuffles that are defined for all lanes.

template <typename T>
__device__ T divided(T a, T b) {
  if (b == 0) return a;
  if (T(-1) < T(0) && b == T(-1)) return T(0 - u64(a));
  return T(a / b);
}
// No 0 / 0: LLVM 23 takes 0.0 * (0.0 / double(n)) for 0 at n = 0 too, where some builds fold it and others compute it.
__device__ inline f32 quotient(f32 a, f32 b) { return b == 0 ? a : a / b; }
__device__ inline f64 quotient(f64 a, f64 b) { return b == 0 ? a : a / b; }
template <typename T>
__device__ T remainder_of(T a, T b) {
  if (b == 0) return a;
  if (T(-1) < T(0) && b == T(-1)) return 0;
  return T(a % b);
}
template <typename T>
__device__ T shifted_left(T a, u32 by) {
  return T(u64(a) << (by & (8 * sizeof(T) - 1)));
}
template <typename T>
__device__ T shifted_right(T a, u32 by) {
  return T(a >> (by & (8 * sizeof(T) - 1)));
}

// From floating point to integers as the GPU does it: saturating, NaN is 0.
template <typename T>
__device__ T whole(f32 x) {
  return T(sizeof(T) == 8 ? __float2ll_rz(x) : __float2int_rz(x));
}
template <typename T>
__device__ T whole(f64 x) {
  return T(sizeof(T) == 8 ? __double2ll_rz(x) : __double2int_rz(x));
}

// Shuffles within `mask`; a lane whose source is not in `valid` keeps its own value.
template <typename T>
__device__ T from_lane(u32 mask, u32 valid, u32 lane, T x, u32 source, u32 width) {
  T got = __shfl_sync(mask, x, int(source & 31), int(width));
  return valid >> ((lane & ~(width - 1)) | (source & (width - 1))) & 1 ? got : x;
}
template <typename T>
__device__ T from_below(u32 mask, u32 valid, u32 lane, T x, u32 delta, u32 width) {
  T got = __shfl_up_sync(mask, x, delta & 31, int(width));
  return (lane & (width - 1)) < (delta & 31) || (valid >> (lane - (delta & 31)) & 1) ? got : x;
}
template <typename T>
__device__ T from_above(u32 mask, u32 valid, u32 lane, T x, u32 delta, u32 width) {
  T got = __shfl_down_sync(mask, x, delta & 31, int(width));
  return (lane & (width - 1)) + (delta & 31) >= width || (valid >> (lane + (delta & 31)) & 1) ? got : x;
}
template <typename T>
__device__ T from_partner(u32 mask, u32 valid, u32 lane, T x, u32 bit, u32 width) {
  u32 other = lane ^ (bit & (width - 1));
  T got = __shfl_xor_sync(mask, x, int(bit & (width - 1)), int(width));
  return valid >> other & 1 ? got : x;
}

// Zero without a sign.
template <typename T>
__device__ T unsigned_zero(T x) {
  return x == T(0) ? T(0) : x;
}

// The smaller and the larger of two numbers: of two zeros either may come out.
template <typename T>
__device__ T smaller(T a, T b) {
  return unsigned_zero(fmin(a, b));
}
template <typename T>
__device__ T larger(T a, T b) {
  return unsigned_zero(fmax(a, b));
}

// What may be written to memory whose bytes are compared: no -0, one NaN.
__device__ inline f32 settled(f32 x) { return x == x ? unsigned_zero(x) : 1.5f; }
__device__ inline f64 settled(f64 x) { return x == x ? unsigned_zero(x) : 1.5; }
template <typename T>
__device__ T settled(T x) {
  return x;
}

struct Mixed {
  f32 a;
  i16 b;
  u8 c;
  f64 d;
  i32 e[3];
};
struct Three {
  f32 x, y, z;
};

// The atomics that CUDA has, by atomicCAS.
struct Add {
  __device__ u32 operator()(u32 a, u32 b) { return a + b; }
};
struct Min {
  __device__ u32 operator()(u32 a, u32 b) { return a < b ? a : b; }
};
struct Max {
  __device__ u32 operator()(u32 a, u32 b) { return a < b ? b : a; }
};
struct And {
  __device__ u32 operator()(u32 a, u32 b) { return a & b; }
};
struct Or {
  __device__ u32 operator()(u32 a, u32 b) { return a | b; }
};
struct Xor {
  __device__ u32 operator()(u32 a, u32 b) { return a ^ b; }
};
template <typename F>
__device__ void by_compare_and_swap(u32 *at, u32 x, F combine) {
  u32 found = 0, expected;
  do {
    expected = found;
    found = atomicCAS(at, expected, combine(expected, x));
  } while (found != expected);
}

// Half precision: one rounding an operation.
__device__ inline __half half_of(f32 x) { return __float2half_rn(x); }
__device__ inline f32 half_add(f32 a, f32 b) { return __half2float(__hadd(half_of(a), half_of(b))); }
__device__ inline f32 half_sub(f32 a, f32 b) { return __half2float(__hsub(half_of(a), half_of(b))); }
__device__ inline f32 half_mul(f32 a, f32 b) { return __half2float(__hmul(half_of(a), half_of(b))); }
__device__ inline f32 half_div(f32 a, f32 b) { return b == 0 ? a : __half2float(__hdiv(half_of(a), half_of(b))); }
__device__ inline f32 half_fma(f32 a, f32 b, f32 c) { return __half2float(__hfma(half_of(a), half_of(b), half_of(c))); }
__device__ inline u32 half_less(f32 a, f32 b) { return __hlt(half_of(a), half_of(b)); }
__device__ inline f32 half_pair(f32 a, f32 b, u32 which) {
  const __half2 pair = __hmul2(__floats2half2_rn(a, b), __floats2half2_rn(b, 0.5f));
  return which & 1 ? __high2float(pair) : __low2float(pair);
}

// Inline PTX.
__device__ inline u32 ptx_bfe(u32 a, u32 from, u32 count) {
  u32 d;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(from & 255u), "r"(count & 255u));
  return d;
}
__device__ inline i32 ptx_bfe_signed(i32 a, u32 from, u32 count) {
  i32 d;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(from & 255u), "r"(count & 255u));
  return d;
}
__device__ inline u32 ptx_bfi(u32 a, u32 b, u32 from, u32 count) {
  u32 d;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(from & 255u), "r"(count & 255u));
  return d;
}
__device__ inline u32 ptx_prmt(u32 a, u32 b, u32 selector) {
  u32 d;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(selector));
  return d;
}
__device__ inline u32 ptx_lop3(u32 a, u32 b, u32 c) {
  u32 d;
  asm("lop3.b32 %0, %1, %2, %3, 0x9c;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ inline u32 ptx_funnel(u32 a, u32 b, u32 by) {
  u32 d, e;
  asm("shf.l.wrap.b32 %0, %2, %3, %4; shf.r.clamp.b32 %1, %2, %3, %4;" : "=r"(d), "=r"(e) : "r"(a), "r"(b), "r"(by));
  return d ^ e;
}
__device__ inline u32 ptx_mad_hi(u32 a, u32 b, u32 c) {
  u32 d;
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ inline u64 ptx_add_carry(u64 a, u64 b) {
  u32 low, high;
  asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
      : "=r"(low), "=r"(high)
      : "r"(u32(a)), "r"(u32(a >> 32)), "r"(u32(b)), "r"(u32(b >> 32)));
  return low | u64(high) << 32;
}
__device__ inline u32 ptx_find(u32 a) {
  u32 d, e, f;
  asm("bfind.u32 %0, %3; popc.b32 %1, %3; clz.b32 %2, %3;" : "=r"(d), "=r"(e), "=r"(f) : "r"(a));
  return d + 3u * e + 5u * f;
}
__device__ inline u32 ptx_dot(u32 a, u32 b, u32 c) {
  u32 d;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ inline i32 ptx_saturate(i32 a, i32 b) {
  i32 d;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
__device__ inline u32 ptx_select(u32 a, u32 b) {
  u32 d;
  asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p sub.u32 %0, %2, %1; @!p mul.lo.u32 %0, %1, %2; }"
      : "=r"(d)
      : "r"(a), "r"(b));
  return d;
}
__device__ inline u32 ptx_to_byte(f32 x) {
  u32 d;
  // No operand of letter f: clang is asked once, and takes that letter for x86 only.
  asm("{ .reg .f32 t; mov.b32 t, %1; cvt.rni.sat.u8.f32 %0, t; }" : "=r"(d) : "r"(__float_as_uint(x)));
  return d;
}

// Calls through a table.
__device__ __noinline__ u32 called_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 called_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 called_2(u32 a, u32 b) {
  u32 sum = 0;
  for (u32 i = 0; i < (b & 7u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
__device__ u32 (*const functions[4])(u32, u32) = { called_0, called_1, called_2, called_0 };
__device__ inline u32 called(u32 which, u32 a, u32 b) { return functions[which & 3u](a, b); }

// The floats of `x` as textures.
__device__ inline f32 texel(u32 at) { return tex1Dfetch<f32>(linear, i32(at % u32(FLOATS))); }
__device__ inline f32 texel_of_four(u32 at, u32 which) {
  const float4 four = tex1Dfetch<float4>(linear_of_four, i32(at % u32(FLOATS / 4)));
  return which & 2u ? (which & 1u ? four.w : four.z) : (which & 1u ? four.y : four.x);
}

// Tiles of a warp.
template <int SIZE>
__device__ cooperative_groups::thread_block_tile<SIZE> this_tile() {
  return cooperative_groups::tiled_partition<SIZE>(cooperative_groups::this_thread_block());
}
template <int SIZE>
__device__ u32 tile_sum(u32 x, u32) {
  return cooperative_groups::reduce(this_tile<SIZE>(), x, cooperative_groups::plus<u32>());
}
template <int SIZE>
__device__ u32 tile_most(u32 x, u32 y) {
  const auto tile = this_tile<SIZE>();
  return cooperative_groups::reduce(tile, x, cooperative_groups::greater<u32>()) ^
         cooperative_groups::reduce(tile, y, cooperative_groups::bit_and<u32>());
}
template <int SIZE>
__device__ u32 tile_scan(u32 x, u32) {
  return cooperative_groups::inclusive_scan(this_tile<SIZE>(), x, cooperative_groups::plus<u32>());
}
template <int SIZE>
__device__ u32 tile_scan_before(u32 x, u32 y) {
  return cooperative_groups::exclusive_scan(this_tile<SIZE>(), x ^ y, cooperative_groups::plus<u32>());
}
template <int SIZE>
__device__ u32 tile_shuffle(u32 x, u32 y) {
  const auto tile = this_tile<SIZE>();
  return tile.shfl(x, y % SIZE) + 3u * tile.shfl_xor(x, SIZE / 2) + tile.shfl_down(y, 1u) + tile.thread_rank();
}
template <int SIZE>
__device__ u32 tile_ballot(u32 x, u32 y) {
  const auto tile = this_tile<SIZE>();
  return tile.ballot(x & 1u) + (tile.any(y & 4u) ? 64u : 0u) + (tile.all(x & 2u) ? 128u : 0u) + tile.meta_group_rank();
}
template <int SIZE>
__device__ u32 tile_match(u32 x, u32 y) {
  return this_tile<SIZE>().match_any(x & 3u) + y;
}


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

// Random kernels of kind data; data.out is what an H200 printed, compiled by nvcc with: -fmad=false -w
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

__global__ void k0(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x, tid = threadIdx.x, block = blockIdx.x, total = gridDim.x * blockDim.x;
  const u32 gid = blockIdx.x * blockDim.x + threadIdx.x, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  float2 *y0 = (float2 *)(own + total * 0u);
  i32 *y1 = (i32 *)(own + total * 32u);
  uchar4 *y2 = (uchar4 *)(own + total * 48u);
  i64 g0 = i64(31ull);
  i16 u1 = i16(32768u);
  u64 v2 = u64(u1);
  i16 v3 = u1;
  i16 v4 = i16(u32((((gridDim.x & 2) != 0) ? i16(v2) : i16(threadIdx.x))) + u32(shifted_right<i16>(i16(65535u), lane)));
  f32 v5 = 0.0f;
  if (gid >= n) return;
  y1[i32(gid * 3u + 2)] = settled(whole<i32>(((const float4 *)x)[u32(gid + 14u)].x));
  v5 = ((u16(7u) <= u16(1u)) ? (((u32(1u) & 1) != 0) ? f32(v3) : f32(g0)) : ceil(f32(threads)));
  for (u32 c0 = 0, topc0 = 4u; c0 < topc0; ++c0) {
    v5 = ((const float2 *)x)[i64(gid + 5u)].y;
    for (u32 c1 = 0, topc1 = 3u; c1 < topc1 && ((u32(g0) & 2) != 0); ++c1) {
      for (i32 c2 = i32(u32(whole<u32>(y0[u64(gid * 3u + (u32(c0) % 3u))].x)) % 9u); c2 > 0; c2 -= 2) {
        v2 = u64(1ull);
        v3 = i16(1u);
      }
      {
        float2 all = y0[u64(gid * 3u + 0)];
        all.x = settled(f32(i8(v4)));
        all.y = settled((1.0f + f32(i64(v2))));
        y0[u64(gid * 3u + 0)] = all;
      }
    }
    v4 = divided<i16>(i16(32794u), whole<i16>(f));
  }
  {
    float2 all = y0[u64(gid * 3u + 0)];
    all.x = settled(f32(u1));
    all.y = settled((f32(((const i16 *)in)[u32(3u) % 2048u]) - f32(g0)));
    y0[u64(gid * 3u + 0)] = all;
  }
  y0[u64(gid * 3u + 1)].y = settled(((u64(n) != whole<u64>(v5)) ? f32(y1[i32(gid * 3u + 0)]) : fma(f32(v2), f32(g0), -1.0f)));
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k1(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y, tid = threadIdx.x + blockDim.x * threadIdx.y;
  const u32 block = blockIdx.x + gridDim.x * blockIdx.y, total = threads * gridDim.x * gridDim.y;
  const i32 column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const u32 gid = row * (gridDim.x * blockDim.x) + column, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  u32 *y0 = (u32 *)(own + total * 0u);
  f64 *y1 = (f64 *)(own + total * 16u);
  u64 *y2 = (u64 *)(own + total * 48u);
  i16 g0 = i16(((const i32 *)in)[u32(u32(a) + u32(a)) % 1024u]);
  u32 u1 = u32(g0);
  f64 v2 = (((u32(0u) < u32(g0)) != ((u32(g0) & 3) != 0)) ? f64(((const i32 *)in)[u32(g0) % 1024u]) : ((u1 > u32(4294967295u)) ? 0.0 : 1.0));
  f32 v3 = (((u64(9223372036854775808ull) > u64(3ull)) ? f32(n) : f32(g0)) - quotient(f32(u1), f32(u1)));
  i16 v4 = i16(u32(i16(whole<i64>(v3))) ^ u32(i16(((const u8 *)in)[u32(gid + u8(7u)) % 4096u])));
  i32 v5 = whole<i32>(v2);
  if (gid < n) {
    y1[u64((block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z) * 3u + 0)] = settled(f64(g0));
    y0[u32(total * 2u - 1u - (gid * 2u + 1))] = settled(y0[u32(total * 2u - 1u - (gid * 2u + 0))]);
    v5 = i32(g0);
  }
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k2(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x, tid = threadIdx.x, block = blockIdx.x, total = gridDim.x * blockDim.x;
  const u32 gid = blockIdx.x * blockDim.x + threadIdx.x, lane = tid & 31u, warp = tid >> 5;
  u64 seen = tid;
  __shared__ i32 s0[1 * THREADS];
  u64 *y0 = (u64 *)(own + total * 0u);
  u64 g0 = u64(((const u8 *)in)[u32(((const i32 *)in)[u32(4294967295u) % 1024u]) % 4096u]);
  i32 u1 = (((i16(g0) <= i16(g0)) || ((u32(g0) & 1) != 0)) ? i32(blockDim.x) : i32(blockIdx.y));
  i32 v2 = i32(lane);
  f32 v3 = ((f32(u1) - f32(v2)) + f32(((const i32 *)in)[u32(gid + u8(128u)) % 1024u]));
  f32 v4 = f32(g0);
  f32 v5 = f32(v2);
  s0[tid * 1u + 0u] = i32(gid * u32(32u));
  i32 p0[8];
  for (u32 i = 0; i < 8u; ++i) {
    p0[i] = i32(i * u32(u32(whole<u32>(v3)) * u32(u32(g0))));
  }
  f32 q0[6];
  for (u32 i = 0; i < 6u; ++i) {
    q0[i] = f32(i) * f32(threadIdx.z);
  }
  for (i32 c0 = i32(3u); c0 > 0; c0 -= 2) {
    if ((u32(((const i32 *)in)[u32(4294967295u) % 1024u]) < divided<u32>(u32(u1), u32(4294967295u)))) {
      q0[u32(1u) % 6u] = ((v5 - v3) + fma(v5, v4, 1.0f));
      for (u32 c1 = 0, topc1 = u32(u32(3u)) % 3u; c1 < topc1; ++c1) {
        v4 = ((f * f) - 0.1f);
        atomicExch(&s0[tid * 1u + 0u], i32(u32(i32(u32(abs(i32(u1 >> 1))))) + u32(((const i32 *)in)[u32(gid + u8(1u)) % 1024u])));
        __syncthreads();
        for (i32 c2 = i32(4u); c2 > 0; c2 -= 1) {
          q0[((whole<u64>(v4) <= whole<u64>(v4)) ? u32(u1) : blockIdx.y) % 6u] = fma(fma(f32(gid), f32(v2), f32(c1)), f32(i8(v2)), f32(((const u64 *)in)[u32(u1) % 512u]));
          atomicMax(&counters[u32(s0[shifted_left<u32>(a, u32(c0)) % (1u * threads)]) % 64u], u32(0u));
        }
        atomicMax(&counters[divided<u32>(u32(s0[whole<u32>(v3) % (1u * threads)]), u32(u32(u32(4294967295u)) - u32(u32(g0)))) % 64u], u32(g0));
        seen = mixed(seen, bits(s0[((tid + 2u) % threads) * 1u + 0u]));
        __syncthreads();
        s0[tid * 1u + 0u] = i32(u32(s0[tid * 1u + 0u]) & u32(remainder_of<i32>(i32(255u), i32(g0))));
        q0[u32(g0) % 6u] = ((whole<u16>(v3) > whole<u16>(v3)) ? fabs(v3) : (v5 * f32(c0)));
        if (((whole<u32>(x[u32(u1) % 32768u]) & 1) != 0)) break;
      }
      __syncthreads();
      s0[tid * 1u + 0u] = i32(y0[i64(gid + 0 * total)]);
      q0[u32(i64(g0)) % 6u] = (trunc(f) - x[u32(32767u - gid * 1u - 15u)]);
    }
    s0[tid * 1u + 0u] = remainder_of<i32>(i32(u32(i32(3u)) | u32(c0)), i32(u32(i32(gid)) * u32(i32(blockIdx.x))));
    u1 = i32(__syncthreads_and((u1 <= shifted_right<i32>(whole<i32>(v4), threads))));
    s0[tid * 1u + 0u] = ((u8(gid) <= whole<u8>(v3)) ? i32(u16(0u)) : i32(u32(i32(warp)) - u32(i32(3u))));
    u1 = i32(((const u8 *)in)[u32(g0) % 4096u]);
    if ((u32(u16(g0)) <= u32(u32(u32(c0)) ^ u32(blockIdx.x)))) break;
    v5 = f32(s0[tid * 1u + 0u]);
  }
  q0[u32(u32(u32(1u)) * u32(u32(v2))) % 6u] = v5;
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k3(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  int4 *y0 = (int4 *)(own + total * 0u);
  i32 g0 = ((const i32 *)in)[u32(((const i32 *)in)[u32(1u) % 1024u]) % 1024u];
  i32 u1 = g0;
  i32 v2 = i32(u32(i32(u32(i32(a)) + u32(i32(warp)))) | u32(i32(2396020266u)));
  u64 v3 = shifted_right<u64>(u64(u1), u32(u32(u32(u1)) & u32(blockIdx.y)));
  i16 v4 = i16(((const u64 *)in)[u32(gid + u8(255u)) % 512u]);
  f64 v5 = f64(v3);
  v2 = i32(u32(u32(u32(g0)) | u32(u32(v2))));
  for (u32 c0 = 0, topc0 = 4u; c0 < topc0 && ((v5 > f64(blockDim.x)) || (whole<u32>(v5) == tid)); ++c0) {
    v3 = whole<u64>(v5);
  }
  v3 = u64(((const i32 *)in)[u32(gid + u8(0u)) % 1024u]);
  v5 = smaller(f64(v3), f64(u16(32u)));
  v2 = ((const i32 *)in)[u32(((const i32 *)in)[whole<u32>(f) % 1024u]) % 1024u];
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}

__global__ void k4(const i32 *in, u64 *out, u32 *counters, i32 *scratch, const f32 *x, u8 *own, u32 n, u32 a, f32 f) {
  const u32 threads = blockDim.x * blockDim.y * blockDim.z;
  const u32 tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const u32 total = threads * gridDim.x * gridDim.y * gridDim.z;
  u64 seen = threadIdx.x;
  const u32 gid = block * threads + tid, lane = tid & 31u, warp = tid >> 5;
  Three *y0 = (Three *)(own + total * 0u);
  u64 *y1 = (u64 *)(own + total * 64u);
  f32 g0 = fma(ceil(f32(n)), (f32(threads) - f32(gridDim.x)), f32(n));
  f64 u1 = f64(((const i32 *)in)[((g0 > g0) ? whole<u32>(g0) : whole<u32>(g0)) % 1024u]);
  u32 v2 = u32(((const i16 *)in)[u32(gid + u8(255u)) % 2048u]);
  f64 v3 = f64(((const i32 *)in)[u32(u32(u32(3u)) + u32(whole<u32>(u1))) % 1024u]);
  u64 v4 = u64(gridDim.x);
  u64 v5 = whole<u64>(u1);
  i32 p0[8];
  for (u32 i = 0; i < 8u; ++i) {
    p0[i] = i32(i * u32(((const i32 *)in)[whole<u32>(f) % 1024u]));
  }
  p0[u32(32u) & 7u] = whole<i32>(g0);
  atomicAnd(&counters[u32(u32(u32(u32(block) ^ u32(whole<u32>(u1)))) - u32(u32(u32(u32(v5)) & u32(u32(3u))))) % 64u], u32(__brev(u32(u32(((const i16 *)in)[u32(gid + u8(7u)) % 2048u]) >> 1))));
  atomicAnd(&counters[u32(4294967295u) % 64u], whole<u32>(u1));
  u64 sum = seen;
  sum = mixed(sum, bits(g0));
  sum = mixed(sum, bits(u1));
  sum = mixed(sum, bits(v2));
  sum = mixed(sum, bits(v3));
  sum = mixed(sum, bits(v4));
  sum = mixed(sum, bits(v5));
  sum = mixed(sum, bits(f));
  out[gid] = sum;
}
int main() {
  Launches launches;
  Device d = launches.device;
  { launches.begin(40960); k0<<<dim3(5, 1, 1), dim3(128, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 4294967295u, 1000000.0f); launches.end("k0 0"); }
  { launches.begin(8192); u32 x = unknown(64); k0<<<dim3(2, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 128u, 0u, 0.5f); launches.end("k0 1"); }
  { launches.begin(32768); u32 x = unknown(16); k1<<<dim3(2, 1, 1), dim3(x, 16, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 509u, 4294967295u, -17.0f); launches.end("k1 0"); }
  { launches.begin(960); u32 x = unknown(5); k1<<<dim3(1, 1, 1), dim3(x, 3, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 12u, 4294967295u, 1.0f); launches.end("k1 1"); }
  { launches.begin(48); k2<<<dim3(3, 1, 1), dim3(1, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 0u, 0u, 0.0f); launches.end("k2 0"); }
  { launches.begin(20560); u32 x = unknown(257); k2<<<dim3(5, 1, 1), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 33u, 0.0f); launches.end("k2 1"); }
  { launches.begin(3072); k3<<<dim3(1, 1, 1), dim3(4, 4, 4), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 2147483648u, 33u, 1.0f); launches.end("k3 0"); }
  { launches.begin(11520); u32 x = unknown(1); k3<<<dim3(1, 2, 3), dim3(x, 40, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 237u, 33u, 1.0f); launches.end("k3 1"); }
  { launches.begin(23040); u32 x = unknown(1); k4<<<dim3(1, 2, 3), dim3(x, 40, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 240u, 4294967295u, -17.0f); launches.end("k4 0"); }
  { launches.begin(576); u32 x = unknown(1); k4<<<dim3(1, 2, 3), dim3(x, 1, 1), 0>>>(d.in, d.out, d.counters, d.scratch, d.x, d.own, 6u, 1u, 1.0f); launches.end("k4 1"); }
}

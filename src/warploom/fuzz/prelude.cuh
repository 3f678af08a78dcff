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

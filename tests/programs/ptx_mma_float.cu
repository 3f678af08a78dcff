// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Inline PTX / mma.sync of f16, bf16, tf32, f64, e4m3 and e5m2: every shape and result, m8n8k4 in all layouts
// arch: sm_90
//
// Products in registers as the PTX manual numbers them, by two warps of a block, against a loop on the host. Elements
// are small multiples of a power of two, so that sums are exact in any order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "check.h"

typedef std::uint32_t u32;
constexpr int kLanes = 64;

// ---- 16 and 8 rows by 8 columns: T is a register of a factor, C one of the sums -------------------------------------

template <class T, class C>
struct Registers {
  T a[8], b[4];
  C c[4];
};
#define KERNEL(name, form, T, letter, C, letter_c, to, operands, ...)           \
  __global__ void name(const Registers<T, C> *in, C *d) {                       \
    const Registers<T, C> &r = in[threadIdx.x];                                 \
    C *const out = d + threadIdx.x * 4;                                         \
    asm volatile("mma.sync.aligned." form " " operands ";" : to : __VA_ARGS__); \
  }
#define TO_2(letter) letter(out[0]), letter(out[1])
#define TO_4(letter) letter(out[0]), letter(out[1]), letter(out[2]), letter(out[3])
#define SUMS_2(letter) letter(r.c[0]), letter(r.c[1])
#define SUMS_4(letter) letter(r.c[0]), letter(r.c[1]), letter(r.c[2]), letter(r.c[3])
#define A_2(letter) letter(r.a[0]), letter(r.a[1])
#define A_4(letter) A_2(letter), letter(r.a[2]), letter(r.a[3])
#define A_8(letter) A_4(letter), letter(r.a[4]), letter(r.a[5]), letter(r.a[6]), letter(r.a[7])
#define B_2(letter) letter(r.b[0]), letter(r.b[1])
#define B_4(letter) B_2(letter), letter(r.b[2]), letter(r.b[3])
#define FLOATS_2_1(name, form)                                                                                \
  KERNEL(name, form, u32, "r", float, "f", TO_4("=f"), "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}", \
         A_2("r"), "r"(r.b[0]), SUMS_4("f"))
#define FLOATS_4_2(name, form)                         \
  KERNEL(name, form, u32, "r", float, "f", TO_4("=f"), \
         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}", A_4("r"), B_2("r"), SUMS_4("f"))
#define HALVES_2_1(name, form)                                                                                    \
  KERNEL(name, form, u32, "r", u32, "r", TO_2("=r"), "{%0, %1}, {%2, %3}, {%4}, {%5, %6}", A_2("r"), "r"(r.b[0]), \
         SUMS_2("r"))
#define HALVES_4_2(name, form)                                                                                   \
  KERNEL(name, form, u32, "r", u32, "r", TO_2("=r"), "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9}", A_4("r"), \
         B_2("r"), SUMS_2("r"))
FLOATS_2_1(f16_k8, "m16n8k8.row.col.f32.f16.f16.f32")
FLOATS_4_2(f16_k16, "m16n8k16.row.col.f32.f16.f16.f32")
HALVES_2_1(f16_k8_half, "m16n8k8.row.col.f16.f16.f16.f16")
HALVES_4_2(f16_k16_half, "m16n8k16.row.col.f16.f16.f16.f16")
FLOATS_2_1(bf16_k8, "m16n8k8.row.col.f32.bf16.bf16.f32")
FLOATS_4_2(bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
FLOATS_2_1(tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
FLOATS_4_2(tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
#define EACH_FP8(X) X(e4m3, e4m3) X(e4m3, e5m2) X(e5m2, e4m3) X(e5m2, e5m2)
#define FP8_KERNELS(A, B)                                                  \
  FLOATS_2_1(A##_##B##_k16, "m16n8k16.row.col.f32." #A "." #B ".f32")      \
  FLOATS_4_2(A##_##B##_k32, "m16n8k32.row.col.f32." #A "." #B ".f32")      \
  HALVES_2_1(A##_##B##_k16_half, "m16n8k16.row.col.f16." #A "." #B ".f16") \
  HALVES_4_2(A##_##B##_k32_half, "m16n8k32.row.col.f16." #A "." #B ".f16")
EACH_FP8(FP8_KERNELS)
KERNEL(f64_m8, "m8n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d", TO_2("=d"), "{%0, %1}, {%2}, {%3}, {%4, %5}",
       "d"(r.a[0]), "d"(r.b[0]), SUMS_2("d"))
KERNEL(f64_k4, "m16n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d", TO_4("=d"),
       "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10}", A_2("d"), "d"(r.b[0]), SUMS_4("d"))
KERNEL(f64_k8, "m16n8k8.row.col.f64.f64.f64.f64", double, "d", double, "d", TO_4("=d"),
       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13}", A_4("d"), B_2("d"), SUMS_4("d"))
KERNEL(f64_k16, "m16n8k16.row.col.f64.f64.f64.f64", double, "d", double, "d", TO_4("=d"),
       "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19}", A_8("d"),
       B_4("d"), SUMS_4("d"))

// The bits of an element of each format.
u32 f16(float value) {
  const __half_raw raw = __float2half(value);
  return raw.x;
}
u32 bf16(float value) {
  const __nv_bfloat16_raw raw = __float2bfloat16(value);
  return raw.x;
}
u32 tf32(float value) {
  u32 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
u32 e4m3(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }
u32 e5m2(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2); }
float half_of(u32 bits) {
  __half_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return __half2float(raw);
}

// Numbers from -3 to 3 times `unit`, or one of them.
struct Source {
  Lcg lcg;
  float unit;
  float next() { return static_cast<float>(lcg.below(7) - 3) * unit; }
};

// `bits` of an element; `unit_a` and `unit_b` are what the elements of a and b are multiples of. With `only` a has one
// element that is not 0.
template <class C>
void check(const char *name, void (*kernel)(const Registers<u32, C> *, C *), int depth, int bits, u32 (*of_a)(float),
           u32 (*of_b)(float), float unit_a, float unit_b = 1.0f, int only = -1) {
  Source source{{static_cast<u32>(depth)}, 1.0f};
  const bool halves = sizeof(C) == sizeof(u32) && C(0.5f) == C(0);
  const int per_word = 32 / bits;
  std::vector<float> a(2 * 16 * depth), b(2 * 8 * depth), c(2 * 16 * 8);
  for (float &each : a) each = source.next() * unit_a;
  for (float &each : b) each = source.next() * unit_b;
  for (float &each : c) each = source.next() * 16 * unit_a * unit_b;
  for (int i = 0; only >= 0 && i < static_cast<int>(a.size()); ++i) a[i] = i == only ? 3 * unit_a : 0.0f;
  std::vector<Registers<u32, C>> in(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int warp = lane / 32, group = lane % 32 / 4, quad = lane % 4;
    for (int at = 0; at < depth / 2; ++at) {
      const int word = at / per_word, k = word / 2 * 4 * per_word + quad * per_word + at % per_word;
      const u32 found = of_a(a[(warp * 16 + group + word % 2 * 8) * depth + k]);
      in[lane].a[word] |= found << at % per_word * bits;
    }
    for (int at = 0; at < depth / 4; ++at) {
      const int word = at / per_word, k = word * 4 * per_word + quad * per_word + at % per_word;
      in[lane].b[word] |= of_b(b[(warp * 8 + group) * depth + k]) << at % per_word * bits;
    }
    for (int i = 0; i < 4; ++i) {
      const float value = c[(warp * 16 + group + i / 2 * 8) * 8 + quad * 2 + i % 2];
      if (halves) {
        in[lane].c[i / 2] = C(u32(in[lane].c[i / 2]) | f16(value) << i % 2 * 16);
      } else {
        in[lane].c[i] = C(value);
      }
    }
  }
  C *const result = device_zeros<C>(kLanes * 4);
  kernel<<<1, kLanes>>>(upload(in), result);
  const std::vector<C> found = download(result, kLanes * 4);
  std::vector<float> want, got;
  for (int at = 0; at < 2 * 16 * 8; ++at) {
    const int warp = at / 128, row = at / 8 % 16, column = at % 8, i = row / 8 * 2 + column % 2;
    float sum = c[at];
    for (int k = 0; k < depth; ++k) sum += a[(warp * 16 + row) * depth + k] * b[(warp * 8 + column) * depth + k];
    want.push_back(sum);
    const C *const lane = &found[(warp * 32 + row % 8 * 4 + column / 2) * 4];
    got.push_back(halves ? half_of(u32(lane[i / 2]) >> i % 2 * 16 & 0xffff) : float(lane[i]));
  }
  compare(name, want, got);
}

void check_doubles(const char *name, void (*kernel)(const Registers<double, double> *, double *), int rows, int depth) {
  Lcg lcg{static_cast<u32>(rows + depth)};
  const int halves = rows / 8;
  std::vector<Registers<double, double>> in(kLanes);
  for (Registers<double, double> &lane : in) {
    for (double &each : lane.a) each = lcg.below(2001) - 1000;
    for (double &each : lane.b) each = (lcg.below(2001) - 1000) / 1024.0;
    for (double &each : lane.c) each = lcg.below(2001) - 1000;
  }
  double *const result = device_zeros<double>(kLanes * 4);
  kernel<<<1, kLanes>>>(upload(in), result);
  const std::vector<double> found = download(result, kLanes * 4);
  std::vector<double> want, got;
  for (int at = 0; at < 2 * rows * 8; ++at) {
    const int warp = at / (rows * 8) * 32, row = at / 8 % rows, column = at % 8, i = row / 8 * 2 + column % 2;
    const int lane = warp + row % 8 * 4 + column / 2;
    double sum = in[lane].c[i];
    for (int k = 0; k < depth; ++k) {
      sum += in[warp + row % 8 * 4 + k % 4].a[k / 4 * halves + row / 8] * in[warp + column * 4 + k % 4].b[k / 4];
    }
    want.push_back(sum);
    got.push_back(found[lane * 4 + i]);
  }
  compare(name, want, got);
}

// ---- m8n8k4: four products of 8x4 by 4x8 ----------------------------------------------------------------------------

struct Quads {
  u32 a[2], b[2];
  float c[8];
  u32 halves[4];
};
#define FLOAT_QUADS(A, B)                                                                                            \
  __global__ void quads_##A##_##B(const Quads *in, float *d) {                                                       \
    const Quads &r = in[threadIdx.x];                                                                                \
    float *const out = d + threadIdx.x * 8;                                                                          \
    asm volatile("mma.sync.aligned.m8n8k4." #A "." #B                                                                \
                 ".f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "                                               \
                 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"                                   \
                 : "=f"(out[0]), "=f"(out[1]), "=f"(out[2]), "=f"(out[3]), "=f"(out[4]), "=f"(out[5]), "=f"(out[6]), \
                   "=f"(out[7])                                                                                      \
                 : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]), "r"(r.b[1]), "f"(r.c[0]), "f"(r.c[1]), "f"(r.c[2]),        \
                   "f"(r.c[3]), "f"(r.c[4]), "f"(r.c[5]), "f"(r.c[6]), "f"(r.c[7]));                                 \
  }                                                                                                                  \
  __global__ void half_quads_##A##_##B(const Quads *in, float *d) {                                                  \
    const Quads &r = in[threadIdx.x];                                                                                \
    u32 out[4];                                                                                                      \
    asm volatile("mma.sync.aligned.m8n8k4." #A "." #B                                                                \
                 ".f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, "                                                     \
                 "{%6, %7}, {%8, %9, %10, %11};"                                                                     \
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])                                            \
                 : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]), "r"(r.b[1]), "r"(r.halves[0]), "r"(r.halves[1]),           \
                   "r"(r.halves[2]), "r"(r.halves[3]));                                                              \
    for (int i = 0; i < 8; ++i) {                                                                                    \
      __half_raw raw;                                                                                                \
      raw.x = static_cast<unsigned short>(out[i / 2] >> i % 2 * 16);                                                 \
      d[threadIdx.x * 8 + i] = __half2float(raw);                                                                    \
    }                                                                                                                \
  }
FLOAT_QUADS(row, row)
FLOAT_QUADS(row, col)
FLOAT_QUADS(col, row)
FLOAT_QUADS(col, col)

void check_quads(const char *name, void (*kernel)(const Quads *, float *), bool rows_a, bool rows_b, bool halves) {
  Source source{{17}, 1.0f};
  float a[16][8][4], b[16][4][8], c[16][8][8];  // of each group of eight lanes of two warps
  for (int q = 0; q < 8; ++q) {
    for (int i = 0; i < 8; ++i) {
      for (int k = 0; k < 4; ++k) a[q][i][k] = source.next();
      for (int k = 0; k < 4; ++k) b[q][k][i] = source.next();
      for (int j = 0; j < 8; ++j) c[q][i][j] = source.next() * 5;
    }
  }
  std::vector<Quads> in(kLanes);
  const auto place = [&](int lane, int i, int &row, int &column) {
    const int upper = lane % 32 >= 16 ? 4 : 0;
    row = upper + (halves ? lane % 4 : lane % 2 + (i & 2));
    column = halves ? i : (i & 4) + (lane & 2) + (i & 1);
  };
  for (int lane = 0; lane < kLanes; ++lane) {
    const int q = lane / 32 * 4 + lane % 16 / 4, upper = lane % 32 >= 16 ? 4 : 0, in_quad = lane % 4;
    for (int i = 0; i < 4; ++i) {
      const float x = rows_a ? a[q][upper + in_quad][i] : a[q][upper + i][in_quad];
      const float y = rows_b ? b[q][in_quad][upper + i] : b[q][i][upper + in_quad];
      in[lane].a[i / 2] |= f16(x) << i % 2 * 16;
      in[lane].b[i / 2] |= f16(y) << i % 2 * 16;
    }
    for (int i = 0; i < 8; ++i) {
      int row, column;
      place(lane, i, row, column);
      in[lane].c[i] = c[q][row][column];
      in[lane].halves[i / 2] |= f16(c[q][row][column]) << i % 2 * 16;
    }
  }
  float *const result = device_zeros<float>(kLanes * 8);
  kernel<<<1, kLanes>>>(upload(in), result);
  const std::vector<float> got = download(result, kLanes * 8);
  std::vector<float> want;
  for (int at = 0; at < kLanes * 8; ++at) {
    const int lane = at / 8, q = lane / 32 * 4 + lane % 16 / 4;
    int row, column;
    place(lane, at % 8, row, column);
    float sum = c[q][row][column];
    for (int k = 0; k < 4; ++k) sum += a[q][row][k] * b[q][k][column];
    want.push_back(sum);
  }
  compare(name, want, got);
}
#define CHECK_QUADS(A, B)                                                               \
  check_quads("m8n8k4 " #A " " #B, quads_##A##_##B, #A[0] == 'r', #B[0] == 'r', false); \
  check_quads("m8n8k4 " #A " " #B " half", half_quads_##A##_##B, #A[0] == 'r', #B[0] == 'r', true);

#define CHECK_FP8(A, B)                                                \
  check(#A " " #B " k16", A##_##B##_k16, 16, 8, A, B, 1.0f);           \
  check(#A " " #B " k32", A##_##B##_k32, 32, 8, A, B, 1.0f);           \
  check(#A " " #B " k16 half", A##_##B##_k16_half, 16, 8, A, B, 1.0f); \
  check(#A " " #B " k32 half", A##_##B##_k32_half, 32, 8, A, B, 1.0f); \
  check(#A " " #B " k32 subnormal", A##_##B##_k32, 32, 8, A, B, #A[1] == '4' ? 0x1p-9f : 0x1p-16f);

int main() {
  check("f16 k8", f16_k8, 8, 16, f16, f16, 1.0f);
  check("f16 k16", f16_k16, 16, 16, f16, f16, 1.0f);
  check("f16 k8 half", f16_k8_half, 8, 16, f16, f16, 1.0f);
  check("f16 k16 half", f16_k16_half, 16, 16, f16, f16, 1.0f);
  check("f16 k16 subnormal", f16_k16, 16, 16, f16, f16, 0x1p-24f);
  check("bf16 k8", bf16_k8, 8, 16, bf16, bf16, 1.0f);
  check("bf16 k16", bf16_k16, 16, 16, bf16, bf16, 1.0f);
  check("bf16 k16 subnormal", bf16_k16, 16, 16, bf16, bf16, 0x1p-133f);
  check("bf16 k16 one subnormal", bf16_k16, 16, 16, bf16, bf16, 0x1p-133f, 1.0f, 293);
  check("bf16 k16 small", bf16_k16, 16, 16, bf16, bf16, 0x1p-56f, 0x1p-56f);
  check("bf16 k16 small into subnormal", bf16_k16, 16, 16, bf16, bf16, 0x1p-66f, 0x1p-67f);
  check("tf32 k4", tf32_k4, 4, 32, tf32, tf32, 1.0f);
  check("tf32 k8", tf32_k8, 8, 32, tf32, tf32, 0.25f);
  EACH_FP8(CHECK_FP8)
  check_doubles("f64 m8n8k4", f64_m8, 8, 4);
  check_doubles("f64 m16n8k4", f64_k4, 16, 4);
  check_doubles("f64 m16n8k8", f64_k8, 16, 8);
  check_doubles("f64 m16n8k16", f64_k16, 16, 16);
  CHECK_QUADS(row, row)
  CHECK_QUADS(row, col)
  CHECK_QUADS(col, row)
  CHECK_QUADS(col, col)
  return 0;
}

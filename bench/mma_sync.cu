// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of mma.sync: each warp multiplies fragments, which it loads from memory, in a row. Prints the best of some
// runs, in 10^9 operations (a product and a sum are two) a second of the process's time. That results are right is what
// tests/programs/ptx_mma_integer.cu and ptx_mma_float.cu check.
//
//   warpcc -O3 -arch=sm_90 bench/mma_sync.cu -o mma_sync; taskset -c 1 ./mma_sync [RUNS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

constexpr int kWarps = 64, kSteps = 256;

// Four registers of a, two of b and four of the result, of type Sum.
#define MULTIPLY(name, form, Sum, letter)                                                             \
  __global__ void name(const unsigned *a, const unsigned *b, int *d) {                                \
    const int lane = threadIdx.x;                                                                     \
    Sum sum[4] = {};                                                                                  \
    for (int step = 0; step < kSteps; ++step) {                                                       \
      const unsigned *const x = a + step * 128 + lane, *const y = b + step * 64 + lane;               \
      asm("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
          : letter(sum[0]), letter(sum[1]), letter(sum[2]), letter(sum[3])                            \
          : "r"(x[0]), "r"(x[32]), "r"(x[64]), "r"(x[96]), "r"(y[0]), "r"(y[32]));                    \
    }                                                                                                 \
    for (int i = 0; i < 4; ++i) d[(blockIdx.x * 4 + i) * 32 + lane] = int(sum[i]);                    \
  }
MULTIPLY(half, "m16n8k16.row.col.f32.f16.f16.f32", float, "+f")
MULTIPLY(bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "+f")
MULTIPLY(tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "+f")
MULTIPLY(e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "+f")
MULTIPLY(e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", float, "+f")
MULTIPLY(s8, "m16n8k32.row.col.s32.s8.s8.s32", int, "+r")
MULTIPLY(u8, "m16n8k32.row.col.s32.u8.u8.s32", int, "+r")
MULTIPLY(s8u8, "m16n8k32.row.col.s32.s8.u8.s32", int, "+r")
MULTIPLY(s4, "m16n8k64.row.col.s32.s4.s4.s32", int, "+r")
MULTIPLY(u4, "m16n8k64.row.col.s32.u4.u4.s32", int, "+r")
MULTIPLY(bits, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", int, "+r")

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

void measure(const char *name, int depth, void (*kernel)(const unsigned *, const unsigned *, int *), int runs) {
  static unsigned *a = nullptr, *b = nullptr;
  static int *d = nullptr;
  if (a == nullptr) {
    cudaMallocManaged(&a, kSteps * 128 * sizeof(unsigned));
    cudaMallocManaged(&b, kSteps * 64 * sizeof(unsigned));
    cudaMalloc(&d, kWarps * 128 * sizeof(int));
    for (int i = 0; i < kSteps * 128; ++i) a[i] = i * 0x01010101u & 0x83ff83ffu | 0x3c003c00u;
    for (int i = 0; i < kSteps * 64; ++i) b[i] = i * 0x01010101u & 0x83ff83ffu | 0x3c003c00u;
  }
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const double start = cpu_seconds();
    kernel<<<kWarps, 32>>>(a, b, d);
    cudaDeviceSynchronize();
    best = std::min(best, cpu_seconds() - start);
  }
  printf("%-9s %7.1f\n", name, 1e-9 * kWarps * kSteps * 2 * 16 * 8 * depth / best);
}

int main(int count, char **words) {
  const int runs = count > 1 ? std::atoi(words[1]) : 20;
  measure("half", 16, half, runs);
  measure("bfloat16", 16, bfloat16, runs);
  measure("tf32", 8, tf32, runs);
  measure("int8", 32, s8, runs);
  measure("uint8", 32, u8, runs);
  measure("s8 u8", 32, s8u8, runs);
  measure("int4", 64, s4, runs);
  measure("uint4", 64, u4, runs);
  measure("bits", 256, bits, runs);
  measure("e4m3", 32, e4m3, runs);
  measure("e5m2", 32, e5m2, runs);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / wmma and mma.sync of bytes: extremes, wrapping and saturated sums, other lanes' elements
//
// Products of matrices of the largest and the smallest bytes, with sums at the ends of int, against a loop on the host.
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace nvcuda;
using row = wmma::row_major;
using col = wmma::col_major;

constexpr int kLargest = 0x7fffffff;

int clamped(long long sum, bool saturate) {
  if (saturate) sum = std::max(-(1ll << 31), std::min((1ll << 31) - 1, sum));
  return int(unsigned(sum));
}

// Elements of the fragments themselves are looked at: `add` is added to each of b's, and taken from what was stored.
template <int M, int N, class T, class LayoutA, class LayoutB>
__global__ void multiply(const T *a, const T *b, const int *c, int *d, bool saturate, int add) {
  wmma::fragment<wmma::matrix_a, M, N, 16, T, LayoutA> left;
  wmma::fragment<wmma::matrix_b, M, N, 16, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, M, N, 16, int> sum, result;
  wmma::load_matrix_sync(left, a, std::is_same<LayoutA, row>::value ? 16 : M);
  wmma::load_matrix_sync(right, b, std::is_same<LayoutB, row>::value ? N : 16);
  wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
  for (int i = 0; i < right.num_elements; ++i) right.x[i] = T(right.x[i] - add);
  for (int i = 0; i < right.num_elements; ++i) right.x[i] = T(right.x[i] + add);
  wmma::mma_sync(result, left, right, sum, saturate);
  wmma::store_matrix_sync(d, result, N, wmma::mem_row_major);
}

template <class T>
T *filled(const std::vector<T> &values) {
  T *memory;
  cudaMallocManaged(&memory, values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), memory);
  return memory;
}

template <int M, int N, class T, class LayoutA, class LayoutB>
int check(int pattern, bool saturate) {
  const int low = T(-1) < T(0) ? -128 : 0, high = T(-1) < T(0) ? 127 : 255;
  const auto value = [&](int i, int k, int side) {
    if (pattern == 0) return low;
    if (pattern == 1) return high;
    if (pattern == 2) return side ? low : high;
    return (i * 37 + k * 101 + side * 59) % 256 + low;
  };
  std::vector<T> a(M * 16), b(16 * N);
  std::vector<int> c(M * N), d(M * N);
  for (int k = 0; k < 16; ++k) {
    for (int i = 0; i < M; ++i) a[std::is_same<LayoutA, row>::value ? i * 16 + k : k * M + i] = T(value(i, k, 0));
    for (int j = 0; j < N; ++j) b[std::is_same<LayoutB, row>::value ? k * N + j : j * 16 + k] = T(value(j, k, 1));
  }
  for (int i = 0; i < M * N; ++i) c[i] = i % 3 == 0 ? kLargest : i % 3 == 1 ? -kLargest - 1 : i;
  int *const result = filled(d);
  multiply<M, N, T, LayoutA, LayoutB><<<1, 32>>>(filled(a), filled(b), filled(c), result, saturate, 3);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      long long sum = c[i * N + j];
      for (int k = 0; k < 16; ++k) sum += T(value(i, k, 0)) * T(value(j, k, 1));
      wrong += result[i * N + j] != clamped(sum, saturate);
    }
  }
  return wrong;
}

template <int M, int N, class T, class LayoutA, class LayoutB>
void check_patterns(const char *name) {
  printf("%s %dx%d:", name, M, N);
  for (int pattern = 0; pattern < 4; ++pattern) {
    printf(" %d %d", check<M, N, T, LayoutA, LayoutB>(pattern, false), check<M, N, T, LayoutA, LayoutB>(pattern, true));
  }
  printf("\n");
}

// mma.sync with registers as the PTX manual numbers them: a 16x32 by rows, b 32x8 by columns.
#define MULTIPLY_AS(name, types)                                                                                       \
  __global__ void name(const unsigned *a, const unsigned *b, const int *c, int *d) {                                   \
    const int lane = threadIdx.x, at = lane / 4, in = lane % 4, to = at * 8 + in * 2;                                  \
    asm("mma.sync.aligned.m16n8k32.row.col." types                                                                     \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"                                                               \
        " {%10, %11, %12, %13};"                                                                                       \
        : "=r"(d[to]), "=r"(d[to + 1]), "=r"(d[to + 64]), "=r"(d[to + 65])                                             \
        : "r"(a[at * 8 + in]), "r"(a[at * 8 + 64 + in]), "r"(a[at * 8 + 4 + in]), "r"(a[at * 8 + 68 + in]),            \
          "r"(b[at * 8 + in]), "r"(b[at * 8 + 4 + in]), "r"(c[to]), "r"(c[to + 1]), "r"(c[to + 64]), "r"(c[to + 65])); \
  }
MULTIPLY_AS(bytes_ss, "s32.s8.s8.s32")
MULTIPLY_AS(bytes_su, "s32.s8.u8.s32")
MULTIPLY_AS(bytes_us, "s32.u8.s8.s32")
MULTIPLY_AS(bytes_uu, "satfinite.s32.u8.u8.s32")

void check_ptx(const char *name, void (*kernel)(const unsigned *, const unsigned *, const int *, int *), bool signed_a,
               bool signed_b, bool saturate) {
  std::vector<unsigned> a(16 * 8), b(8 * 8);
  std::vector<int> c(16 * 8), d(16 * 8);
  for (int i = 0; i < 128; ++i) a[i] = i < 24 ? 0x80808080u : i < 48 ? ~0u : i * 0x9e3779b9u;
  for (int i = 0; i < 64; ++i) b[i] = i < 16 ? 0x80808080u : i < 32 ? ~0u : i * 0x7f4a7c15u;
  for (int i = 0; i < 128; ++i) c[i] = i % 2 ? kLargest : -kLargest - 1;
  int *const result = filled(d);
  kernel<<<1, 32>>>(filled(a), filled(b), filled(c), result);
  cudaDeviceSynchronize();
  const auto byte = [](const std::vector<unsigned> &words, int line, int k, bool is_signed) {
    const unsigned found = words[line * 8 + k / 4] >> k % 4 * 8 & 255;
    return is_signed ? int(static_cast<signed char>(found)) : int(found);
  };
  int wrong = 0;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      long long sum = c[i * 8 + j];
      for (int k = 0; k < 32; ++k) sum += byte(a, i, k, signed_a) * byte(b, j, k, signed_b);
      wrong += result[i * 8 + j] != clamped(sum, saturate);
    }
  }
  printf("mma.sync %s: %d wrong\n", name, wrong);
}

int main() {
  check_patterns<16, 16, signed char, row, col>("s8 row col");
  check_patterns<32, 8, signed char, col, row>("s8 col row");
  check_patterns<8, 32, unsigned char, row, row>("u8 row row");
  check_patterns<16, 16, unsigned char, col, col>("u8 col col");
  check_ptx("s8 s8", bytes_ss, true, true, false);
  check_ptx("s8 u8", bytes_su, true, false, false);
  check_ptx("u8 s8", bytes_us, false, true, false);
  check_ptx("u8 u8 satfinite", bytes_uu, false, false, true);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

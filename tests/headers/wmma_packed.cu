// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / wmma fragments of 4-bit integers and bits, bmma_sync
//
// Products of each experimental type, from matrices with lines longer than a tile, against a loop on the host.
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <vector>

using namespace nvcuda;
using wmma::experimental::precision::b1;
using wmma::experimental::precision::s4;
using wmma::experimental::precision::u4;

static_assert(std::is_same<wmma::fragment<wmma::matrix_a, 8, 8, 32, s4, wmma::row_major>::storage_element_type, int>());
static_assert(
    std::is_same<wmma::fragment<wmma::matrix_b, 8, 8, 32, u4, wmma::col_major>::storage_element_type, unsigned>());
static_assert(
    std::is_same<wmma::fragment<wmma::matrix_b, 8, 8, 128, b1, wmma::col_major>::storage_element_type, unsigned>());
static_assert(std::is_same<wmma::fragment<wmma::matrix_b, 8, 8, 128, b1, wmma::col_major>::element_type, b1>());

enum What { kWrapped, kSaturated, kXor, kAnd, kXorByDefault };

// Each of the block's warps makes a tile of the result.
template <class T, int K>
__global__ void multiply(const void *a, const void *b, const int *c, int *d, int steps, What what) {
  const auto *const rows = static_cast<const unsigned *>(a), *const columns = static_cast<const unsigned *>(b);
  const int line = steps * 4, tile = threadIdx.x / 32;  // a step's part of a line has four words
  wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
  wmma::load_matrix_sync(sum, c + tile * 8, 16, wmma::mem_row_major);
  for (int step = 0; step < steps; ++step) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> right;
    wmma::load_matrix_sync(left, rows + step * 4, steps * K);
    wmma::load_matrix_sync(right, columns + tile * 8 * line + step * 4, steps * K);
    if constexpr (std::is_same<T, b1>::value) {
      if (what == kXorByDefault) {
        wmma::bmma_sync(sum, left, right, sum);
      } else {
        wmma::bmma_sync(sum, left, right, sum,
                        what == kAnd ? wmma::experimental::bmmaBitOpAND : wmma::experimental::bmmaBitOpXOR,
                        wmma::experimental::bmmaAccumulateOpPOPC);
      }
    } else {
      wmma::mma_sync(sum, left, right, sum, what == kSaturated);
    }
  }
  wmma::store_matrix_sync(d + tile * 8, sum, 16, wmma::mem_row_major);
}

// Elements that are all alike; what fragments hold is the program's to change.
__global__ void constants(int *d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, s4, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, s4, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::fill_fragment(a, -7);
  wmma::fill_fragment(b, 3);
  wmma::fill_fragment(sum, 1);
  wmma::mma_sync(sum, a, b, sum);  // 1 - 32 * 21
  wmma::store_matrix_sync(d, sum, 8, wmma::mem_col_major);
  wmma::fragment<wmma::matrix_a, 8, 8, 128, b1, wmma::row_major> bits;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, b1, wmma::col_major> others;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> count;
  wmma::fill_fragment(bits, 1u);
  wmma::fill_fragment(others, 0u);
  for (int i = 0; i < others.num_storage_elements; ++i) others.x[i] = 0x0000000fu;
  wmma::fill_fragment(count, 1000);
  wmma::bmma_sync(count, bits, others, count);  // 1000 + 4 * 28
  wmma::store_matrix_sync(d + 64, count, 8, wmma::mem_row_major);
}

template <class T>
T *filled(const std::vector<T> &values) {
  T *memory;
  cudaMallocManaged(&memory, values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), memory);
  return memory;
}

int element(const std::vector<unsigned> &words, int at, int bits, bool is_signed) {
  const int found = words[at * bits / 32] >> at * bits % 32 & ((1u << bits) - 1);
  return is_signed && found >= 8 ? found - 16 : found;
}

template <class T, int K>
int check(What what, int pattern) {
  constexpr int bits = 128 / K, steps = 3, line = steps * 4;
  constexpr bool is_signed = std::is_same<T, s4>::value;
  std::vector<unsigned> a(8 * line), b(16 * line);
  unsigned random = 12345;
  const auto next = [&] {
    random = random * 1664525 + 1013904223;
    return pattern == 0 ? 0x88888888u : pattern == 1 ? ~0u : random ^ random >> 15;
  };
  for (unsigned &word : a) word = next();
  for (unsigned &word : b) word = pattern == 2 ? 0x77777777u : next();
  std::vector<int> c(8 * 16);
  for (int i = 0; i < 128; ++i) c[i] = i % 3 == 0 ? 0x7fffffff : i % 3 == 1 ? -0x7fffffff - 1 : i;
  int *const d = filled(std::vector<int>(128));
  multiply<T, K><<<1, 64>>>(filled(a), filled(b), filled(c), d, steps, what);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 16; ++j) {
      long long sum = c[i * 16 + j];
      for (int k = 0; k < steps * K; ++k) {
        const int x = element(a, i * steps * K + k, bits, is_signed),
                  y = element(b, j * steps * K + k, bits, is_signed);
        sum += what == kXor || what == kXorByDefault ? x ^ y : x * y;
        if (what == kSaturated && k % K == K - 1) sum = std::max(-(1ll << 31), std::min((1ll << 31) - 1, sum));
      }
      wrong += d[i * 16 + j] != static_cast<int>(static_cast<unsigned>(sum));
    }
  }
  return wrong;
}

template <class T, int K>
void check_patterns(const char *name, What what) {
  std::printf("%s:", name);
  for (int pattern = 0; pattern < 4; ++pattern) std::printf(" %d", check<T, K>(what, pattern));
  std::printf("\n");
}

int main() {
  check_patterns<u4, 32>("u4", kWrapped);
  check_patterns<u4, 32>("u4 saturated", kSaturated);
  check_patterns<s4, 32>("s4", kWrapped);
  check_patterns<s4, 32>("s4 saturated", kSaturated);
  check_patterns<b1, 128>("b1 xor", kXor);
  check_patterns<b1, 128>("b1 and", kAnd);
  check_patterns<b1, 128>("b1 xor by default", kXorByDefault);
  int *const d = filled(std::vector<int>(128));
  constants<<<1, 32>>>(d);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int products = 0, counts = 0;
  for (int i = 0; i < 64; ++i) products += d[i] == 1 - 32 * 21, counts += d[64 + i] == 1000 + 4 * 28;
  std::printf("constants: %d %d\n", products, counts);
  return 0;
}

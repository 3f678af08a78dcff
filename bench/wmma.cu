// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of wmma fragments: products of square matrices by 16x16 tiles of the result, one warp a tile, for each type of
// the factors, with b by rows and by columns. Prints the best of some runs, in 10^9 operations (a product and a sum
// are two) a second of the processes' time, and how many elements of the result differ from the host's.
//
//   warpcc -O3 bench/wmma.cu -o wmma; taskset -c 1 ./wmma [SIZE [RUNS]]
#include <mma.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using namespace nvcuda;

template <int K, class T, class Sum, class LayoutB>
__global__ void multiply(
    const typename wmma::fragment<wmma::matrix_a, 16, 16, K, T, wmma::row_major>::storage_element_type *a,
    const typename wmma::fragment<wmma::matrix_b, 16, 16, K, T, LayoutB>::storage_element_type *b, Sum *c, int size) {
  constexpr bool rows = std::is_same<LayoutB, wmma::row_major>::value;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, K, T, LayoutB> right;
  wmma::fragment<wmma::accumulator, 16, 16, K, Sum> sum;
  wmma::fill_fragment(sum, Sum(0));
  for (int k = 0; k < size; k += K) {
    wmma::load_matrix_sync(left, a + row * size + k, size);
    wmma::load_matrix_sync(right, rows ? b + k * size + column : b + column * size + k, size);
    if constexpr (std::is_same<T, wmma::precision::tf32>::value) {  // which the programmer has to ask for
      for (int i = 0; i < left.num_elements; ++i) left.x[i] = wmma::__float_to_tf32(left.x[i]);
      for (int i = 0; i < right.num_elements; ++i) right.x[i] = wmma::__float_to_tf32(right.x[i]);
    }
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * size + column, sum, size, wmma::mem_row_major);
}

// 4-bit integers and bits: 8x8 tiles, a by rows and b by columns.
template <int K, class T>
__global__ void multiply_packed(const unsigned *a, const unsigned *b, int *c, int size) {
  constexpr int per_word = K / 4;
  const int row = blockIdx.y * 8, column = blockIdx.x * 8;
  wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, K, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < size; k += K) {
    wmma::load_matrix_sync(left, a + (row * size + k) / per_word, size);
    wmma::load_matrix_sync(right, b + (column * size + k) / per_word, size);
    if constexpr (K == 128) {
      wmma::bmma_sync(sum, left, right, sum, wmma::experimental::bmmaBitOpAND);
    } else {
      wmma::mma_sync(sum, left, right, sum);
    }
  }
  wmma::store_matrix_sync(c + row * size + column, sum, size, wmma::mem_row_major);
}

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class T>
T *to_device(const std::vector<T> &host) {
  T *device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

// Runs `launch`, which writes a product into `result`, and prints its best time and how often it is not the sum of
// value_a(i, k) * value_b(k, j).
template <class Sum, class Launch, class ValueA, class ValueB>
void time_and_check(const char *name, const char *layout, int size, int runs, Launch launch, ValueA value_a,
                    ValueB value_b) {
  std::vector<Sum> c(std::size_t(size) * size);
  Sum *const result = to_device(c);
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const double start = cpu_seconds();
    launch(result);
    cudaDeviceSynchronize();
    best = std::min(best, cpu_seconds() - start);
  }
  cudaMemcpy(c.data(), result, c.size() * sizeof(Sum), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < size; i += 7) {
    for (int j = 0; j < size; ++j) {
      int expected = 0;
      for (int k = 0; k < size; ++k) expected += value_a(i, k) * value_b(k, j);
      wrong += double(c[std::size_t(i) * size + j]) != expected;
    }
  }
  printf("%-9s b by %-8s %7.1f  (%d wrong)\n", name, layout, 2e-9 * size * size * size / best, wrong);
}

template <int K, class T, class Storage, class Sum, class LayoutB>
void measure(const char *name, int size, int runs) {
  constexpr bool rows = std::is_same<LayoutB, wmma::row_major>::value;
  const auto at = [size](int row, int column) { return std::size_t(row) * size + column; };
  const auto value_a = [](int i, int k) { return (i * 5 + k * 3) % 7; };
  const auto value_b = [](int k, int j) { return (k * 2 + j * 11) % 5; };
  std::vector<Storage> a(at(size, 0)), b(at(size, 0));
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) {
      a[at(i, k)] = Storage(value_a(i, k));
      b[rows ? at(i, k) : at(k, i)] = Storage(value_b(i, k));
    }
  }
  Storage *const left = to_device(a), *const right = to_device(b);
  const auto launch = [&](Sum *result) {
    multiply<K, T, Sum, LayoutB><<<dim3(size / 16, size / 16), 32>>>(left, right, result, size);
  };
  time_and_check<Sum>(name, rows ? "rows" : "columns", size, runs, launch, value_a, value_b);
}

template <int K, class T>
void measure_packed(const char *name, int size, int runs) {
  constexpr int bits = 128 / K, per_word = 32 / bits;
  const auto value_a = [](int i, int k) { return (i * 5 + k * 3) % 7 & ((1 << bits) - 1); };
  const auto value_b = [](int k, int j) { return (k * 2 + j * 11) % 5 & ((1 << bits) - 1); };
  std::vector<unsigned> a(std::size_t(size) * size / per_word), b(a.size());
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) {
      const std::size_t at = std::size_t(i) * size + k;
      a[at / per_word] |= unsigned(value_a(i, k)) << at % per_word * bits;
      b[at / per_word] |= unsigned(value_b(k, i)) << at % per_word * bits;
    }
  }
  unsigned *const left = to_device(a), *const right = to_device(b);
  const auto launch = [&](int *result) {
    multiply_packed<K, T><<<dim3(size / 8, size / 8), 32>>>(left, right, result, size);
  };
  time_and_check<int>(name, "columns", size, runs, launch, value_a, value_b);
}

template <int K, class T, class Storage, class Sum>
void measure_both(const char *name, int size, int runs) {
  measure<K, T, Storage, Sum, wmma::row_major>(name, size, runs);
  measure<K, T, Storage, Sum, wmma::col_major>(name, size, runs);
}

int main(int count, char **words) {
  const int size = count > 1 ? std::atoi(words[1]) : 256, runs = count > 2 ? std::atoi(words[2]) : 20;
  if (size < 16 || size % 16 != 0 || runs < 1) {
    fprintf(stderr, "usage: wmma [SIZE [RUNS]], SIZE a multiple of 16\n");
    return 2;
  }
  measure_both<16, __half, __half, float>("half", size, runs);
  measure_both<16, __nv_bfloat16, __nv_bfloat16, float>("bfloat16", size, runs);
  measure_both<8, wmma::precision::tf32, float, float>("tf32", size, runs);
  measure_both<16, signed char, signed char, int>("int8", size, runs);
  measure_both<16, unsigned char, unsigned char, int>("uint8", size, runs);
  if (size % 128 == 0) {
    measure_packed<32, wmma::experimental::precision::s4>("int4", size, runs);
    measure_packed<32, wmma::experimental::precision::u4>("uint4", size, runs);
    measure_packed<128, wmma::experimental::precision::b1>("bits", size, runs);
  }
  return 0;
}

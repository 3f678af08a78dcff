// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Numeric types / wmma fragments, every shape and type
//
// wmma products of every shape, type and layout (more of bytes: tests/programs/matrix_bytes.cu), with values whose sums
// are exact, against a plain loop on the host.
#include <mma.h>

#include <cstdio>
#include <vector>

using namespace nvcuda;

template <int M, int N, int K, class T, class TC, class LayoutA, class LayoutB>
__global__ void multiply(const typename wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA>::storage_element_type *a,
                         const typename wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB>::storage_element_type *b,
                         const TC *c, TC *d, int lda, int ldb, wmma::layout_t layout, int ldc) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, TC> fc, sum;
  wmma::fill_fragment(sum, TC(2));
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, layout);
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < fc.num_elements; ++i) sum.x[i] = sum.x[i] + fc.x[i] * TC(3);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(d, sum, ldc, layout);
}

template <class T>
T *to_device(const std::vector<T> &host) {
  T *device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <int M, int N, int K, class T, class Storage, class TC, class LayoutA, class LayoutB>
void check(const char *name) {
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  const int lda = (rows_a ? K : M) + 16, ldb = (rows_b ? N : K) + 16;
  std::vector<Storage> a(lda * 32, Storage(1)), b(ldb * 32, Storage(1));
  const auto value_a = [](int i, int k) { return (i * 5 + k * 3) % 7; };
  const auto value_b = [](int k, int j) { return (k * 2 + j * 11) % 5; };
  for (int i = 0; i < M; ++i)
    for (int k = 0; k < K; ++k) a[rows_a ? i * lda + k : k * lda + i] = Storage(value_a(i, k));
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < N; ++j) b[rows_b ? k * ldb + j : j * ldb + k] = Storage(value_b(k, j));
  int wrong = 0;
  for (const auto layout : {wmma::mem_row_major, wmma::mem_col_major}) {
    const bool rows = layout == wmma::mem_row_major;
    const int ldc = (rows ? N : M) + 16;
    std::vector<TC> c(ldc * 32, TC(1)), d(ldc * 32, TC(-1));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) c[rows ? i * ldc + j : j * ldc + i] = TC(i + j);
    TC *result = to_device(d);
    multiply<M, N, K, T, TC, LayoutA, LayoutB>
        <<<1, 32>>>(to_device(a), to_device(b), to_device(c), result, lda, ldb, layout, ldc);
    cudaMemcpy(d.data(), result, d.size() * sizeof(TC), cudaMemcpyDeviceToHost);
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        int expected = 2 + 3 * (i + j);
        for (int k = 0; k < K; ++k) expected += 2 * value_a(i, k) * value_b(k, j);
        wrong += double(d[rows ? i * ldc + j : j * ldc + i]) != expected;
      }
    }
  }
  printf("%s %dx%dx%d: %d wrong\n", name, M, N, K, wrong);
}

template <class T, class TC, class LayoutA, class LayoutB>
void check_shapes(const char *name) {
  check<16, 16, 16, T, T, TC, LayoutA, LayoutB>(name);
  check<32, 8, 16, T, T, TC, LayoutA, LayoutB>(name);
  check<8, 32, 16, T, T, TC, LayoutA, LayoutB>(name);
}

int main() {
  using row = wmma::row_major;
  using col = wmma::col_major;
  check_shapes<__half, float, row, col>("half float row col");
  check_shapes<__half, float, col, row>("half float col row");
  check<16, 16, 16, __half, __half, float, row, row>("half float row row");
  check<16, 16, 16, __half, __half, float, col, col>("half float col col");
  check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row, col>("bfloat16 float row col");
  check<8, 32, 16, signed char, signed char, int, row, col>("int8 int row col");
  check<32, 8, 16, unsigned char, unsigned char, int, row, row>("uint8 int row row");
  check<16, 16, 8, wmma::precision::tf32, float, float, row, col>("tf32 float row col");
  check<8, 8, 4, double, double, double, row, col>("double row col");
  check<8, 8, 4, double, double, double, col, row>("double col row");
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

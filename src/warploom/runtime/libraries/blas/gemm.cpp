// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.h"

#include "instances.h"
#include "own_products.h"

namespace warploom::blas {

template <class T>
void scale_matrix(int64_t m, int64_t n, T beta, T *c, int64_t ldc) {
  if (beta == T(1)) return;
  for (int64_t j = 0; j < n; ++j) {
    T *const column = c + j * ldc;
    if (beta == T(0)) {
      std::fill_n(column, m, T(0));
    } else {
      for (int64_t i = 0; i < m; ++i) column[i] *= beta;
    }
  }
}

template <class T>
void multiply_tile(const Product<T> &p) {
  if (p.k == 0 || p.alpha == T(0)) return scale_matrix(p.m, p.n, p.beta, p.c, p.ldc);
  static const auto gemm =
      fortran<T, void(const char *, const char *, const int *, const int *, const int *, const T *, const T *,
                      const int *, const T *, const int *, const T *, T *, const int *)>("gemm_");
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const int lda = static_cast<int>(p.lda), ldb = static_cast<int>(p.ldb), ldc = static_cast<int>(p.ldc);
  gemm(&p.transa, &p.transb, &m, &n, &k, &p.alpha, p.a, &lda, p.b, &ldb, &p.beta, p.c, &ldc);
}

template <class T>
void multiply(const Product<T> &product) {
  if (multiply_by_own_kernels(product, Where::kSideBySide)) return;
  const Tiling tiling(product.m, product.n, product.k);
  each_tile(static_cast<std::uint64_t>(tiling.count()), product.nanoseconds(),
            [&](std::uint64_t i) { multiply_tile(product.part(tiling.tile(static_cast<int64_t>(i)))); });
}

template void multiply_tile(const Product<float> &);
template void multiply_tile(const Product<double> &);
template void multiply_tile(const Product<Complex> &);
template void multiply_tile(const Product<DoubleComplex> &);
template void multiply(const Product<float> &);
template void multiply(const Product<double> &);
template void multiply(const Product<Complex> &);
template void multiply(const Product<DoubleComplex> &);
template void scale_matrix(int64_t, int64_t, float, float *, int64_t);
template void scale_matrix(int64_t, int64_t, double, double *, int64_t);
template void scale_matrix(int64_t, int64_t, Complex, Complex *, int64_t);
template void scale_matrix(int64_t, int64_t, DoubleComplex, DoubleComplex *, int64_t);

namespace {

// What the forms of one product have in common.
struct Shape {
  cublasOperation_t transa, transb;
  int64_t m, n, k, lda, ldb, ldc;

  Check check(cublasHandle_t handle, const char *function) const {
    Check result(handle, function);
    result.operation(1, transa).operation(2, transb).size(3, m).size(4, n).size(5, k);
    result.leading(8, lda, transa == CUBLAS_OP_N ? m : k).leading(10, ldb, transb == CUBLAS_OP_N ? k : n);
    return result.leading(13, ldc, m).fit(m, n, k, lda, ldb, ldc);
  }
  template <class T>
  Product<T> product(T alpha, const T *a, const T *b, T beta, T *c) const {
    return {letter(transa), letter(transb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};
  }
};

template <class T>
cublasStatus_t gemm(const char *name, cublasHandle_t handle, const Shape &shape, const T *alpha, const T *a, const T *b,
                    const T *beta, T *c) {
  Check check = shape.check(handle, WARPLOOM_BLAS_NAME(T, "GEMM"));
  if (!check.present(alpha).present(beta)) return check.status();
  if (shape.m == 0 || shape.n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  const bool reads = shape.k > 0 && !(factor.is_known() && factor.get() == T(0));
  if (c == nullptr || (reads && (a == nullptr || b == nullptr))) return CUBLAS_STATUS_INVALID_VALUE;
  const double time = shape.product<T>({}, a, b, {}, c).nanoseconds();
  return run(handle, name, time, [=] { multiply(shape.product(factor.get(), a, b, keep.get(), c)); });
}

// Many products: as many at a time as make a piece of work.
template <class T, class Operands>
cublasStatus_t gemm_batch(const char *name, cublasHandle_t handle, const Shape &shape, const T *alpha, const T *beta,
                          int64_t count, const Operands &operands) {
  Check check = shape.check(handle, WARPLOOM_BLAS_NAME(T, "GEMM"));
  check.that(count >= 0, 14).present(alpha).present(beta);
  if (!check) return check.status();
  if (shape.m == 0 || shape.n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  const double each = shape.product<T>({}, nullptr, nullptr, {}, nullptr).nanoseconds() + 100;
  const auto body = [=] {
    const T first = factor.get(), second = keep.get();
    const auto product = [&](int64_t i) {
      const auto [a, b, c] = operands(i);
      return shape.product(first, a, b, second, c);
    };
    if (each > 100'000) {  // enough for tiles
      for (int64_t i = 0; i < count; ++i) multiply(product(i));
      return;
    }
    const int64_t group = std::max<int64_t>(1, static_cast<int64_t>(5'000 / each));
    each_tile(static_cast<std::uint64_t>((count + group - 1) / group), each * static_cast<double>(count),
              [&](std::uint64_t i) {
                const int64_t begin = static_cast<int64_t>(i) * group, end = std::min(count, begin + group);
                for (int64_t j = begin; j < end; ++j) {
                  const Product<T> one = product(j);
                  if (!multiply_by_own_kernels(one, Where::kHere)) multiply_tile(one);
                }
              });
  };
  return run(handle, name, each * static_cast<double>(count), body);
}

template <class T>
struct Operands {
  const T *a, *b;
  T *c;
};
template <class T>
Operands(const T *, const T *, T *) -> Operands<T>;

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define SHAPE \
  Shape { transa, transb, m, n, k, lda, ldb, ldc }
#define OPS(I) cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k
#define GEMM(NAME, T, I)                                                                                              \
  (cublasHandle_t handle, OPS(I), const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc) { \
    return gemm(NAME, handle, SHAPE, element(alpha), element(a), element(b), element(beta), element(c));              \
  }
#define GEMM_OF(P, T, I, S) cublasStatus_t cublas##P##gemm##S GEMM("cublas" #P "gemm", T, I)
#define GEMM3M_OF(P, T, I, S) cublasStatus_t cublas##P##gemm3m##S GEMM("cublas" #P "gemm3m", T, I)
#define BATCHES_OF(P, T, I, S)                                                                                       \
  cublasStatus_t cublas##P##gemmBatched##S(cublasHandle_t handle, OPS(I), const T *alpha, const T *const a[], I lda, \
                                           const T *const b[], I ldb, const T *beta, T *const c[], I ldc, I count) { \
    return gemm_batch(                                                                                               \
        "cublas" #P "gemmBatched", handle, SHAPE, element(alpha), element(beta), count,                              \
        [a = elements(a), b = elements(b), c = elements(c)](int64_t i) { return Operands{a[i], b[i], c[i]}; });      \
  }                                                                                                                  \
  cublasStatus_t cublas##P##gemmStridedBatched##S(cublasHandle_t handle, OPS(I), const T *alpha, const T *a, I lda,  \
                                                  long long strideA, const T *b, I ldb, long long strideB,           \
                                                  const T *beta, T *c, I ldc, long long strideC, I count) {          \
    return gemm_batch("cublas" #P "gemmStridedBatched", handle, SHAPE, element(alpha), element(beta), count,         \
                      [a = element(a), b = element(b), c = element(c), strideA, strideB, strideC](int64_t i) {       \
                        return Operands{a + i * strideA, b + i * strideB, c + i * strideC};                          \
                      });                                                                                            \
  }

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(GEMM_OF)
WARPLOOM_COMPLEX_TYPES(GEMM3M_OF)
WARPLOOM_TYPES(BATCHES_OF)
}
#pragma GCC visibility pop

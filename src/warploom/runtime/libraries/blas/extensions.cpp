// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and diagonal scalings of matrices, and triangles packed and unpacked.
#include "check.h"
#include "instances.h"
#include "vector.h"

namespace warploom::blas {
namespace {

constexpr int64_t kBlock = 32;  // a square of so many rows stays in the first cache

template <class T>
double time_of(int64_t m, int64_t n) {
  return static_cast<double>(m) * static_cast<double>(n) * sizeof(T) * 3 / kBytes;
}

template <class T>
struct Operand {
  cublasOperation_t operation;
  const T *at;
  int64_t ld;

  T get(int64_t i, int64_t j) const {
    if (operation == CUBLAS_OP_N) return at[i + j * ld];
    const T value = at[j + i * ld];
    return operation == CUBLAS_OP_C ? conjugate(value) : value;
  }
};

// C = alpha op(A) + beta op(B); what has the factor 0 is not read. C may be A or B where that is not transposed.
template <class T>
void add(int64_t m, int64_t n, T alpha, Operand<T> a, T beta, Operand<T> b, T *c, int64_t ldc) {
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  each_tile(static_cast<std::uint64_t>(blocks), time_of<T>(m, n), [&](std::uint64_t block) {
    const int64_t left = static_cast<int64_t>(block) * kBlock, right = std::min(n, left + kBlock);
    for (int64_t top = 0; top < m; top += kBlock) {
      const int64_t bottom = std::min(m, top + kBlock);
      for (int64_t j = left; j < right; ++j) {
        T *const column = c + j * ldc;
        if (beta == T(0)) {
          for (int64_t i = top; i < bottom; ++i) column[i] = alpha == T(0) ? T(0) : alpha * a.get(i, j);
        } else if (alpha == T(0)) {
          for (int64_t i = top; i < bottom; ++i) column[i] = beta * b.get(i, j);
        } else {
          for (int64_t i = top; i < bottom; ++i) column[i] = alpha * a.get(i, j) + beta * b.get(i, j);
        }
      }
    }
  });
}

template <class T>
cublasStatus_t geam(const char *name, cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, Operand<T> a,
                    const T *beta, Operand<T> b, T *c, int64_t ldc) {
  const auto rows = [&](const Operand<T> &operand) { return operand.operation == CUBLAS_OP_N ? m : n; };
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GEAM"));
  check.operation(1, a.operation).operation(2, b.operation).size(3, m).size(4, n).leading(7, a.ld, rows(a));
  check.leading(10, b.ld, rows(b)).leading(12, ldc, m).present(alpha).present(beta);
  // In place only where each element is read before it is written, and nowhere else.
  check.that(c != a.at || (a.operation == CUBLAS_OP_N && a.ld == ldc), 6);
  check.that(c != b.at || (b.operation == CUBLAS_OP_N && b.ld == ldc), 9);
  if (!check) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> first(handle, alpha), second(handle, beta);
  return run(handle, name, time_of<T>(m, n), [=] { add(m, n, first.get(), a, second.get(), b, c, ldc); });
}

// C = diag(x) A or A diag(x)
template <class T>
cublasStatus_t dgmm(const char *name, cublasHandle_t handle, cublasSideMode_t side, int64_t m, int64_t n, const T *a,
                    int64_t lda, Vector<const T> x, T *c, int64_t ldc) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "DGMM"));
  check.side(1, side).size(2, m).size(3, n).leading(5, lda, m).leading(9, ldc, m);
  if (!check) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(m, n), [=] {
    each_tile(static_cast<std::uint64_t>(n), time_of<T>(m, n), [&](std::uint64_t column) {
      const auto j = static_cast<int64_t>(column);
      for (int64_t i = 0; i < m; ++i) {
        const T factor = side == CUBLAS_SIDE_LEFT ? *x.from(i, m) : *x.from(j, n);
        c[i + j * ldc] = a[i + j * lda] * factor;
      }
    });
  });
}

// Between a triangle of a matrix and its columns without gaps.
template <class T, class Move>
cublasStatus_t pack(const char *name, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t lda,
                    const Move &move) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "TPTTR"));
  check.fill(1, uplo).size(2, n).leading(5, lda, n);
  if (!check) return check.status();
  return run(handle, name, time_of<T>(n, n), [=] {
    int64_t next = 0;
    for (int64_t j = 0; j < n; ++j) {
      const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
      const int64_t first = upper ? 0 : j, last = upper ? j + 1 : n;
      for (int64_t i = first; i < last; ++i) move(next++, i + j * lda);
    }
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define IN(x) vector(element(x), inc##x)
#define ALL_OF(P, T, I, S)                                                                                          \
  cublasStatus_t cublas##P##geam##S(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, \
                                    I n, const T *alpha, const T *a, I lda, const T *beta, const T *b, I ldb, T *c, \
                                    I ldc) {                                                                        \
    return geam("cublas" #P "geam", handle, m, n, element(alpha), Operand{transa, element(a), lda}, element(beta),  \
                Operand{transb, element(b), ldb}, element(c), ldc);                                                 \
  }                                                                                                                 \
  cublasStatus_t cublas##P##dgmm##S(cublasHandle_t handle, cublasSideMode_t side, I m, I n, const T *a, I lda,      \
                                    const T *x, I incx, T *c, I ldc) {                                              \
    return dgmm("cublas" #P "dgmm", handle, side, m, n, element(a), lda, IN(x), element(c), ldc);                   \
  }
#define PACK_OF(P, T)                                                                                                \
  cublasStatus_t cublas##P##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *ap, T *a, int lda) { \
    return pack<std::remove_pointer_t<decltype(element(a))>>(                                                        \
        "cublas" #P "tpttr", handle, uplo, n, lda, [=](int64_t packed, int64_t full) { a[full] = ap[packed]; });     \
  }                                                                                                                  \
  cublasStatus_t cublas##P##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *a, int lda, T *ap) { \
    return pack<std::remove_pointer_t<decltype(element(ap))>>(                                                       \
        "cublas" #P "trttp", handle, uplo, n, lda, [=](int64_t packed, int64_t full) { ap[packed] = a[full]; });     \
  }

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(ALL_OF)
PACK_OF(S, float)
PACK_OF(D, double)
PACK_OF(C, cuComplex)
PACK_OF(Z, cuDoubleComplex)
}
#pragma GCC visibility pop

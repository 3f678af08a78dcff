// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular matrices with vectors, and updates of rank one and two.
#include "check.h"
#include "instances.h"
#include "kernels.h"
#include "vector.h"

namespace warploom::blas {
namespace {

using In = const int *;
using Flag = const char *;

template <class T>
double time_of(int64_t rows, int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(T) / kBytes + 100;
}

struct Triangle {
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;

  Check check(cublasHandle_t handle, const char *function, int64_t n) const {
    Check result(handle, function);
    result.fill(1, uplo).operation(2, trans).diagonal(3, diag).size(4, n);
    return result;
  }
};

// x = op(A) x or op(A)^-1 x: `kind` is "trmv_" or "trsv_".
template <class T>
cublasStatus_t full(const char *name, const char *kind, cublasHandle_t handle, Triangle t, int64_t n, const T *a,
                    int64_t lda, Vector<T> x) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TRMV"), n);
  check.leading(6, lda, n).increment(8, x.increment).fit(n, lda, x.increment);
  if (!check) return check.status();
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(n, n), [=] {
    const auto call = fortran<T, void(Flag, Flag, Flag, In, const T *, In, T *, In)>(kind);
    const char uplo = letter(t.uplo), trans = letter(t.trans), diag = letter(t.diag);
    const int size = int(n), ld = int(lda), incx = int(x.increment);
    call(&uplo, &trans, &diag, &size, a, &ld, x.first, &incx);
  });
}

// The same with k diagonals beside the main one: "tbmv_", "tbsv_".
template <class T>
cublasStatus_t band(const char *name, const char *kind, cublasHandle_t handle, Triangle t, int64_t n, int64_t k,
                    const T *a, int64_t lda, Vector<T> x) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TBMV"), n);
  check.size(5, k).leading(7, lda, k + 1).increment(9, x.increment).fit(n, k, lda, x.increment);
  if (!check) return check.status();
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(n, k + 1), [=] {
    const auto call = fortran<T, void(Flag, Flag, Flag, In, In, const T *, In, T *, In)>(kind);
    const char uplo = letter(t.uplo), trans = letter(t.trans), diag = letter(t.diag);
    const int size = int(n), width = int(k), ld = int(lda), incx = int(x.increment);
    call(&uplo, &trans, &diag, &size, &width, a, &ld, x.first, &incx);
  });
}

// The same, packed: "tpmv_", "tpsv_".
template <class T>
cublasStatus_t packed(const char *name, const char *kind, cublasHandle_t handle, Triangle t, int64_t n, const T *a,
                      Vector<T> x) {
  Check check = t.check(handle, WARPLOOM_BLAS_NAME(T, "TPMV"), n);
  check.increment(7, x.increment).fit(n, x.increment);
  if (!check) return check.status();
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, time_of<T>(n, n), [=] {
    const auto call = fortran<T, void(Flag, Flag, Flag, In, const T *, T *, In)>(kind);
    const char uplo = letter(t.uplo), trans = letter(t.trans), diag = letter(t.diag);
    const int size = int(n), incx = int(x.increment);
    call(&uplo, &trans, &diag, &size, a, x.first, &incx);
  });
}

// A += alpha x op(y), columns side by side.
template <class T>
cublasStatus_t ger(const char *name, cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, Vector<const T> x,
                   Vector<const T> y, T *a, int64_t lda, bool conjugated) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GER"));
  check.size(1, m).size(2, n).increment(5, x.increment).increment(7, y.increment).leading(9, lda, m).present(alpha);
  if (!check) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  return run(handle, name, 2 * time_of<T>(m, n), [=] {
    const T f = factor.get();
    if (f == T(0)) return;
    const int64_t piece = std::max<int64_t>(1, kPiece / m);
    each_tile(static_cast<std::uint64_t>((n + piece - 1) / piece), 2 * time_of<T>(m, n), [&](std::uint64_t i) {
      const int64_t first = static_cast<int64_t>(i) * piece, last = std::min(n, first + piece);
      const T *const from = x.from(0, m);
      for (int64_t j = first; j < last; ++j) {
        const T other = *y.from(j, n), column_factor = f * (conjugated ? conjugate(other) : other);
        const auto &kernels = vector_kernels<Real<T>>();
        (kIsComplex<T> ? kernels.axpy_complex : kernels.axpy)(m, numbers(&column_factor), numbers(from), x.increment,
                                                              numbers(a + j * lda), 1);
      }
    });
  });
}

// Where column j of one triangle begins: in a matrix, or packed.
struct Place {
  bool upper, is_packed;
  int64_t n, lda;

  int64_t first(int64_t j) const { return upper ? 0 : j; }
  int64_t last(int64_t j) const { return upper ? j + 1 : n; }
  template <class T>
  T *column(T *a, int64_t j) const {  // element i of column j is at [i]
    if (!is_packed) return a + j * lda;
    return a + (upper ? j * (j + 1) / 2 : j * n - j * (j + 1) / 2);
  }
};

// One triangle of A += alpha x op(x).
template <class T, class A>
cublasStatus_t rank_one(const char *name, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const A *alpha,
                        Vector<const T> x, T *a, int64_t lda, bool is_packed, bool hermitian) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SYR"));
  check.fill(1, uplo).size(2, n).increment(5, x.increment).present(alpha);
  if (!is_packed) check.leading(7, lda, n);
  if (!check) return check.status();
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<A> factor(handle, alpha);
  const Place place = {uplo == CUBLAS_FILL_MODE_UPPER, is_packed, n, lda};
  return run(handle, name, time_of<T>(n, n), [=] {
    const A f = factor.get();
    if (f == A(0)) return;
    for (int64_t j = 0; j < n; ++j) {
      const T other = *x.from(j, n), by = f * (hermitian ? conjugate(other) : other);
      T *const column = place.column(a, j);
      for (int64_t i = place.first(j); i < place.last(j); ++i) column[i] += *x.from(i, n) * by;
      if (hermitian) column[j] = std::real(column[j]);
    }
  });
}

// One triangle of A += alpha x op(y) + op(alpha) y op(x).
template <class T>
cublasStatus_t rank_two(const char *name, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                        Vector<const T> x, Vector<const T> y, T *a, int64_t lda, bool is_packed, bool hermitian) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SYR2"));
  check.fill(1, uplo).size(2, n).increment(5, x.increment).increment(7, y.increment).present(alpha);
  if (!is_packed) check.leading(9, lda, n);
  if (!check) return check.status();
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha);
  const Place place = {uplo == CUBLAS_FILL_MODE_UPPER, is_packed, n, lda};
  return run(handle, name, time_of<T>(n, n), [=] {
    const T f = factor.get();
    if (f == T(0)) return;
    const auto turned = [&](T value) { return hermitian ? conjugate(value) : value; };
    for (int64_t j = 0; j < n; ++j) {
      const T by_y = f * turned(*y.from(j, n)), by_x = turned(f) * turned(*x.from(j, n));
      T *const column = place.column(a, j);
      for (int64_t i = place.first(j); i < place.last(j); ++i) {
        column[i] += *x.from(i, n) * by_y + *y.from(i, n) * by_x;
      }
      if (hermitian) column[j] = std::real(column[j]);
    }
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define IN(x) vector(element(x), inc##x)
#define CIN(x) Vector<std::remove_pointer_t<decltype(element(x))>>(element(x), inc##x)
#define TRIANGLE cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag
#define OF_TRIANGLE \
  Triangle { uplo, trans, diag }
#define TRIANGULAR_OF(P, T, I, S, FULL, BAND, PACKED, V)                                                           \
  cublasStatus_t cublas##P##tr##V##S(cublasHandle_t handle, TRIANGLE, I n, const T *a, I lda, T *x, I incx) {      \
    return full("cublas" #P "tr" #V, FULL, handle, OF_TRIANGLE, n, element(a), lda, IN(x));                        \
  }                                                                                                                \
  cublasStatus_t cublas##P##tb##V##S(cublasHandle_t handle, TRIANGLE, I n, I k, const T *a, I lda, T *x, I incx) { \
    return band("cublas" #P "tb" #V, BAND, handle, OF_TRIANGLE, n, k, element(a), lda, IN(x));                     \
  }                                                                                                                \
  cublasStatus_t cublas##P##tp##V##S(cublasHandle_t handle, TRIANGLE, I n, const T *a, T *x, I incx) {             \
    return packed("cublas" #P "tp" #V, PACKED, handle, OF_TRIANGLE, n, element(a), IN(x));                         \
  }
#define TRIANGULARS_OF(P, T, I, S)                         \
  TRIANGULAR_OF(P, T, I, S, "trmv_", "tbmv_", "tpmv_", mv) \
  TRIANGULAR_OF(P, T, I, S, "trsv_", "tbsv_", "tpsv_", sv)
#define GER_OF(NAME, T, I, S, CONJUGATED)                                                                         \
  cublasStatus_t NAME##S(cublasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx, const T *y, I incy, \
                         T *a, I lda) {                                                                           \
    return ger(#NAME, handle, m, n, element(alpha), IN(x), IN(y), element(a), lda, CONJUGATED);                   \
  }
#define ONE_OF(NAME, T, A, I, S, HERMITIAN)                                                                           \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const A *alpha, const T *x, I incx, T *a, \
                         I lda) {                                                                                     \
    return rank_one(#NAME, handle, uplo, n, element(alpha), IN(x), element(a), lda, false, HERMITIAN);                \
  }
#define PACKED_ONE_OF(NAME, T, A, I, S, HERMITIAN)                                                              \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const A *alpha, const T *x, I incx, \
                         T *a) {                                                                                \
    return rank_one(#NAME, handle, uplo, n, element(alpha), IN(x), element(a), 0, true, HERMITIAN);             \
  }
#define TWO_OF(NAME, T, I, S, HERMITIAN)                                                                        \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, \
                         const T *y, I incy, T *a, I lda) {                                                     \
    return rank_two(#NAME, handle, uplo, n, element(alpha), IN(x), IN(y), element(a), lda, false, HERMITIAN);   \
  }
#define PACKED_TWO_OF(NAME, T, I, S, HERMITIAN)                                                                 \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *x, I incx, \
                         const T *y, I incy, T *a) {                                                            \
    return rank_two(#NAME, handle, uplo, n, element(alpha), IN(x), IN(y), element(a), 0, true, HERMITIAN);      \
  }
#define REAL_OF(P, T, I, S)                        \
  GER_OF(cublas##P##ger, T, I, S, false)           \
  PACKED_ONE_OF(cublas##P##spr, T, T, I, S, false) \
  PACKED_TWO_OF(cublas##P##spr2, T, I, S, false)
#define BOTH_OF(P, T, I, S)                 \
  ONE_OF(cublas##P##syr, T, T, I, S, false) \
  TWO_OF(cublas##P##syr2, T, I, S, false)
#define HERMITIAN_OF(P, T, R, I, S)               \
  GER_OF(cublas##P##geru, T, I, S, false)         \
  GER_OF(cublas##P##gerc, T, I, S, true)          \
  ONE_OF(cublas##P##her, T, R, I, S, true)        \
  TWO_OF(cublas##P##her2, T, I, S, true)          \
  PACKED_ONE_OF(cublas##P##hpr, T, R, I, S, true) \
  PACKED_TWO_OF(cublas##P##hpr2, T, I, S, true)

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(TRIANGULARS_OF)
WARPLOOM_REAL_TYPES(REAL_OF)
WARPLOOM_TYPES(BOTH_OF)
HERMITIAN_OF(C, cuComplex, float, int, )
HERMITIAN_OF(C, cuComplex, float, std::int64_t, _64)
HERMITIAN_OF(Z, cuDoubleComplex, double, int, )
HERMITIAN_OF(Z, cuDoubleComplex, double, std::int64_t, _64)
}
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a matrix and a vector. y is scaled here: where beta is 0 it is not read.
#include "check.h"
#include "instances.h"
#include "matrix_vector.h"
#include "vector.h"

namespace warploom::blas {
namespace {

using In = const int *;
using Flag = const char *;

template <class T>
void gemv_part(char trans, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, Vector<const T> x, Vector<T> y) {
  static const auto gemv =
      fortran<T, void(Flag, In, In, const T *, const T *, In, const T *, In, const T *, T *, In)>("gemv_");
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), ld = static_cast<int>(lda);
  const int incx = static_cast<int>(x.increment), incy = static_cast<int>(y.increment);
  const T one = 1;
  gemv(&trans, &rows, &columns, &alpha, a, &ld, x.first, &incx, &one, y.first, &incy);
}

}  // namespace

template <class T>
void multiply_vector(char trans, int64_t m, int64_t n, T alpha, const T *a, int64_t lda, Vector<const T> x, T beta,
                     Vector<T> y) {
  const int64_t outputs = trans == 'N' ? m : n, inner = trans == 'N' ? n : m;
  scale_vector(outputs, beta, y);
  if (alpha == T(0)) return;
  const int64_t least = std::max<int64_t>(64, (131072 / inner + 63) / 64 * 64);
  const int64_t piece = y.increment == 0 ? outputs : std::min(outputs, least);
  const double time = static_cast<double>(m) * static_cast<double>(n) * sizeof(T) / kBytes;
  each_tile(static_cast<std::uint64_t>((outputs + piece - 1) / piece), time, [&](std::uint64_t i) {
    const int64_t first = static_cast<int64_t>(i) * piece, count = std::min(piece, outputs - first);
    Vector<T> part = {y.from(first, outputs), y.increment};
    if (y.increment < 0) part.first += (count - 1) * y.increment;
    if (trans == 'N') {
      gemv_part(trans, count, n, alpha, a + first, lda, x, part);
    } else {
      gemv_part(trans, m, count, alpha, a + first * lda, lda, x, part);
    }
  });
}
template void multiply_vector(char, int64_t, int64_t, float, const float *, int64_t, Vector<const float>, float,
                              Vector<float>);
template void multiply_vector(char, int64_t, int64_t, double, const double *, int64_t, Vector<const double>, double,
                              Vector<double>);
template void multiply_vector(char, int64_t, int64_t, Complex, const Complex *, int64_t, Vector<const Complex>, Complex,
                              Vector<Complex>);
template void multiply_vector(char, int64_t, int64_t, DoubleComplex, const DoubleComplex *, int64_t,
                              Vector<const DoubleComplex>, DoubleComplex, Vector<DoubleComplex>);

namespace {

template <class T>
double time_of(int64_t rows, int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(T) / kBytes + 100;
}

template <class T>
cublasStatus_t gemv(const char *name, cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                    const T *alpha, const T *a, int64_t lda, Vector<const T> x, const T *beta, Vector<T> y) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GEMV"));
  check.operation(1, trans).size(2, m).size(3, n).leading(6, lda, m).increment(8, x.increment);
  check.increment(11, y.increment).present(alpha).present(beta).fit(m, n, lda, x.increment, y.increment);
  if (!check) return check.status();
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  return run(handle, name, time_of<T>(m, n),
             [=] { multiply_vector(letter(trans), m, n, factor.get(), a, lda, x, keep.get(), y); });
}

template <class T, class Operands>
cublasStatus_t gemv_batch(const char *name, cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                          const T *alpha, int64_t lda, int64_t incx, const T *beta, int64_t incy, int64_t count,
                          const Operands &operands) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GEMV"));
  check.operation(1, trans).size(2, m).size(3, n).leading(6, lda, m).increment(8, incx).increment(11, incy);
  check.that(count >= 0, 12).present(alpha).present(beta).fit(m, n, lda, incx, incy);
  if (!check) return check.status();
  if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  const double time = time_of<T>(m, n) * static_cast<double>(count);
  return run(handle, name, time, [=] {
    const T first = factor.get(), second = keep.get();
    const auto one = [&](int64_t i) {
      const auto [a, x, y] = operands(i);
      multiply_vector(letter(trans), m, n, first, a, lda, vector(x, incx), second, vector(y, incy));
    };
    if (time_of<T>(m, n) > 100'000) {
      for (int64_t i = 0; i < count; ++i) one(i);
    } else {
      each_tile(static_cast<std::uint64_t>(count), time, [&](std::uint64_t i) { one(static_cast<int64_t>(i)); });
    }
  });
}

template <class T>
struct Operands {
  const T *a, *x;
  T *y;
};
template <class T>
Operands(const T *, const T *, T *) -> Operands<T>;

// y = alpha A x + beta y by one call of OpenBLAS: `call(alpha, x, incx, one, y, incy)`.
template <class T, class Call>
cublasStatus_t product(const char *name, cublasHandle_t handle, const Check &check, int64_t outputs, double time,
                       const T *alpha, Vector<const T> x, const T *beta, Vector<T> y, const Call &call) {
  if (!check) return check.status();
  const Scalar<T> factor(handle, alpha), keep(handle, beta);
  return run(handle, name, time, [=] {
    const T a = factor.get(), one = 1;
    scale_vector(outputs, keep.get(), y);
    if (a == T(0)) return;
    const int incx = static_cast<int>(x.increment), incy = static_cast<int>(y.increment);
    call(&a, x.first, &incx, &one, y.first, &incy);
  });
}

template <class T>
cublasStatus_t gbmv(const char *name, cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, int64_t kl,
                    int64_t ku, const T *alpha, const T *a, int64_t lda, Vector<const T> x, const T *beta,
                    Vector<T> y) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GBMV"));
  check.operation(1, trans).size(2, m).size(3, n).size(4, kl).size(5, ku).leading(8, lda, kl + ku + 1);
  check.increment(10, x.increment).increment(13, y.increment).present(alpha).present(beta).fit(m, n, lda, kl, ku);
  if (check && (m == 0 || n == 0)) return CUBLAS_STATUS_SUCCESS;
  return product(
      name, handle, check, trans == CUBLAS_OP_N ? m : n, time_of<T>(n, kl + ku + 1), alpha, x, beta, y,
      [=](const T *factor, const T *in, In incx, const T *one, T *out, In incy) {
        static const auto call =
            fortran<T, void(Flag, In, In, In, In, const T *, const T *, In, const T *, In, const T *, T *, In)>(
                "gbmv_");
        const char flag = letter(trans);
        const int rows = int(m), columns = int(n), below = int(kl), above = int(ku), ld = int(lda);
        call(&flag, &rows, &columns, &below, &above, factor, a, &ld, in, incx, one, out, incy);
      });
}

// A symmetric or Hermitian: `kind` is "symv_" or "hemv_".
template <class T>
cublasStatus_t symv(const char *name, const char *kind, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
                    const T *alpha, const T *a, int64_t lda, Vector<const T> x, const T *beta, Vector<T> y) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SYMV"));
  check.fill(1, uplo).size(2, n).leading(5, lda, n).increment(7, x.increment).increment(10, y.increment);
  check.present(alpha).present(beta).fit(n, lda, x.increment, y.increment);
  if (check && n == 0) return CUBLAS_STATUS_SUCCESS;
  return product(name, handle, check, n, time_of<T>(n, n), alpha, x, beta, y,
                 [=](const T *factor, const T *in, In incx, const T *one, T *out, In incy) {
                   const auto call =
                       fortran<T, void(Flag, In, const T *, const T *, In, const T *, In, const T *, T *, In)>(kind);
                   const char flag = letter(uplo);
                   const int size = int(n), ld = int(lda);
                   call(&flag, &size, factor, a, &ld, in, incx, one, out, incy);
                 });
}

// The same with k diagonals: "sbmv_" or "hbmv_".
template <class T>
cublasStatus_t sbmv(const char *name, const char *kind, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
                    int64_t k, const T *alpha, const T *a, int64_t lda, Vector<const T> x, const T *beta, Vector<T> y) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SBMV"));
  check.fill(1, uplo).size(2, n).size(3, k).leading(6, lda, k + 1).increment(8, x.increment);
  check.increment(11, y.increment).present(alpha).present(beta).fit(n, k, lda, x.increment, y.increment);
  if (check && n == 0) return CUBLAS_STATUS_SUCCESS;
  return product(
      name, handle, check, n, time_of<T>(n, k + 1), alpha, x, beta, y,
      [=](const T *factor, const T *in, In incx, const T *one, T *out, In incy) {
        const auto call =
            fortran<T, void(Flag, In, In, const T *, const T *, In, const T *, In, const T *, T *, In)>(kind);
        const char flag = letter(uplo);
        const int size = int(n), width = int(k), ld = int(lda);
        call(&flag, &size, &width, factor, a, &ld, in, incx, one, out, incy);
      });
}

// The same, packed: "spmv_" or "hpmv_".
template <class T>
cublasStatus_t spmv(const char *name, const char *kind, cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
                    const T *alpha, const T *a, Vector<const T> x, const T *beta, Vector<T> y) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "SPMV"));
  check.fill(1, uplo).size(2, n).increment(6, x.increment).increment(9, y.increment);
  check.present(alpha).present(beta).fit(n, x.increment, y.increment);
  if (check && n == 0) return CUBLAS_STATUS_SUCCESS;
  return product(name, handle, check, n, time_of<T>(n, n), alpha, x, beta, y,
                 [=](const T *factor, const T *in, In incx, const T *one, T *out, In incy) {
                   const auto call =
                       fortran<T, void(Flag, In, const T *, const T *, const T *, In, const T *, T *, In)>(kind);
                   const char flag = letter(uplo);
                   const int size = int(n);
                   call(&flag, &size, factor, a, in, incx, one, out, incy);
                 });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define IN(x) vector(element(x), inc##x)
#define FACTORS element(alpha), element(a)
#define GENERAL_OF(P, T, I, S)                                                                                         \
  cublasStatus_t cublas##P##gemv##S(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha,          \
                                    const T *a, I lda, const T *x, I incx, const T *beta, T *y, I incy) {              \
    return gemv<std::remove_pointer_t<decltype(element(y))>>("cublas" #P "gemv", handle, trans, m, n, FACTORS, lda,    \
                                                             IN(x), element(beta), IN(y));                             \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gbmv##S(cublasHandle_t handle, cublasOperation_t trans, I m, I n, I kl, I ku,              \
                                    const T *alpha, const T *a, I lda, const T *x, I incx, const T *beta, T *y,        \
                                    I incy) {                                                                          \
    return gbmv<std::remove_pointer_t<decltype(element(y))>>("cublas" #P "gbmv", handle, trans, m, n, kl, ku, FACTORS, \
                                                             lda, IN(x), element(beta), IN(y));                        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemvBatched##S(cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha,   \
                                           const T *const a[], I lda, const T *const x[], I incx, const T *beta,       \
                                           T *const y[], I incy, I count) {                                            \
    return gemv_batch(                                                                                                 \
        "cublas" #P "gemvBatched", handle, trans, m, n, element(alpha), lda, incx, element(beta), incy, count,         \
        [a = elements(a), x = elements(x), y = elements(y)](int64_t i) { return Operands{a[i], x[i], y[i]}; });        \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gemvStridedBatched##S(                                                                     \
      cublasHandle_t handle, cublasOperation_t trans, I m, I n, const T *alpha, const T *a, I lda, long long strideA,  \
      const T *x, I incx, long long strideX, const T *beta, T *y, I incy, long long strideY, I count) {                \
    return gemv_batch("cublas" #P "gemvStridedBatched", handle, trans, m, n, element(alpha), lda, incx, element(beta), \
                      incy, count,                                                                                     \
                      [a = element(a), x = element(x), y = element(y), strideA, strideX, strideY](int64_t i) {         \
                        return Operands{a + i * strideA, x + i * strideX, y + i * strideY};                            \
                      });                                                                                              \
  }
#define SYMMETRIC_OF(NAME, KIND, T, I, S)                                                                       \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *a, I lda,  \
                         const T *x, I incx, const T *beta, T *y, I incy) {                                     \
    return symv<std::remove_pointer_t<decltype(element(y))>>(#NAME, KIND, handle, uplo, n, FACTORS, lda, IN(x), \
                                                             element(beta), IN(y));                             \
  }
#define BAND_OF(NAME, KIND, T, I, S)                                                                                \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, I k, const T *alpha, const T *a, I lda, \
                         const T *x, I incx, const T *beta, T *y, I incy) {                                         \
    return sbmv<std::remove_pointer_t<decltype(element(y))>>(#NAME, KIND, handle, uplo, n, k, FACTORS, lda, IN(x),  \
                                                             element(beta), IN(y));                                 \
  }
#define PACKED_OF(NAME, KIND, T, I, S)                                                                              \
  cublasStatus_t NAME##S(cublasHandle_t handle, cublasFillMode_t uplo, I n, const T *alpha, const T *a, const T *x, \
                         I incx, const T *beta, T *y, I incy) {                                                     \
    return spmv<std::remove_pointer_t<decltype(element(y))>>(#NAME, KIND, handle, uplo, n, FACTORS, IN(x),          \
                                                             element(beta), IN(y));                                 \
  }
#define SIZES_OF(I, S)                                      \
  SYMMETRIC_OF(cublasSsymv, "symv_", float, I, S)           \
  SYMMETRIC_OF(cublasDsymv, "symv_", double, I, S)          \
  SYMMETRIC_OF(cublasCsymv, "symv_", cuComplex, I, S)       \
  SYMMETRIC_OF(cublasZsymv, "symv_", cuDoubleComplex, I, S) \
  SYMMETRIC_OF(cublasChemv, "hemv_", cuComplex, I, S)       \
  SYMMETRIC_OF(cublasZhemv, "hemv_", cuDoubleComplex, I, S) \
  BAND_OF(cublasSsbmv, "sbmv_", float, I, S)                \
  BAND_OF(cublasDsbmv, "sbmv_", double, I, S)               \
  BAND_OF(cublasChbmv, "hbmv_", cuComplex, I, S)            \
  BAND_OF(cublasZhbmv, "hbmv_", cuDoubleComplex, I, S)      \
  PACKED_OF(cublasSspmv, "spmv_", float, I, S)              \
  PACKED_OF(cublasDspmv, "spmv_", double, I, S)             \
  PACKED_OF(cublasChpmv, "hpmv_", cuComplex, I, S)          \
  PACKED_OF(cublasZhpmv, "hpmv_", cuDoubleComplex, I, S)

#pragma GCC visibility push(default)
extern "C" {
WARPLOOM_TYPES(GENERAL_OF)
SIZES_OF(int, )
SIZES_OF(std::int64_t, _64)
}
#pragma GCC visibility pop

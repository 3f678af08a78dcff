// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's first API, by the second one: on a handle of the program's, whose last error is kept.
#include <cublas.h>

#include <mutex>

#include "handle.h"

namespace warploom::blas {
namespace {

struct Legacy {
  std::mutex mutex;
  cublasHandle_t handle = nullptr;
  cublasStatus_t error = CUBLAS_STATUS_SUCCESS;
};

Legacy &legacy() {
  static auto *const result = new Legacy;  // never destroyed: destructors at exit may still ask
  return *result;
}

void keep(cublasStatus_t status) {
  const std::lock_guard lock(legacy().mutex);
  if (status != CUBLAS_STATUS_SUCCESS) legacy().error = status;
}

cublasHandle_t handle() {
  const std::lock_guard lock(legacy().mutex);
  return legacy().handle;
}

// Letters that mean nothing become codes that mean nothing.
cublasOperation_t operation(char flag) {
  switch (flag | 0x20) {
    case 'n':
      return CUBLAS_OP_N;
    case 't':
      return CUBLAS_OP_T;
    case 'c':
      return CUBLAS_OP_C;
    default:
      return static_cast<cublasOperation_t>(-1);
  }
}
cublasFillMode_t fill(char flag) {
  const char letter = static_cast<char>(flag | 0x20);
  return letter == 'l'   ? CUBLAS_FILL_MODE_LOWER
         : letter == 'u' ? CUBLAS_FILL_MODE_UPPER
                         : static_cast<cublasFillMode_t>(-1);
}
cublasSideMode_t side_of(char flag) {
  const char letter = static_cast<char>(flag | 0x20);
  return letter == 'l' ? CUBLAS_SIDE_LEFT : letter == 'r' ? CUBLAS_SIDE_RIGHT : static_cast<cublasSideMode_t>(-1);
}
cublasDiagType_t diagonal(char flag) {
  const char letter = static_cast<char>(flag | 0x20);
  return letter == 'n' ? CUBLAS_DIAG_NON_UNIT : letter == 'u' ? CUBLAS_DIAG_UNIT : static_cast<cublasDiagType_t>(-1);
}

// The result of a function that gives one by address.
template <class T, class Call>
T result_of(const Call &call) {
  T result = {};
  keep(call(&result));
  return result;
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define TRIANGLE fill(uplo), operation(trans), diagonal(diag)
#define ALL_OF(P, I, T)                                                                                                \
  int cublasI##I##amax(int n, const T *x, int incx) {                                                                  \
    return result_of<int>([&](int *at) { return cublasI##I##amax_v2(handle(), n, x, incx, at); });                     \
  }                                                                                                                    \
  int cublasI##I##amin(int n, const T *x, int incx) {                                                                  \
    return result_of<int>([&](int *at) { return cublasI##I##amin_v2(handle(), n, x, incx, at); });                     \
  }                                                                                                                    \
  void cublas##P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {                                         \
    keep(cublas##P##axpy_v2(handle(), n, &alpha, x, incx, y, incy));                                                   \
  }                                                                                                                    \
  void cublas##P##copy(int n, const T *x, int incx, T *y, int incy) {                                                  \
    keep(cublas##P##copy_v2(handle(), n, x, incx, y, incy));                                                           \
  }                                                                                                                    \
  void cublas##P##swap(int n, T *x, int incx, T *y, int incy) {                                                        \
    keep(cublas##P##swap_v2(handle(), n, x, incx, y, incy));                                                           \
  }                                                                                                                    \
  void cublas##P##scal(int n, T alpha, T *x, int incx) { keep(cublas##P##scal_v2(handle(), n, &alpha, x, incx)); }     \
  void cublas##P##gemv(char trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y,     \
                       int incy) {                                                                                     \
    keep(cublas##P##gemv_v2(handle(), operation(trans), m, n, &alpha, a, lda, x, incx, &beta, y, incy));               \
  }                                                                                                                    \
  void cublas##P##trmv(char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx) {                 \
    keep(cublas##P##trmv_v2(handle(), TRIANGLE, n, a, lda, x, incx));                                                  \
  }                                                                                                                    \
  void cublas##P##trsv(char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx) {                 \
    keep(cublas##P##trsv_v2(handle(), TRIANGLE, n, a, lda, x, incx));                                                  \
  }                                                                                                                    \
  void cublas##P##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *a, int lda, const T *b,        \
                       int ldb, T beta, T *c, int ldc) {                                                               \
    keep(cublas##P##gemm_v2(handle(), operation(transa), operation(transb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, \
                            ldc));                                                                                     \
  }                                                                                                                    \
  void cublas##P##symm(char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta,  \
                       T *c, int ldc) {                                                                                \
    keep(cublas##P##symm_v2(handle(), side_of(side), fill(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc));        \
  }                                                                                                                    \
  void cublas##P##syrk(char uplo, char trans, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc) {     \
    keep(cublas##P##syrk_v2(handle(), fill(uplo), operation(trans), n, k, &alpha, a, lda, &beta, c, ldc));             \
  }                                                                                                                    \
  void cublas##P##syr2k(char uplo, char trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb,        \
                        T beta, T *c, int ldc) {                                                                       \
    keep(cublas##P##syr2k_v2(handle(), fill(uplo), operation(trans), n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));    \
  }                                                                                                                    \
  void cublas##P##trsm(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
                       int ldb) {                                                                                      \
    keep(cublas##P##trsm_v2(handle(), side_of(side), fill(uplo), operation(transa), diagonal(diag), m, n, &alpha, a,   \
                            lda, b, ldb));                                                                             \
  }                                                                                                                    \
  void cublas##P##trmm(char side, char uplo, char transa, char diag, int m, int n, T alpha, const T *a, int lda, T *b, \
                       int ldb) {                                                                                      \
    keep(cublas##P##trmm_v2(handle(), side_of(side), fill(uplo), operation(transa), diagonal(diag), m, n, &alpha, a,   \
                            lda, b, ldb, b, ldb));                                                                     \
  }
#define REAL_OF(P, T)                                                                                                  \
  T cublas##P##dot(int n, const T *x, int incx, const T *y, int incy) {                                                \
    return result_of<T>([&](T *at) { return cublas##P##dot_v2(handle(), n, x, incx, y, incy, at); });                  \
  }                                                                                                                    \
  void cublas##P##rot(int n, T *x, int incx, T *y, int incy, T c, T s) {                                               \
    keep(cublas##P##rot_v2(handle(), n, x, incx, y, incy, &c, &s));                                                    \
  }                                                                                                                    \
  void cublas##P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) {              \
    keep(cublas##P##ger_v2(handle(), m, n, &alpha, x, incx, y, incy, a, lda));                                         \
  }                                                                                                                    \
  void cublas##P##symv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) { \
    keep(cublas##P##symv_v2(handle(), fill(uplo), n, &alpha, a, lda, x, incx, &beta, y, incy));                        \
  }                                                                                                                    \
  void cublas##P##syr(char uplo, int n, T alpha, const T *x, int incx, T *a, int lda) {                                \
    keep(cublas##P##syr_v2(handle(), fill(uplo), n, &alpha, x, incx, a, lda));                                         \
  }                                                                                                                    \
  void cublas##P##syr2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) {         \
    keep(cublas##P##syr2_v2(handle(), fill(uplo), n, &alpha, x, incx, y, incy, a, lda));                               \
  }
#define RESULT_OF(R, NAME, T)                                                        \
  R NAME(int n, const T *x, int incx) {                                              \
    return result_of<R>([&](R *at) { return NAME##_v2(handle(), n, x, incx, at); }); \
  }
#define DOT_OF(NAME, T)                                                                       \
  T NAME(int n, const T *x, int incx, const T *y, int incy) {                                 \
    return result_of<T>([&](T *at) { return NAME##_v2(handle(), n, x, incx, y, incy, at); }); \
  }

#pragma GCC visibility push(default)
extern "C" {

cublasStatus cublasInit(void) {
  if (handle() != nullptr) return CUBLAS_STATUS_SUCCESS;
  cublasHandle_t made = nullptr;
  const cublasStatus_t status = create(&made);
  const std::lock_guard lock(legacy().mutex);
  legacy().handle = made;
  return status;
}
cublasStatus cublasShutdown(void) {
  const cublasStatus_t status = destroy(handle());
  const std::lock_guard lock(legacy().mutex);
  legacy().handle = nullptr;
  return status;
}
cublasStatus cublasGetError(void) {
  const std::lock_guard lock(legacy().mutex);
  return std::exchange(legacy().error, CUBLAS_STATUS_SUCCESS);
}
cublasStatus cublasGetVersion(int *version) { return cublasGetVersion_v2(handle(), version); }
cublasStatus cublasAlloc(int n, int size, void **pointer) {
  if (n <= 0 || size <= 0 || pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error = cudaMalloc(pointer, static_cast<std::size_t>(n) * static_cast<std::size_t>(size));
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus cublasFree(void *pointer) {
  return cudaFree(pointer) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
cublasStatus cublasSetKernelStream(cudaStream_t stream) { return cublasSetStream_v2(handle(), stream); }

ALL_OF(S, s, float)
ALL_OF(D, d, double)
ALL_OF(C, c, cuComplex)
ALL_OF(Z, z, cuDoubleComplex)
REAL_OF(S, float)
REAL_OF(D, double)
RESULT_OF(float, cublasSnrm2, float)
RESULT_OF(float, cublasSasum, float)
RESULT_OF(double, cublasDnrm2, double)
RESULT_OF(double, cublasDasum, double)
RESULT_OF(float, cublasScnrm2, cuComplex)
RESULT_OF(float, cublasScasum, cuComplex)
RESULT_OF(double, cublasDznrm2, cuDoubleComplex)
RESULT_OF(double, cublasDzasum, cuDoubleComplex)
DOT_OF(cublasCdotu, cuComplex)
DOT_OF(cublasCdotc, cuComplex)
DOT_OF(cublasZdotu, cuDoubleComplex)
DOT_OF(cublasZdotc, cuDoubleComplex)

}  // extern "C"
#pragma GCC visibility pop

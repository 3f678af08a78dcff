// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QR factors and products with Q; bidiagonal form.
#include "lapack.h"

namespace warploom::solver {

namespace {

template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, T *tau, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = m < 0 ? 1 : n < 0 ? 2 : lda < std::max(1, m) ? 4 : 0; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDngeqrf", 2.0 * m * n * std::min(m, n), [=] {
    int own = 0;
    with_work<T>([&](T *work, const int *size) { lapack<"geqrf_", T>(&m, &n, a, &lda, tau, work, size, &own); });
    if (info != nullptr) *info = own;
  });
}
template <class T>
cusolverStatus_t ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t op, int m, int n, int k,
                       const T *a, int lda, const T *tau, T *c, int ldc, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  if (const int bad = m < 0                      ? 3
                      : n < 0                    ? 4
                      : k < 0 || k > order       ? 5
                      : lda < std::max(1, order) ? 7
                      : ldc < std::max(1, m)     ? 10
                                                 : 0;
      bad != 0)
    return wrong(bad, info);
  if (kIsComplex<T> && op == CUBLAS_OP_T) return wrong(2, info);
  return run(handle, "cusolverDnormqr", 4.0 * m * n * k, [=] {
    int own = 0;
    const char *const turned = op == CUBLAS_OP_N ? "N" : kIsComplex<T> ? "C" : "T";
    with_work<T>([&](T *work, const int *size) {
      if constexpr (kIsComplex<T>) {
        lapack<"unmqr_", T>(letter(side), turned, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, &own);
      } else {
        lapack<"ormqr_", T>(letter(side), turned, &m, &n, &k, a, &lda, tau, c, &ldc, work, size, &own);
      }
    });
    if (info != nullptr) *info = own;
  });
}
template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, T *a, int lda, const T *tau, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = m < 0 ? 1 : n < 0 || n > m ? 2 : k < 0 || k > n ? 3 : lda < std::max(1, m) ? 5 : 0; bad != 0)
    return wrong(bad, info);
  return run(handle, "cusolverDnorgqr", 4.0 * m * n * k, [=] {
    int own = 0;
    with_work<T>([&](T *work, const int *size) {
      if constexpr (kIsComplex<T>) {
        lapack<"ungqr_", T>(&m, &n, &k, a, &lda, tau, work, size, &own);
      } else {
        lapack<"orgqr_", T>(&m, &n, &k, a, &lda, tau, work, size, &own);
      }
    });
    if (info != nullptr) *info = own;
  });
}
template <class T>
cusolverStatus_t gebrd(cusolverDnHandle_t handle, int m, int n, T *a, int lda, Real<T> *d, Real<T> *e, T *tau_q,
                       T *tau_p, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = m < 0 ? 1 : n < 0 ? 2 : lda < std::max(1, m) ? 4 : 0; bad != 0) return wrong(bad, info);
  if (m < n) {  // as an H200 answers
    if (info != nullptr) *info = 0;
    return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
  return run(handle, "cusolverDngebrd", 4.0 * m * n * std::min(m, n), [=] {
    int own = 0;
    with_work<T>(
        [&](T *work, const int *size) { lapack<"gebrd_", T>(&m, &n, a, &lda, d, e, tau_q, tau_p, work, size, &own); });
    if (info != nullptr) *info = own;
  });
}

}  // namespace

}  // namespace warploom::solver

using namespace warploom::solver;

#pragma GCC visibility push(default)
extern "C" {

#define ORTHOGONAL(L, T, R, MQR, GQR)                                                                                  \
  cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *, int, int *size) {          \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, n));                                                   \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *tau, T *, int,           \
                                        int *info) {                                                                   \
    return geqrf(h, m, n, a, lda, tau, info);                                                                          \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##MQR##_bufferSize(cusolverDnHandle_t h, cublasSideMode_t, cublasOperation_t, int m,   \
                                                   int n, int k, const T *, int, const T *, const T *, int,            \
                                                   int *size) {                                                        \
    return set_size(h, m >= 0 && n >= 0 && k >= 0, size, 32 * std::max(1, std::max(m, n)));                            \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##MQR(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op, int m, int n, \
                                      int k, const T *a, int lda, const T *tau, T *c, int ldc, T *, int, int *info) {  \
    return ormqr(h, side, op, m, n, k, a, lda, tau, c, ldc, info);                                                     \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##GQR##_bufferSize(cusolverDnHandle_t h, int m, int n, int k, const T *, int,          \
                                                   const T *, int *size) {                                             \
    return set_size(h, m >= 0 && n >= 0 && k >= 0, size, 32 * std::max(1, n));                                         \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##GQR(cusolverDnHandle_t h, int m, int n, int k, T *a, int lda, const T *tau, T *,     \
                                      int, int *info) {                                                                \
    return orgqr(h, m, n, k, a, lda, tau, info);                                                                       \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gebrd_bufferSize(cusolverDnHandle_t h, int m, int n, int *size) {                    \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, m + n));                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gebrd(cusolverDnHandle_t h, int m, int n, T *a, int lda, R *d, R *e, T *tau_q,       \
                                        T *tau_p, T *, int, int *info) {                                               \
    return gebrd(h, m, n, a, lda, d, e, tau_q, tau_p, info);                                                           \
  }
ORTHOGONAL(S, float, float, ormqr, orgqr)
ORTHOGONAL(D, double, double, ormqr, orgqr)
ORTHOGONAL(C, cuComplex, float, unmqr, ungqr)
ORTHOGONAL(Z, cuDoubleComplex, double, unmqr, ungqr)
#undef ORTHOGONAL

}  // extern "C"
#pragma GCC visibility pop

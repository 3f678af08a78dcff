// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorisations and solutions of many small systems, one on a thread at a time.
#include <vector>

#include "../common/refused.h"
#include "check.h"
#include "instances.h"

namespace warploom::blas {
namespace {

using In = const int *;
using Flag = const char *;

template <class T>
double cube(int n, int count) {
  return (static_cast<double>(n) * n * n / kOperations<T> * 4 + 500) * count;
}

// Gives one(i) for each matrix to the stream.
template <class One>
cublasStatus_t run_batch(cublasHandle_t handle, const char *name, int count, double nanoseconds, const One &one) {
  if (count == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, name, nanoseconds, [=] {
    each_tile(static_cast<std::uint64_t>(count), nanoseconds, [&](std::uint64_t i) { one(static_cast<int>(i)); });
  });
}

// LU without exchanging rows; the place, from 1, of the first pivot that is 0.
template <class T>
int factor_in_order(int n, T *a, int lda) {
  int info = 0;
  const auto at = [&](int i, int j) -> T & { return a[i + static_cast<int64_t>(j) * lda]; };
  for (int k = 0; k < n; ++k) {
    if (at(k, k) == T(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
    }
  }
  return info;
}

// LU of one matrix; `pivots`: null for none.
template <class T>
int factor(int n, T *a, int lda, int *pivots) {
  if (pivots == nullptr) return factor_in_order(n, a, lda);
  static const auto getrf = fortran<T, void(In, In, T *, In, int *, int *)>("getrf_");
  int info = 0;
  getrf(&n, &n, a, &lda, pivots, &info);
  return info;
}

// B = op(L U)^-1 B after the exchanges of rows that `pivots` (null: none) tells.
template <class T>
void solve(char trans, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb) {
  if (pivots != nullptr) {
    static const auto getrs = fortran<T, void(Flag, In, In, const T *, In, In, T *, In, int *)>("getrs_");
    int info = 0;
    getrs(&trans, &n, &columns, a, &lda, pivots, b, &ldb, &info);
    return;
  }
  static const auto trsm = fortran<T, void(Flag, Flag, Flag, Flag, In, In, const T *, const T *, In, T *, In)>("trsm_");
  const T one = 1;
  const bool plain = trans == 'N';
  trsm("L", plain ? "L" : "U", &trans, plain ? "U" : "N", &n, &columns, &one, a, &lda, b, &ldb);
  trsm("L", plain ? "U" : "L", &trans, plain ? "N" : "U", &n, &columns, &one, a, &lda, b, &ldb);
}

// C = (L U)^-1; the place of a pivot that is 0, and then nothing is written.
template <class T>
int invert(int n, const T *a, int lda, const int *pivots, T *c, int ldc) {
  for (int i = 0; i < n; ++i) {
    if (a[i + static_cast<int64_t>(i) * lda] == T(0)) return i + 1;
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) c[i + static_cast<int64_t>(j) * ldc] = T(i == j ? 1 : 0);
  }
  solve('N', n, n, a, lda, pivots, c, ldc);
  return 0;
}

template <class T>
cublasStatus_t getrf(const char *name, cublasHandle_t handle, int n, T *const *a, int lda, int *pivots, int *info,
                     int count) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GETRF"));
  check.size(1, n).leading(3, lda, n).that(count >= 0, 6);
  if (!check) return check.status();
  return run_batch(handle, name, count, cube<T>(n, count), [=](int i) {
    int *const own = pivots == nullptr ? nullptr : pivots + static_cast<int64_t>(i) * n;
    info[i] = n == 0 ? 0 : factor(n, a[i], lda, own);
  });
}

template <class T>
cublasStatus_t getri(const char *name, cublasHandle_t handle, int n, const T *const *a, int lda, const int *pivots,
                     T *const *c, int ldc, int *info, int count) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "GETRI"));
  check.size(1, n).leading(3, lda, n).leading(6, ldc, n).that(count >= 0, 8);
  if (!check) return check.status();
  return run_batch(handle, name, count, 2 * cube<T>(n, count), [=](int i) {
    const int *const own = pivots == nullptr ? nullptr : pivots + static_cast<int64_t>(i) * n;
    info[i] = n == 0 ? 0 : invert(n, a[i], lda, own, c[i], ldc);
  });
}

template <class T>
cublasStatus_t getrs(const char *name, cublasHandle_t handle, cublasOperation_t trans, int n, int columns,
                     const T *const *a, int lda, const int *pivots, T *const *b, int ldb, int *info, int count) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool flag = trans >= CUBLAS_OP_N && trans <= CUBLAS_OP_C;
  const int least = std::max(1, n);
  *info = !flag ? -1 : n < 0 ? -2 : columns < 0 ? -3 : lda < least ? -5 : ldb < least ? -8 : count < 0 ? -10 : 0;
  if (*info != 0) return wrong_parameter(WARPLOOM_BLAS_NAME(T, "GETRS"), -*info);
  if (n == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  return run_batch(handle, name, count, cube<T>(n, count), [=](int i) {
    const int *const own = pivots == nullptr ? nullptr : pivots + static_cast<int64_t>(i) * n;
    solve(letter(trans), n, columns, a[i], lda, own, b[i], ldb);
  });
}

template <class T>
cublasStatus_t matinv(const char *name, cublasHandle_t handle, int n, const T *const *a, int lda, T *const *c, int ldc,
                      int *info, int count) {
  Check check(handle, WARPLOOM_BLAS_NAME(T, "MATINV"));
  check.that(n >= 0 && n <= 32, 1).leading(3, lda, n).leading(5, ldc, n).that(count >= 0, 7);
  if (!check) return check.status();
  return run_batch(handle, name, count, 2 * cube<T>(n, count), [=](int i) {
    std::vector<T> work(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    std::vector<int> pivots(static_cast<std::size_t>(n));
    for (int j = 0; j < n; ++j) std::copy_n(a[i] + static_cast<int64_t>(j) * lda, n, work.data() + j * n);
    info[i] = n == 0 ? 0 : factor(n, work.data(), n, pivots.data());
    if (info[i] == 0 && n > 0) info[i] = invert(n, work.data(), n, pivots.data(), c[i], ldc);
  });
}

template <class T>
cublasStatus_t geqrf(const char *name, cublasHandle_t handle, int m, int n, T *const *a, int lda, T *const *tau,
                     int *info, int count) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *info = m < 0 ? -1 : n < 0 ? -2 : lda < std::max(1, m) ? -4 : count < 0 ? -7 : 0;
  if (*info != 0) return wrong_parameter(WARPLOOM_BLAS_NAME(T, "GEQRF"), -*info);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return run_batch(handle, name, count, cube<T>(std::max(m, n), count), [=](int i) {
    static const auto call = fortran<T, void(In, In, T *, In, T *, T *, In, int *)>("geqrf_");
    const int space = 32 * n;
    std::vector<T> work(static_cast<std::size_t>(space));
    int result = 0;
    call(&m, &n, a[i], &lda, tau[i], work.data(), &space, &result);
  });
}

template <class T>
cublasStatus_t gels(const char *name, cublasHandle_t handle, cublasOperation_t trans, int m, int n, int columns,
                    T *const *a, int lda, T *const *c, int ldc, int *info, int *infos, int count) {
  if (!is_alive(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *info = 0;
  if (trans != CUBLAS_OP_N || m < n) {
    return WARPLOOM_REFUSE(name,
                           "only systems of at least as many equations as unknowns are solved, without transposing",
                           CUBLAS_STATUS_NOT_SUPPORTED);
  }
  *info = m < 0 ? -2 : n < 0 ? -3 : columns < 0 ? -4 : lda < std::max(1, m) ? -6 : ldc < std::max(1, m) ? -8 : 0;
  if (*info == 0 && count < 0) *info = -11;
  if (*info != 0) return wrong_parameter(WARPLOOM_BLAS_NAME(T, "GELS"), -*info);
  if (m == 0 || n == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  return run_batch(handle, name, count, cube<T>(m, count), [=](int i) {
    static const auto call = fortran<T, void(Flag, In, In, In, T *, In, T *, In, T *, In, int *)>("gels_");
    const int space = 32 * (n + std::max(n, columns));
    std::vector<T> work(static_cast<std::size_t>(space));
    int result = 0;
    call("N", &m, &n, &columns, a[i], &lda, c[i], &ldc, work.data(), &space, &result);
    if (infos != nullptr) infos[i] = result;
  });
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#define ALL_OF(P, T)                                                                                                   \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda, int *p, int *info,       \
                                         int count) {                                                                  \
    return getrf("cublas" #P "getrfBatched", handle, n, elements(a), lda, p, info, count);                             \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T *const a[], int lda, const int *p,      \
                                         T *const c[], int ldc, int *info, int count) {                                \
    return getri("cublas" #P "getriBatched", handle, n, elements(a), lda, p, elements(c), ldc, info, count);           \
  }                                                                                                                    \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,              \
                                         const T *const a[], int lda, const int *p, T *const b[], int ldb, int *info,  \
                                         int count) {                                                                  \
    return getrs("cublas" #P "getrsBatched", handle, trans, n, nrhs, elements(a), lda, p, elements(b), ldb, info,      \
                 count);                                                                                               \
  }                                                                                                                    \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T *const a[], int lda, T *const c[],     \
                                          int ldc, int *info, int count) {                                             \
    return matinv("cublas" #P "matinvBatched", handle, n, elements(a), lda, elements(c), ldc, info, count);            \
  }                                                                                                                    \
  cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t handle, int m, int n, T *const a[], int lda, T *const tau[],   \
                                         int *info, int count) {                                                       \
    return geqrf("cublas" #P "geqrfBatched", handle, m, n, elements(a), lda, elements(tau), info, count);              \
  }                                                                                                                    \
  cublasStatus_t cublas##P##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,        \
                                        T *const a[], int lda, T *const c[], int ldc, int *info, int *infos,           \
                                        int count) {                                                                   \
    return gels("cublas" #P "gelsBatched", handle, trans, m, n, nrhs, elements(a), lda, elements(c), ldc, info, infos, \
                count);                                                                                                \
  }

#pragma GCC visibility push(default)
extern "C" {
ALL_OF(S, float)
ALL_OF(D, double)
ALL_OF(C, cuComplex)
ALL_OF(Z, cuDoubleComplex)
}
#pragma GCC visibility pop

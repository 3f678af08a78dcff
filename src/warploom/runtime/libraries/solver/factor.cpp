// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of dense matrices and systems solved with them: Cholesky, LU, LDL.
#include <cmath>

#include "lapack.h"

namespace warploom::solver {

namespace {

cuComplex operator*(cuComplex a, cuComplex b) { return cuCmulf(a, b); }
cuComplex operator-(cuComplex a, cuComplex b) { return cuCsubf(a, b); }
cuComplex operator/(cuComplex a, cuComplex b) { return cuCdivf(a, b); }
cuDoubleComplex operator*(cuDoubleComplex a, cuDoubleComplex b) { return cuCmul(a, b); }
cuDoubleComplex operator-(cuDoubleComplex a, cuDoubleComplex b) { return cuCsub(a, b); }
cuDoubleComplex operator/(cuDoubleComplex a, cuDoubleComplex b) { return cuCdiv(a, b); }
template <class T>
bool is_zero(T value) {
  if constexpr (kIsComplex<T>) {
    return value.x == 0 && value.y == 0;
  } else {
    return value == 0;
  }
}

// LU without exchanges of rows.
template <class T>
void lu_in_order(int m, int n, T *a, int lda, int *info) {
  *info = 0;
  for (int k = 0; k < std::min(m, n); ++k) {
    T *const column = a + static_cast<std::int64_t>(k) * lda;
    if (is_zero(column[k])) {
      if (*info == 0) *info = k + 1;
      continue;
    }
    for (int i = k + 1; i < m; ++i) column[i] = column[i] / column[k];
    for (int j = k + 1; j < n; ++j) {
      T *const other = a + static_cast<std::int64_t>(j) * lda;
      const T factor = other[k];
      for (int i = k + 1; i < m; ++i) other[i] = other[i] - column[i] * factor;
    }
  }
}

template <class T>
bool is_nan(T value) {
  if constexpr (kIsComplex<T>) {
    return value.x != value.x;
  } else {
    return value != value;
  }
}

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = !is_fill(fill) ? 1 : n < 0 ? 2 : lda < std::max(1, n) ? 4 : 0; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnpotrf", cube(n) / 3, [=] { cholesky(fill, n, a, lda, info); });
}
template <class T>
cusolverStatus_t potrs(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int nrhs, const T *a, int lda, T *b,
                       int ldb, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const int bad_size = n < 0 ? 2 : nrhs < 0 ? 3 : lda < std::max(1, n) ? 5 : ldb < std::max(1, n) ? 7 : 0;
  if (const int bad = !is_fill(fill) ? 1 : bad_size; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnpotrs", 2.0 * n * n * nrhs,
             [=] { lapack<"potrs_", T>(letter(fill), &n, &nrhs, a, &lda, b, &ldb, info); });
}
template <class T>
cusolverStatus_t potri(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = !is_fill(fill) ? 1 : n < 0 ? 2 : lda < std::max(1, n) ? 4 : 0; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnpotri", cube(n), [=] { lapack<"potri_", T>(letter(fill), &n, a, &lda, info); });
}
template <class T>
cusolverStatus_t potrf_batched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T **a, int lda, int *infos,
                               int count) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_fill(fill) || n < 0 || lda < std::max(1, n) || count < 1) return CUSOLVER_STATUS_INVALID_VALUE;
  const double operations = cube(n) / 3 * count;
  return run(handle, "cusolverDnpotrfBatched", operations, [=] {
    libraries::each_tile(static_cast<std::uint64_t>(count), operations * 0.1,
                         [=](std::uint64_t i) { cholesky(fill, n, a[i], lda, infos + i); });
  });
}
template <class T>
cusolverStatus_t potrs_batched(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, int nrhs, T **a, int lda, T **b,
                               int ldb, int *info, int count) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const int bad_size = n < 0 ? 2 : nrhs != 1 ? 3 : lda < std::max(1, n) ? 5 : ldb < std::max(1, n) ? 7 : 0;
  if (const int bad = !is_fill(fill) ? 1 : bad_size; bad != 0) {
    if (info != nullptr) *info = bad;  // an H200 does not turn the sign round here
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  if (count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const double operations = 2.0 * n * n * nrhs * count;
  return run(handle, "cusolverDnpotrsBatched", operations, [=] {
    libraries::each_tile(static_cast<std::uint64_t>(count), operations * 0.1, [=](std::uint64_t i) {
      int own = 0;
      lapack<"potrs_", T>(letter(fill), &n, &nrhs, static_cast<const T *>(a[i]), &lda, b[i], &ldb, &own);
    });
    if (info != nullptr) *info = 0;
  });
}

template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t handle, int m, int n, T *a, int lda, int *pivots, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = m < 0 ? 1 : n < 0 ? 2 : lda < std::max(1, m) ? 4 : 0; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDngetrf", 0.67 * m * n * std::min(m, n), [=] { lu(m, n, a, lda, pivots, info); });
}
template <class T>
cusolverStatus_t getrs(cusolverDnHandle_t handle, cublasOperation_t op, int n, int nrhs, const T *a, int lda,
                       const int *pivots, T *b, int ldb, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const bool is_operation = op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C;
  const int bad_size = n < 0 ? 2 : nrhs < 0 ? 3 : lda < std::max(1, n) ? 5 : ldb < std::max(1, n) ? 8 : 0;
  if (const int bad = !is_operation ? 1 : bad_size; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDngetrs", 2.0 * n * n * nrhs, [=] {
    if (pivots != nullptr && std::any_of(pivots, pivots + n, [n](int pivot) { return pivot < 1 || pivot > n; })) {
      __warploom_library_message("cusolverDngetrs: a pivot lies outside of the matrix");
      return __warploom_library_fail(cudaErrorIllegalAddress);
    }
    std::vector<int> none;
    if (pivots == nullptr) {
      for (int i = 1; i <= n; ++i) none.push_back(i);
    }
    lapack<"getrs_", T>(letter(op), &n, &nrhs, a, &lda,
                        pivots != nullptr ? pivots : static_cast<const int *>(none.data()), b, &ldb, info);
  });
}
template <class T>
cusolverStatus_t sytrf(cusolverDnHandle_t handle, cublasFillMode_t fill, int n, T *a, int lda, int *pivots, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = !is_fill(fill) ? 1 : n < 0 ? 2 : lda < std::max(1, n) ? 4 : 0; bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnsytrf", cube(n) / 3, [=] {
    with_work<T>(
        [&](T *work, const int *size) { lapack<"sytrf_", T>(letter(fill), &n, a, &lda, pivots, work, size, info); });
  });
}

}  // namespace

// OpenBLAS goes on where a pivot is not a number; all pivots behind it are none, too.
template <class T>
void cholesky(cublasFillMode_t fill, int n, T *a, int lda, int *info) {
  lapack<"potrf_", T>(letter(fill), &n, a, &lda, info);
  const int known = *info > 0 ? *info - 1 : n;
  for (int i = 0; i < known; ++i) {
    if (is_nan(a[i + static_cast<std::int64_t>(i) * lda])) {
      *info = i + 1;
      return;
    }
  }
}
template void cholesky(cublasFillMode_t, int, float *, int, int *);
template void cholesky(cublasFillMode_t, int, double *, int, int *);
template void cholesky(cublasFillMode_t, int, cuComplex *, int, int *);
template void cholesky(cublasFillMode_t, int, cuDoubleComplex *, int, int *);

template <class T>
void lu(int m, int n, T *a, int lda, int *pivots, int *info) {
  if (pivots == nullptr) return lu_in_order(m, n, a, lda, info);
  lapack<"getrf_", T>(&m, &n, a, &lda, pivots, info);
}
template void lu(int, int, float *, int, int *, int *);
template void lu(int, int, double *, int, int *, int *);
template void lu(int, int, cuComplex *, int, int *, int *);
template void lu(int, int, cuDoubleComplex *, int, int *, int *);

}  // namespace warploom::solver

using namespace warploom::solver;

#pragma GCC visibility push(default)
extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!warploom::libraries::load_openblas()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetVersion(int *version) {
  if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *version = CUSOLVER_VERSION;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value) {
  if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUSOLVER_VER_MAJOR : 0;
  return CUSOLVER_STATUS_SUCCESS;
}

#define FACTORS(L, T)                                                                                                \
  cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int n, T *, int,          \
                                                   int *size) {                                                      \
    return set_size(h, n >= 0, size, 32 + 4 * n);                                                                    \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T *a, int lda, T *, int, \
                                        int *info) {                                                                 \
    return potrf(h, fill, n, a, lda, info);                                                                          \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n, int nrhs, const T *a,    \
                                        int lda, T *b, int ldb, int *info) {                                         \
    return potrs(h, fill, n, nrhs, a, lda, b, ldb, info);                                                            \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int n, T *, int,          \
                                                   int *size) {                                                      \
    return set_size(h, n >= 0, size, 32 + 4 * n);                                                                    \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potri(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T *a, int lda, T *, int, \
                                        int *info) {                                                                 \
    return potri(h, fill, n, a, lda, info);                                                                          \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T **a, int lda,   \
                                               int *infos, int count) {                                              \
    return potrf_batched(h, fill, n, a, lda, infos, count);                                                          \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t fill, int n, int nrhs, T **a,  \
                                               int lda, T **b, int ldb, int *info, int count) {                      \
    return potrs_batched(h, fill, n, nrhs, a, lda, b, ldb, info, count);                                             \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T *, int, int *size) {        \
    return set_size(h, m >= 0 && n >= 0, size, 192);                                                                 \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T *a, int lda, T *, int *pivots,         \
                                        int *info) {                                                                 \
    return getrf(h, m, n, a, lda, pivots, info);                                                                     \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int nrhs, const T *a,     \
                                        int lda, const int *pivots, T *b, int ldb, int *info) {                      \
    return getrs(h, op, n, nrhs, a, lda, pivots, b, ldb, info);                                                      \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##sytrf_bufferSize(cusolverDnHandle_t h, int n, T *, int, int *size) {               \
    return set_size(h, n >= 0, size, 192);                                                                           \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##L##sytrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T *a, int lda,           \
                                        int *pivots, T *, int, int *info) {                                          \
    return sytrf(h, fill, n, a, lda, pivots, info);                                                                  \
  }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, cuComplex)
FACTORS(Z, cuDoubleComplex)
#undef FACTORS

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's functions with 64-bit sizes and types given by value. Sizes are those that LAPACK can count.
#include <cmath>
#include <limits>

#include "lapack.h"

struct cusolverDnParams {};

namespace warploom::solver {

namespace {

template <class T>
struct Tag {
  using type = T;
};

template <class Visit>
cusolverStatus_t with_type(cudaDataType type, Visit visit) {
  switch (type) {
    case CUDA_R_32F:
      return visit(Tag<float>());
    case CUDA_R_64F:
      return visit(Tag<double>());
    case CUDA_C_32F:
      return visit(Tag<cuComplex>());
    case CUDA_C_64F:
      return visit(Tag<cuDoubleComplex>());
    default:
      return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

bool fits(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](std::int64_t size) { return size <= std::numeric_limits<int>::max(); });
}

cusolverStatus_t sizes(cusolverDnHandle_t handle, std::initializer_list<std::int64_t> given, size_t *device,
                       size_t *host) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (device == nullptr || host == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (std::any_of(given.begin(), given.end(), [](std::int64_t size) { return size < 0; }))
    return CUSOLVER_STATUS_INVALID_VALUE;
  *device = 256, *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t check(cusolverDnHandle_t handle, std::initializer_list<std::int64_t> given, int bad, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (bad != 0) return wrong(bad, info);
  return fits(given) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_SUPPORTED;
}

// Pivots of 64 bits, from LAPACK's.
std::vector<int> narrow(const std::int64_t *from, int n) { return std::vector<int>(from, from + n); }

}  // namespace

}  // namespace warploom::solver

using namespace warploom::solver;

#pragma GCC visibility push(default)
extern "C" {

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params) {
  if (params == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) { return delete params, CUSOLVER_STATUS_SUCCESS; }
// There is one algorithm.
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t, cusolverAlgMode_t) {
  return params == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, cublasFillMode_t,
                                             int64_t n, cudaDataType, const void *, int64_t, cudaDataType,
                                             size_t *device, size_t *host) {
  return sizes(h, {n}, device, host);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill, int64_t n,
                                  cudaDataType type, void *a, int64_t lda, cudaDataType, void *, size_t, void *, size_t,
                                  int *info) {
  if (const auto status = check(h, {n, lda},
                                n < 0                           ? 3
                                : lda < std::max<int64_t>(1, n) ? 4  // as an H200 counts
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXpotrf", cube(static_cast<double>(n)) / 3,
               [=, size = static_cast<int>(n), ld = static_cast<int>(lda)] {
                 cholesky(fill, size, static_cast<T *>(a), ld, info);
               });
  });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t fill, int64_t n,
                                  int64_t nrhs, cudaDataType type, const void *a, int64_t lda, cudaDataType, void *b,
                                  int64_t ldb, int *info) {
  if (const auto status = check(h, {n, nrhs, lda, ldb},
                                n < 0                           ? 3
                                : nrhs < 0                      ? 4
                                : lda < std::max<int64_t>(1, n) ? 7
                                : ldb < std::max<int64_t>(1, n) ? 10
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXpotrs", 2.0 * static_cast<double>(n * n * nrhs),
               [=, size = static_cast<int>(n), count = static_cast<int>(nrhs), ld = static_cast<int>(lda),
                ld_b = static_cast<int>(ldb)] {
                 lapack<"potrs_", T>(letter(fill), &size, &count, static_cast<const T *>(a), &ld, static_cast<T *>(b),
                                     &ld_b, info);
               });
  });
}
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType, const void *, int64_t, cudaDataType, size_t *device,
                                             size_t *host) {
  return sizes(h, {m, n}, device, host);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                  void *a, int64_t lda, int64_t *pivots, cudaDataType, void *, size_t, void *, size_t,
                                  int *info) {
  if (const auto status = check(h, {m, n, lda},
                                m < 0                           ? 2
                                : n < 0                         ? 3
                                : lda < std::max<int64_t>(1, m) ? 6
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXgetrf", 0.67 * static_cast<double>(m * n * std::min(m, n)), [=] {
      std::vector<int> own(static_cast<std::size_t>(std::min(m, n)) + 1);
      lu(static_cast<int>(m), static_cast<int>(n), static_cast<T *>(a), static_cast<int>(lda),
         pivots == nullptr ? nullptr : own.data(), info);
      if (pivots != nullptr) std::copy_n(own.data(), std::min(m, n), pivots);
    });
  });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t op, int64_t n,
                                  int64_t nrhs, cudaDataType type, const void *a, int64_t lda, const int64_t *pivots,
                                  cudaDataType, void *b, int64_t ldb, int *info) {
  if (const auto status = check(h, {n, nrhs, lda, ldb},
                                n < 0                           ? 3
                                : nrhs < 0                      ? 4
                                : lda < std::max<int64_t>(1, n) ? 7
                                : ldb < std::max<int64_t>(1, n) ? 11
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXgetrs", 2.0 * static_cast<double>(n * n * nrhs),
               [=, size = static_cast<int>(n), count = static_cast<int>(nrhs), ld = static_cast<int>(lda),
                ld_b = static_cast<int>(ldb)] {
                 std::vector<int> own;
                 for (int i = 1; pivots == nullptr && i <= size; ++i) own.push_back(i);
                 if (pivots != nullptr) own = narrow(pivots, size);
                 lapack<"getrs_", T>(letter(op), &size, &count, static_cast<const T *>(a), &ld,
                                     static_cast<const int *>(own.data()), static_cast<T *>(b), &ld_b, info);
               });
  });
}
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType, const void *, int64_t, cudaDataType, const void *,
                                             cudaDataType, size_t *device, size_t *host) {
  return sizes(h, {m, n}, device, host);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                  void *a, int64_t lda, cudaDataType, void *tau, cudaDataType, void *, size_t, void *,
                                  size_t, int *info) {
  if (const auto status = check(h, {m, n, lda},
                                m < 0                           ? 2
                                : n < 0                         ? 3
                                : lda < std::max<int64_t>(1, m) ? 6
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXgeqrf", 2.0 * static_cast<double>(m * n * std::min(m, n)),
               [=, rows = static_cast<int>(m), cols = static_cast<int>(n), ld = static_cast<int>(lda)] {
                 with_work<T>([&](T *work, const int *size) {
                   lapack<"geqrf_", T>(&rows, &cols, static_cast<T *>(a), &ld, static_cast<T *>(tau), work, size, info);
                 });
               });
  });
}
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t,
                                             cublasFillMode_t, int64_t n, cudaDataType, const void *, int64_t,
                                             cudaDataType, const void *, cudaDataType, size_t *device, size_t *host) {
  return sizes(h, {n}, device, host);
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                  cublasFillMode_t fill, int64_t n, cudaDataType type, void *a, int64_t lda,
                                  cudaDataType, void *w, cudaDataType, void *, size_t, void *, size_t, int *info) {
  if (const auto status = check(h, {n, lda},
                                n < 0                           ? 4
                                : lda < std::max<int64_t>(1, n) ? 7
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXsyevd", 10 * cube(static_cast<double>(n)), [=] {
      eigen(mode, fill, static_cast<int>(n), static_cast<T *>(a), static_cast<int>(lda), static_cast<Real<T> *>(w),
            info);
    });
  });
}
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t,
                                                   cublasFillMode_t, int64_t n, cudaDataType, const void *, int64_t,
                                                   cudaDataType, const void *, cudaDataType, size_t *device,
                                                   size_t *host, int64_t count) {
  return sizes(h, {n, count}, device, host);
}
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                        cublasFillMode_t fill, int64_t n, cudaDataType type, void *a, int64_t lda,
                                        cudaDataType, void *w, cudaDataType, void *, size_t, void *, size_t, int *info,
                                        int64_t count) {
  if (const auto status = check(h, {n, lda},
                                n < 0                           ? 4
                                : lda < std::max<int64_t>(1, n) ? 7
                                : count < 0                     ? 16
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    const double operations = 10 * cube(static_cast<double>(n)) * static_cast<double>(count);
    return run(h, "cusolverDnXsyevBatched", operations, [=] {
      warploom::libraries::each_tile(static_cast<std::uint64_t>(count), operations, [=](std::uint64_t i) {
        eigen(mode, fill, static_cast<int>(n), static_cast<T *>(a) + static_cast<std::int64_t>(i) * lda * n,
              static_cast<int>(lda), static_cast<Real<T> *>(w) + static_cast<std::int64_t>(i) * n, info + i);
      });
    });
  });
}
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, signed char, signed char,
                                             int64_t m, int64_t n, cudaDataType, const void *, int64_t, cudaDataType,
                                             const void *, cudaDataType, const void *, int64_t, cudaDataType,
                                             const void *, int64_t, cudaDataType, size_t *device, size_t *host) {
  return sizes(h, {m, n}, device, host);
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t h, cusolverDnParams_t, signed char jobu, signed char jobvt,
                                  int64_t m, int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType, void *s,
                                  cudaDataType, void *u, int64_t ldu, cudaDataType, void *vt, int64_t ldvt,
                                  cudaDataType, void *, size_t, void *, size_t, int *info) {
  if (const auto status = check(h, {m, n, lda, ldu, ldvt},
                                m < 0                           ? 4
                                : n < 0                         ? 5
                                : lda < std::max<int64_t>(1, m) ? 8
                                                                : 0,
                                info);
      status != CUSOLVER_STATUS_SUCCESS)
    return status;
  return with_type(type, [&]<class T>(Tag<T>) {
    return run(h, "cusolverDnXgesvd", 20.0 * static_cast<double>(m * n * std::min(m, n)), [=] {
      singular_values(static_cast<char>(jobu), static_cast<char>(jobvt), static_cast<int>(m), static_cast<int>(n),
                      static_cast<T *>(a), static_cast<int>(lda), static_cast<Real<T> *>(s), static_cast<T *>(u),
                      static_cast<int>(ldu), static_cast<T *>(vt), static_cast<int>(ldvt), info);
    });
  });
}

}  // extern "C"
#pragma GCC visibility pop

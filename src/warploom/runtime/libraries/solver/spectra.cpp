// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigenvalues of general matrices, and solutions with symmetric ones that sytrf has factored.
#include <limits>
#include <memory>

#include "lapack.h"

using namespace warploom::solver;

namespace {

struct Vectors {
  cusolverEigMode_t mode;
  void *data;
  int ld;
};

bool fits(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [](std::int64_t size) { return size <= std::numeric_limits<int>::max(); });
}
bool is_real(cudaDataType type) { return type == CUDA_R_32F || type == CUDA_R_64F; }
cudaDataType complex_of(cudaDataType type) { return type == CUDA_R_32F ? CUDA_C_32F : CUDA_C_64F; }

// Calls visit(T()) for the type of numbers; NOT_SUPPORTED for others.
template <class Visit>
cusolverStatus_t with_type(cudaDataType type, Visit visit) {
  switch (type) {
    case CUDA_R_32F:
      return visit(float());
    case CUDA_R_64F:
      return visit(double());
    case CUDA_C_32F:
      return visit(cuComplex());
    case CUDA_C_64F:
      return visit(cuDoubleComplex());
    default:
      return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

// `w`: of a real matrix either complex numbers, or n real parts and behind them n imaginary ones.
template <class T>
void spectrum(int n, T *a, int lda, void *w, bool pairs, Vectors left, Vectors right, int *info) {
  const char *const job_l = letter(left.mode), *const job_r = letter(right.mode);
  T *const vl = static_cast<T *>(left.data), *const vr = static_cast<T *>(right.data);
  const int ldl = std::max(1, left.ld), ldr = std::max(1, right.ld);
  const auto size = static_cast<std::size_t>(std::max(1, n));
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> more(2 * size);
    with_work<T>([&](T *work, const int *length) {
      lapack<"geev_", T>(job_l, job_r, &n, a, &lda, static_cast<T *>(w), vl, &ldl, vr, &ldr, work, length, more.data(),
                         info);
    });
  } else {
    std::vector<T> real(size), imaginary(size);
    with_work<T>([&](T *work, const int *length) {
      lapack<"geev_", T>(job_l, job_r, &n, a, &lda, real.data(), imaginary.data(), vl, &ldl, vr, &ldr, work, length,
                         info);
    });
    T *const out = static_cast<T *>(w);
    for (int i = 0; i < n; ++i) {
      out[pairs ? 2 * i : i] = real[static_cast<std::size_t>(i)];
      out[pairs ? 2 * i + 1 : n + i] = imaginary[static_cast<std::size_t>(i)];
    }
  }
}

cusolverStatus_t sizes(cusolverDnHandle_t handle, bool is_valid, size_t *device, size_t *host) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_valid || device == nullptr || host == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *device = 256, *host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// An H200 gives no size where left vectors are asked for, and has an area of the host. What is asked for without a size
// is given here.
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t job_l,
                                            cusolverEigMode_t, int64_t n, cudaDataType, const void *, int64_t,
                                            cudaDataType, const void *, cudaDataType, const void *, int64_t,
                                            cudaDataType, const void *, int64_t, cudaDataType, size_t *device,
                                            size_t *host) {
  const cusolverStatus_t status = sizes(h, params != nullptr && n >= 0, device, host);
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  if (job_l == CUSOLVER_EIG_MODE_VECTOR) return CUSOLVER_STATUS_INTERNAL_ERROR;
  *host = 256;
  return status;
}
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t job_l,
                                 cusolverEigMode_t job_r, int64_t n, cudaDataType type, void *a, int64_t lda,
                                 cudaDataType w_type, void *w, cudaDataType, void *vl, int64_t ldvl, cudaDataType,
                                 void *vr, int64_t ldvr, cudaDataType, void *, size_t, void *, size_t, int *info) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const std::int64_t least = std::max<std::int64_t>(1, n);
  const bool has_l = job_l == CUSOLVER_EIG_MODE_VECTOR, has_r = job_r == CUSOLVER_EIG_MODE_VECTOR;
  const int bad = n < 0 ? 4 : lda < least ? 7 : has_l && ldvl < least ? 12 : has_r && ldvr < least ? 15 : 0;
  if (bad != 0) return wrong(bad, info);
  const bool pairs = is_real(type) && w_type == complex_of(type);
  if (!fits({n, lda, ldvl, ldvr}) || (w_type != type && !pairs)) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return with_type(type, [&]<class T>(T) {
    return run(h, "cusolverDnXgeev", 25 * cube(static_cast<double>(n)), [=] {
      spectrum(static_cast<int>(n), static_cast<T *>(a), static_cast<int>(lda), w, pairs,
               {job_l, vl, static_cast<int>(ldvl)}, {job_r, vr, static_cast<int>(ldvr)}, info);
    });
  });
}

cusolverStatus_t cusolverDnXsytrs_bufferSize(cusolverDnHandle_t h, cublasFillMode_t, int64_t n, int64_t nrhs,
                                             cudaDataType, const void *, int64_t, const int64_t *, cudaDataType, void *,
                                             int64_t, size_t *device, size_t *host) {
  return sizes(h, n >= 0 && nrhs >= 0, device, host);
}
cusolverStatus_t cusolverDnXsytrs(cusolverDnHandle_t h, cublasFillMode_t fill, int64_t n, int64_t nrhs,
                                  cudaDataType type, const void *a, int64_t lda, const int64_t *pivots,
                                  cudaDataType type_b, void *b, int64_t ldb, void *, size_t, void *, size_t,
                                  int *info) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const std::int64_t least = std::max<std::int64_t>(1, n);
  const int bad = n < 0 ? 2 : nrhs < 0 ? 3 : lda < least ? 6 : pivots == nullptr ? 7 : ldb < least ? 10 : 0;
  if (bad != 0) return wrong(bad, info);
  if (!fits({n, nrhs, lda, ldb}) || type_b != type) return CUSOLVER_STATUS_NOT_SUPPORTED;
  return with_type(type, [&]<class T>(T) {
    return run(h, "cusolverDnXsytrs", 2.0 * static_cast<double>(n * n * nrhs),
               [=, size = static_cast<int>(n), count = static_cast<int>(nrhs), ld = static_cast<int>(lda),
                ld_b = static_cast<int>(ldb)] {
                 const std::vector<int> own(pivots, pivots + n);
                 lapack<"sytrs_", T>(letter(fill), &size, &count, static_cast<const T *>(a), &ld,
                                     static_cast<const int *>(own.data()), static_cast<T *>(b), &ld_b, info);
               });
  });
}

}  // extern "C"
#pragma GCC visibility pop

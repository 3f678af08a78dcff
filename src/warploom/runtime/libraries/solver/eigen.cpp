// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigenvalues of symmetric and Hermitian matrices, and singular values. The functions named after Jacobi's method take
// its parameters and use the same algorithms as the others: their results are at least as exact.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "lapack.h"

struct syevjInfo {
  int sorts = 1;
};
struct gesvdjInfo {
  int sorts = 1;
};

namespace warploom::solver {

template <class T>
void eigen(cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda, Real<T> *w, int *info) {
  T best{};
  Real<T> best_real{};
  int best_integers = 0, own = 0;
  const int ask = -1;
  if constexpr (kIsComplex<T>) {
    lapack<"heevd_", T>(letter(mode), letter(fill), &n, a, &lda, w, &best, &ask, &best_real, &ask, &best_integers, &ask,
                        &own);
    const int size = std::max(1, static_cast<int>(best.x)), real_size = std::max(1, static_cast<int>(best_real)),
              integers = std::max(1, best_integers);
    std::vector<T> work(size);
    std::vector<Real<T>> real_work(real_size);
    std::vector<int> integer_work(integers);
    lapack<"heevd_", T>(letter(mode), letter(fill), &n, a, &lda, w, work.data(), &size, real_work.data(), &real_size,
                        integer_work.data(), &integers, &own);
  } else {
    lapack<"syevd_", T>(letter(mode), letter(fill), &n, a, &lda, w, &best, &ask, &best_integers, &ask, &own);
    const int size = std::max(1, static_cast<int>(best)), integers = std::max(1, best_integers);
    std::vector<T> work(size);
    std::vector<int> integer_work(integers);
    lapack<"syevd_", T>(letter(mode), letter(fill), &n, a, &lda, w, work.data(), &size, integer_work.data(), &integers,
                        &own);
  }
  // As an H200 says it of values that are not numbers.
  if (own > 0 && std::isnan(w[0])) own = 1;
  if (info != nullptr) *info = own;
}

// Whether an m x n matrix holds neither NaN nor infinity.
template <class T>
bool is_finite(int m, int n, const T *a, int lda) {
  constexpr int kParts = kIsComplex<T> ? 2 : 1;
  for (int j = 0; j < n; ++j) {
    const auto *const column = reinterpret_cast<const Real<T> *>(a + static_cast<std::int64_t>(j) * lda);
    for (int i = 0; i < kParts * m; ++i) {
      if (!std::isfinite(column[i])) return false;
    }
  }
  return true;
}

template <class T>
void singular_values(char job_u, char job_vt, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu, T *vt, int ldvt,
                     int *info) {
  int own = 0;
  if (!is_finite(m, n, a, lda)) {  // LAPACK does not end with these, or writes of its own parameters
    std::fill_n(s, std::min(m, n), std::numeric_limits<Real<T>>::quiet_NaN());
    const bool is_told = job_u != 'N' || job_vt != 'N';  // as by an H200
    if (info != nullptr) *info = is_told ? std::min(m, n) : 0;
    return;
  }
  std::vector<Real<T>> real_work(kIsComplex<T> ? 5 * std::max(1, std::min(m, n)) : 1);
  const int leading_u = std::max(1, ldu), leading_vt = std::max(1, ldvt);
  with_work<T>([&](T *work, const int *size) {
    const char *const jobs[] = {&job_u, &job_vt};
    if constexpr (kIsComplex<T>) {
      lapack<"gesvd_", T>(jobs[0], jobs[1], &m, &n, a, &lda, s, u, &leading_u, vt, &leading_vt, work, size,
                          real_work.data(), &own);
    } else {
      lapack<"gesvd_", T>(jobs[0], jobs[1], &m, &n, a, &lda, s, u, &leading_u, vt, &leading_vt, work, size, &own);
    }
  });
  if (info != nullptr) *info = own;
}

#define INSTANCES(T)                                                                         \
  template void eigen(cusolverEigMode_t, cublasFillMode_t, int, T *, int, Real<T> *, int *); \
  template void singular_values(char, char, int, int, T *, int, Real<T> *, T *, int, T *, int, int *);
INSTANCES(float)
INSTANCES(double)
INSTANCES(cuComplex)
INSTANCES(cuDoubleComplex)
#undef INSTANCES

namespace {

bool is_mode(cusolverEigMode_t mode) { return mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR; }
bool is_type(cusolverEigType_t type) { return type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3; }

// The number of the first parameter that is wrong; 0 if none is.
int wrong_of_syevd(cusolverEigMode_t mode, cublasFillMode_t fill, int n, int lda) {
  return !is_mode(mode) ? 1 : !is_fill(fill) ? 2 : n < 0 ? 3 : lda < std::max(1, n) ? 5 : 0;
}

// Jacobi's method does not converge where anything is not a number.
template <class T>
void eigen_by_jacobi(cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda, Real<T> *w, int *info) {
  eigen(mode, fill, n, a, lda, w, info);
  const bool converges = std::all_of(w, w + n, [](Real<T> value) { return std::isfinite(value); });
  if (!converges && info != nullptr) *info = n + 1;
}
template <class T>
cusolverStatus_t syevj(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda,
                       Real<T> *w, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = wrong_of_syevd(mode, fill, n, lda); bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnsyevj", 10 * cube(n), [=] { eigen_by_jacobi(mode, fill, n, a, lda, w, info); });
}
template <class T>
cusolverStatus_t syevd(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda,
                       Real<T> *w, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = wrong_of_syevd(mode, fill, n, lda); bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDnsyevd", 10 * cube(n), [=] { eigen(mode, fill, n, a, lda, w, info); });
}
template <class T>
cusolverStatus_t syevd_batched(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a,
                               int lda, Real<T> *w, int *info, int count) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (wrong_of_syevd(mode, fill, n, lda) != 0 || count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const double operations = 10 * cube(n) * count;
  return run(handle, "cusolverDnsyevjBatched", operations, [=] {
    libraries::each_tile(static_cast<std::uint64_t>(count), operations, [=](std::uint64_t i) {
      eigen_by_jacobi(mode, fill, n, a + i * static_cast<std::uint64_t>(lda) * n, lda, w + i * n, info + i);
    });
  });
}
template <class T>
cusolverStatus_t sygvd(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t mode, cublasFillMode_t fill,
                       int n, T *a, int lda, T *b, int ldb, Real<T> *w, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const int bad_choice = !is_type(type) ? 1 : !is_mode(mode) ? 2 : !is_fill(fill) ? 3 : 0;
  const int bad_size = n < 0 ? 4 : lda < std::max(1, n) ? 6 : ldb < std::max(1, n) ? 8 : 0;
  if (bad_choice != 0 || bad_size != 0) return wrong(bad_choice != 0 ? bad_choice : bad_size, info);
  return run(handle, "cusolverDnsygvd", 14 * cube(n), [=] {
    int own = 0;
    const int kind = type;
    std::vector<Real<T>> real_work(std::max(1, 3 * n));
    with_work<T>([&](T *work, const int *size) {
      if constexpr (kIsComplex<T>) {
        lapack<"hegv_", T>(&kind, letter(mode), letter(fill), &n, a, &lda, b, &ldb, w, work, size, real_work.data(),
                           &own);
      } else {
        lapack<"sygv_", T>(&kind, letter(mode), letter(fill), &n, a, &lda, b, &ldb, w, work, size, &own);
      }
    });
    if (info != nullptr) *info = own;
  });
}

// The number of the first parameter that is wrong; 0 if none is.
int wrong_of_gesvd(char job_u, char job_vt, int m, int n, int lda, int ldu, int ldvt) {
  const auto is_one_of = [](const char *jobs, char job) { return job != '\0' && std::strchr(jobs, job) != nullptr; };
  const bool both_in_a = is_one_of("Oo", job_u) && is_one_of("Oo", job_vt);
  if (!is_one_of("AaSsOoNn", job_u)) return 1;
  if (!is_one_of("AaSsOoNn", job_vt) || both_in_a) return 2;
  if (m < 0) return 3;
  if (n < 0) return 4;
  if (lda < std::max(1, m)) return 6;
  if (is_one_of("AaSs", job_u) && ldu < std::max(1, m)) return 9;
  return is_one_of("AaSs", job_vt) && ldvt < std::max(1, std::min(m, n)) ? 11 : 0;
}

template <class T>
cusolverStatus_t gesvd(cusolverDnHandle_t handle, char job_u, char job_vt, int m, int n, T *a, int lda, Real<T> *s,
                       T *u, int ldu, T *vt, int ldvt, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = wrong_of_gesvd(job_u, job_vt, m, n, lda, ldu, ldvt); bad != 0) return wrong(bad, info);
  if (0 < m && m < n) {  // as the documentation says, and an H200 does
    if (info != nullptr) *info = 0;
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  return run(handle, "cusolverDngesvd", 20.0 * m * n * std::min(m, n),
             [=] { singular_values(job_u, job_vt, m, n, a, lda, s, u, ldu, vt, ldvt, info); });
}

// With V itself, and all of its columns unless `thin`.
template <class T>
void singular_vectors(cusolverEigMode_t mode, bool thin, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu, T *v,
                      int ldv, int *info) {
  if (!is_finite(m, n, a, lda)) {  // Jacobi's method does not converge
    std::fill_n(s, std::min(m, n), std::numeric_limits<Real<T>>::quiet_NaN());
    if (info != nullptr) *info = std::min(m, n) + 1;
    return;
  }
  if (mode == CUSOLVER_EIG_MODE_NOVECTOR)
    return singular_values<T>('N', 'N', m, n, a, lda, s, nullptr, 1, nullptr, 1, info);
  const int rows = thin ? std::min(m, n) : n, leading = std::max(1, rows);
  std::vector<T> vt(static_cast<std::size_t>(leading) * std::max(1, n));
  const char job = thin ? 'S' : 'A';
  singular_values(job, job, m, n, a, lda, s, u, ldu, vt.data(), leading, info);
  conjugate_transpose(rows, n, vt.data(), leading, v, ldv);
}
// As wrong_of_gesvd.
int wrong_of_gesvdj(cusolverEigMode_t mode, int m, int n, int lda, int ldu, int ldv) {
  if (!is_mode(mode)) return 1;
  if (m < 0) return 3;
  if (n < 0) return 4;
  if (lda < std::max(1, m)) return 6;
  if (mode == CUSOLVER_EIG_MODE_NOVECTOR) return 0;
  if (ldu < std::max(1, m)) return 9;
  return ldv < std::max(1, n) ? 11 : 0;
}

template <class T>
cusolverStatus_t gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, int m, int n, T *a, int lda,
                        Real<T> *s, T *u, int ldu, T *v, int ldv, int *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (const int bad = wrong_of_gesvdj(mode, m, n, lda, ldu, ldv); bad != 0) return wrong(bad, info);
  return run(handle, "cusolverDngesvdj", 20.0 * m * n * std::min(m, n),
             [=] { singular_vectors(mode, econ != 0, m, n, a, lda, s, u, ldu, v, ldv, info); });
}
struct Strides {
  std::int64_t a, s, u, v;
};
template <class T>
cusolverStatus_t gesvdj_batched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, T *a, int lda,
                                Real<T> *s, T *u, int ldu, T *v, int ldv, int *info, int count) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (wrong_of_gesvdj(mode, m, n, lda, ldu, ldv) != 0 || count < 0) return CUSOLVER_STATUS_INVALID_VALUE;
  const Strides strides{std::int64_t{lda} * n, std::min(m, n), std::int64_t{ldu} * m, std::int64_t{ldv} * n};
  const double operations = 20.0 * m * n * std::min(m, n) * count;
  return run(handle, "cusolverDngesvdjBatched", operations, [=] {
    libraries::each_tile(static_cast<std::uint64_t>(count), operations, [=](std::uint64_t tile) {
      const auto i = static_cast<std::int64_t>(tile);
      singular_vectors(mode, false, m, n, a + i * strides.a, lda, s + i * strides.s, u + i * strides.u, ldu,
                       v + i * strides.v, ldv, info + i);
    });
  });
}

// The `rank` largest singular values of a tall matrix, which stays; the norm of what they leave out.
template <class T>
double largest(cusolverEigMode_t mode, int rank, int m, int n, const T *a, int lda, Real<T> *s, T *u, int ldu, T *v,
               int ldv, int *info) {
  const int all = std::min(m, n), leading = std::max(1, m), leading_v = std::max(1, n);
  std::vector<T> copy(a, a + static_cast<std::int64_t>(lda) * n), all_u(static_cast<std::size_t>(leading) * all),
      all_v(static_cast<std::size_t>(leading_v) * all);
  std::vector<Real<T>> values(static_cast<std::size_t>(all));
  singular_vectors(mode, true, m, n, copy.data(), lda, values.data(), all_u.data(), leading, all_v.data(), leading_v,
                   info);
  double left_out = 0;
  for (int j = 0; j < all; ++j) {
    if (j >= rank) {
      left_out += static_cast<double>(values[j]) * static_cast<double>(values[j]);
      continue;
    }
    s[j] = values[j];
    if (mode == CUSOLVER_EIG_MODE_NOVECTOR) continue;
    std::copy_n(all_u.data() + static_cast<std::int64_t>(j) * leading, m, u + static_cast<std::int64_t>(j) * ldu);
    std::copy_n(all_v.data() + static_cast<std::int64_t>(j) * leading_v, n, v + static_cast<std::int64_t>(j) * ldv);
  }
  return std::sqrt(left_out);
}
template <class T>
cusolverStatus_t gesvda(cusolverDnHandle_t handle, cusolverEigMode_t mode, int rank, int m, int n, const T *a, int lda,
                        Real<T> *s, T *u, int ldu, T *v, int ldv, int *info, double *residuals, int count,
                        Strides strides) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (m < n || rank < 0 || rank > n || count < 0 || wrong_of_gesvdj(mode, m, n, lda, ldu, ldv) != 0)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const double operations = 20.0 * m * n * std::min(m, n) * count;
  const cusolverStatus_t status = run(handle, "cusolverDngesvdaStridedBatched", operations, [=] {
    libraries::each_tile(static_cast<std::uint64_t>(count), operations, [=](std::uint64_t tile) {
      const auto i = static_cast<std::int64_t>(tile);
      const double left = largest(mode, rank, m, n, a + i * strides.a, lda, s + i * strides.s, u + i * strides.u, ldu,
                                  v + i * strides.v, ldv, info + i);
      if (residuals != nullptr) residuals[i] = left;
    });
  });
  // Residuals are for the host.
  return status != CUSOLVER_STATUS_SUCCESS || residuals == nullptr ? status
                                                                   : status_of(cudaStreamSynchronize(handle->stream));
}

template <class Info>
cusolverStatus_t create(Info **info) {
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *info = new Info;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

}  // namespace warploom::solver

using namespace warploom::solver;

#pragma GCC visibility push(default)
extern "C" {

#define PARAMETERS(I, i)                                                                                       \
  cusolverStatus_t cusolverDnCreate##I##Info(i##Info_t *info) { return create(info); }                         \
  cusolverStatus_t cusolverDnDestroy##I##Info(i##Info_t info) { return delete info, CUSOLVER_STATUS_SUCCESS; } \
  cusolverStatus_t cusolverDnX##i##SetTolerance(i##Info_t info, double) {                                      \
    return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;                          \
  }                                                                                                            \
  cusolverStatus_t cusolverDnX##i##SetMaxSweeps(i##Info_t info, int) {                                         \
    return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;                          \
  }                                                                                                            \
  cusolverStatus_t cusolverDnX##i##SetSortEig(i##Info_t info, int sorts) {                                     \
    return info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : (info->sorts = sorts, CUSOLVER_STATUS_SUCCESS);   \
  }
PARAMETERS(Syevj, syevj)
PARAMETERS(Gesvdj, gesvdj)
#undef PARAMETERS

#define EIGEN(L, T, R, EVD, EVJ, GVD)                                                                                  \
  cusolverStatus_t cusolverDn##L##EVD##_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n,   \
                                                   const T *, int, const R *, int *size) {                             \
    return set_size(h, n >= 0, size, 32 * std::max(1, n));                                                             \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##EVD(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill, int n,      \
                                      T *a, int lda, R *w, T *, int, int *info) {                                      \
    return syevd(h, mode, fill, n, a, lda, w, info);                                                                   \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##EVJ##_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t, int n,   \
                                                   const T *, int, const R *, int *size, syevjInfo_t) {                \
    return set_size(h, n >= 0, size, 32 * std::max(1, n));                                                             \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##EVJ(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill, int n,      \
                                      T *a, int lda, R *w, T *, int, int *info, syevjInfo_t) {                         \
    return syevj(h, mode, fill, n, a, lda, w, info);                                                                   \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##EVJ##Batched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, cublasFillMode_t,   \
                                                          int n, const T *, int, const R *, int *size, syevjInfo_t,    \
                                                          int) {                                                       \
    return set_size(h, n >= 0, size, 32 * std::max(1, n));                                                             \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##EVJ##Batched(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill,    \
                                               int n, T *a, int lda, R *w, T *, int, int *info, syevjInfo_t,           \
                                               int count) {                                                            \
    return syevd_batched(h, mode, fill, n, a, lda, w, info, count);                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##GVD##_bufferSize(cusolverDnHandle_t h, cusolverEigType_t, cusolverEigMode_t,         \
                                                   cublasFillMode_t, int n, const T *, int, const T *, int, const R *, \
                                                   int *size) {                                                        \
    return set_size(h, n >= 0, size, 32 * std::max(1, n));                                                             \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##GVD(cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode,            \
                                      cublasFillMode_t fill, int n, T *a, int lda, T *b, int ldb, R *w, T *, int,      \
                                      int *info) {                                                                     \
    return sygvd(h, type, mode, fill, n, a, lda, b, ldb, w, info);                                                     \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int *size) {                    \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, m + n));                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n, T *a, \
                                        int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *, int, R *, int *info) {     \
    return gesvd(h, static_cast<char>(jobu), static_cast<char>(jobvt), m, n, a, lda, s, u, ldu, vt, ldvt, info);       \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n,        \
                                                    const T *, int, const R *, const T *, int, const T *, int,         \
                                                    int *size, gesvdjInfo_t) {                                         \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, m + n));                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdj(cusolverDnHandle_t h, cusolverEigMode_t mode, int econ, int m, int n, T *a,   \
                                         int lda, R *s, T *u, int ldu, T *v, int ldv, T *, int, int *info,             \
                                         gesvdjInfo_t) {                                                               \
    return gesvdj(h, mode, econ, m, n, a, lda, s, u, ldu, v, ldv, info);                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdjBatched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t, int m, int n,      \
                                                           const T *, int, const R *, const T *, int, const T *, int,  \
                                                           int *size, gesvdjInfo_t, int) {                             \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, m + n));                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T *a,      \
                                                int lda, R *s, T *u, int ldu, T *v, int ldv, T *, int, int *info,      \
                                                gesvdjInfo_t, int count) {                                             \
    return gesvdj_batched(h, mode, m, n, a, lda, s, u, ldu, v, ldv, info, count);                                      \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdaStridedBatched_bufferSize(                                                     \
      cusolverDnHandle_t h, cusolverEigMode_t, int, int m, int n, const T *, int, long long int, const R *,            \
      long long int, const T *, int, long long int, const T *, int, long long int, int *size, int) {                   \
    return set_size(h, m >= 0 && n >= 0, size, 32 * std::max(1, m + n));                                               \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##L##gesvdaStridedBatched(                                                                \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int rank, int m, int n, const T *a, int lda, long long int sa,     \
      R *s, long long int ss, T *u, int ldu, long long int su, T *v, int ldv, long long int sv, T *, int, int *info,   \
      double *residuals, int count) {                                                                                  \
    return gesvda(h, mode, rank, m, n, a, lda, s, u, ldu, v, ldv, info, residuals, count, Strides{sa, ss, su, sv});    \
  }
EIGEN(S, float, float, syevd, syevj, sygvd)
EIGEN(D, double, double, syevd, syevj, sygvd)
EIGEN(C, cuComplex, float, heevd, heevj, hegvd)
EIGEN(Z, cuDoubleComplex, double, heevd, heevj, hegvd)
#undef EIGEN

}  // extern "C"
#pragma GCC visibility pop

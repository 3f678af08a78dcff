// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK's functions for the four types of numbers, and how calls of cuSOLVER become operations of a stream. LAPACK
// gets memory for its work from here: what the caller brings is not looked at.
#pragma once

#include <cusolverDn.h>
#include <cusolverSp.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "../common/openblas.h"
#include "../common/stream_work.h"

struct cusolverDnContext {
  std::atomic<cudaStream_t> stream{nullptr};
};
struct cusolverSpContext {
  std::atomic<cudaStream_t> stream{nullptr};
};

namespace warploom::solver {

template <class T>
struct Traits;
template <>
struct Traits<float> {
  using Real = float;
  static constexpr char kLetter = 's';
  static constexpr bool kIsComplex = false;
};
template <>
struct Traits<double> {
  using Real = double;
  static constexpr char kLetter = 'd';
  static constexpr bool kIsComplex = false;
};
template <>
struct Traits<cuComplex> {
  using Real = float;
  static constexpr char kLetter = 'c';
  static constexpr bool kIsComplex = true;
};
template <>
struct Traits<cuDoubleComplex> {
  using Real = double;
  static constexpr char kLetter = 'z';
  static constexpr bool kIsComplex = true;
};
template <class T>
using Real = typename Traits<T>::Real;
template <class T>
inline constexpr bool kIsComplex = Traits<T>::kIsComplex;

template <std::size_t size>
struct Name {
  char text[size];
  constexpr Name(const char (&from)[size]) { std::copy_n(from, size, text); }
};

// lapack<"potrf_", T>(...): the function of LAPACK for numbers of type T.
template <Name name, class T, class... Arguments>
void lapack(Arguments... arguments) {
  static const libraries::Fortran<void(Arguments...)> function(
      (std::string(1, Traits<T>::kLetter) + name.text).c_str());
  function(arguments...);
}
template <class T>
double real_part(const T &value) {
  if constexpr (kIsComplex<T>) {
    return value.x;
  } else {
    return value;
  }
}
// call(work, size): asks for the best size, then computes.
template <class T, class Call>
void with_work(Call call) {
  T best{};
  const int ask = -1;
  call(&best, &ask);
  const int size = std::max(1, static_cast<int>(real_part(best)));
  std::vector<T> work(static_cast<std::size_t>(size));
  call(work.data(), &size);
}

inline const char *letter(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER ? "L" : "U"; }
inline bool is_fill(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER; }
inline const char *letter(cublasOperation_t op) { return op == CUBLAS_OP_N ? "N" : op == CUBLAS_OP_T ? "T" : "C"; }
inline const char *letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? "L" : "R"; }
inline const char *letter(cusolverEigMode_t mode) { return mode == CUSOLVER_EIG_MODE_VECTOR ? "V" : "N"; }

inline cusolverStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUSOLVER_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_EXECUTION_FAILED;
}

// Parameter `number` (without the handle) is wrong: 0: none is.
inline cusolverStatus_t wrong(int number, int *info) {
  if (number == 0) return CUSOLVER_STATUS_SUCCESS;
  if (info != nullptr) *info = -number;
  return CUSOLVER_STATUS_INVALID_VALUE;
}

// Gives `body()` to the handle's stream; `operations`: of floating point, about.
template <class Handle, class Body>
cusolverStatus_t run(Handle handle, const char *name, double operations, Body &&body) {
  return status_of(libraries::enqueue(handle->stream, name, operations * 0.1, std::forward<Body>(body)));
}

inline double cube(double n) { return n * n * n; }

// Size of a work area, which callers like to allocate.
inline cusolverStatus_t set_size(cusolverDnHandle_t handle, bool is_valid, int *size, int wanted) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!is_valid || size == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *size = wanted;
  return CUSOLVER_STATUS_SUCCESS;
}

// The conjugate transpose of an m x n matrix.
template <class T>
void conjugate_transpose(int m, int n, const T *from, int ld_from, T *to, int ld_to) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      T value = from[i + static_cast<std::int64_t>(j) * ld_from];
      if constexpr (kIsComplex<T>) value.y = -value.y;
      to[j + static_cast<std::int64_t>(i) * ld_to] = value;
    }
  }
}

// Computations of the dense part, for both of its interfaces.
template <class T>
void cholesky(cublasFillMode_t fill, int n, T *a, int lda, int *info);
template <class T>
void lu(int m, int n, T *a, int lda, int *pivots, int *info);
template <class T>
void eigen(cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda, Real<T> *w, int *info);
// jobs as LAPACK's gesvd has them; vt: the conjugate transpose of V.
template <class T>
void singular_values(char job_u, char job_vt, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu, T *vt, int ldvt,
                     int *info);

}  // namespace warploom::solver

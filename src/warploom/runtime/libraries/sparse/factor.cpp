// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incomplete factors within the places that a matrix in rows has: LU, and Cholesky's of the lower triangle. Columns of
// a row are ascending.
#include <cmath>

#include "lines.h"
#include "pivots.h"

using namespace warploom::sparse;

namespace {

struct FactorInfo : PivotInfo {
  bool is_analysed = false;
  bool boosts = false;
  double tolerance = 0, boost_r = 0, boost_i = 0;
};

}  // namespace

struct csrilu02Info : FactorInfo {};
struct csric02Info : FactorInfo {};

namespace {

struct Pattern {
  int m, base;
  const int *rows, *cols;
  int begin(int row) const { return rows[row] - base; }
  int end(int row) const { return rows[row + 1] - base; }
  int col(int at) const { return cols[at] - base; }
  // Where row `row` has column `col`; -1: nowhere.
  int find(int row, int column) const {
    const int *const first = cols + begin(row), *const last = cols + end(row);
    const int *const found = std::lower_bound(first, last, column + base);
    return found != last && *found == column + base ? static_cast<int>(found - cols) : -1;
  }
};

template <class T>
double size_of(T value) {
  return std::abs(static_cast<double>(value));
}
template <class T>
double size_of(Complex<T> value) {
  return std::hypot(static_cast<double>(value.r), static_cast<double>(value.i));
}
template <class T>
T boosted(T, const FactorInfo &info) {
  return static_cast<T>(info.boost_r);
}
template <class T>
Complex<T> boosted(Complex<T>, const FactorInfo &info) {
  return {static_cast<T>(info.boost_r), static_cast<T>(info.boost_i)};
}

void set_pivot(const FactorInfo &info, const Pattern &p, int row) {
  int none = -1;
  info.pivot->compare_exchange_strong(none, row + p.base);
}

void analyse(const FactorInfo &info, const Pattern &p) {
  *info.pivot = -1;
  for (int row = 0; row < p.m; ++row) {
    if (p.find(row, row) < 0) return set_pivot(info, p, row);
  }
}

template <class T>
void factor_lu(const FactorInfo &info, const Pattern &p, T *values) {
  *info.pivot = -1;
  for (int row = 0; row < p.m; ++row) {
    for (int i = p.begin(row); i < p.end(row) && p.col(i) < row; ++i) {
      const int k = p.col(i), pivot = p.find(k, k);
      if (pivot < 0) continue;
      values[i] = values[i] / values[pivot];
      for (int j = pivot + 1; j < p.end(k); ++j) {
        const int to = p.find(row, p.col(j));
        if (to >= 0) values[to] = values[to] - values[i] * values[j];
      }
    }
    const int diagonal = p.find(row, row);
    if (diagonal >= 0 && info.boosts && size_of(values[diagonal]) <= info.tolerance)
      values[diagonal] = boosted(values[diagonal], info);
    if (diagonal < 0 || values[diagonal] == T(0)) set_pivot(info, p, row);
  }
}

template <class T>
T real_part(T value) {
  return value;
}
template <class T>
T real_part(Complex<T> value) {
  return value.r;
}

template <class T>
void factor_cholesky(const FactorInfo &info, const Pattern &p, T *values) {
  *info.pivot = -1;
  for (int row = 0; row < p.m; ++row) {
    T diagonal(0);
    for (int i = p.begin(row); i < p.end(row) && p.col(i) < row; ++i) {
      const int k = p.col(i), pivot = p.find(k, k);
      T sum = values[i];
      for (int j = p.begin(k); j < p.end(k) && p.col(j) < k; ++j) {
        const int from = p.find(row, p.col(j));
        if (from >= 0) sum = sum - values[from] * conjugate(values[j]);
      }
      values[i] = pivot < 0 ? sum : sum / values[pivot];
      diagonal = diagonal + values[i] * conjugate(values[i]);
    }
    const int at = p.find(row, row);
    if (at < 0) {
      set_pivot(info, p, row);
      continue;
    }
    // What is not positive is a pivot of zero, and goes on as the root of its magnitude, as on an H200.
    const auto square = real_part(values[at] - diagonal);
    values[at] = T(std::sqrt(std::abs(square)));
    if (!(square > 0)) set_pivot(info, p, row);
  }
}

cusparseStatus_t check(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc, const void *info) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || nnz < 0 || desc == nullptr || info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return desc->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSPARSE_STATUS_SUCCESS
                                                    : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

// With a work area, which is never empty.
cusparseStatus_t check(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc, const void *info,
                       const void *area) {
  const cusparseStatus_t status = check(handle, m, nnz, desc, info);
  return status == CUSPARSE_STATUS_SUCCESS && area == nullptr ? CUSPARSE_STATUS_INVALID_VALUE : status;
}

template <class Function>
cusparseStatus_t work(cusparseHandle_t handle, const char *name, int m, int nnz, const cusparseMatDescr_t desc,
                      const int *rows, const int *cols, const FactorInfo *info, Function function) {
  return run(handle, name, std::int64_t{nnz} * 32,
             [function, info = *info, p = Pattern{m, desc->base, rows, cols}] { function(info, p); });
}

cusparseStatus_t buffer(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc, const void *info,
                        int *size) {
  const cusparseStatus_t status = check(handle, m, nnz, desc, info);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 16;
  return status;
}

cusparseStatus_t factor_pivot(cusparseHandle_t handle, const FactorInfo *info, int *position) {
  if (handle != nullptr && info != nullptr && !info->is_analysed) return CUSPARSE_STATUS_INVALID_VALUE;
  return zero_pivot(handle, info, position);
}

cusparseStatus_t set_boost(cusparseHandle_t handle, FactorInfo *info, int enable, const double *tolerance, double r,
                           double i) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (info == nullptr || (enable != 0 && tolerance == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  info->boosts = enable != 0;
  if (info->boosts) info->tolerance = *tolerance, info->boost_r = r, info->boost_i = i;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info) { return create_object(info); }
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) { return destroy_object(info); }
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position) {
  return factor_pivot(handle, info, position);
}
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info) { return create_object(info); }
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info) { return destroy_object(info); }
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position) {
  return factor_pivot(handle, info, position);
}

#define FACTOR(NAME, INFO, GIVEN, T, FUNCTION)                                                                         \
  cusparseStatus_t NAME##_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc, GIVEN *,  \
                                     const int *, const int *, INFO info, int *size) {                                 \
    return buffer(handle, m, nnz, desc, info, size);                                                                   \
  }                                                                                                                    \
  cusparseStatus_t NAME##_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc,             \
                                   const GIVEN *, const int *rows, const int *cols, INFO info, cusparseSolvePolicy_t,  \
                                   void *area) {                                                                       \
    if (const auto status = check(handle, m, nnz, desc, info, area); status != CUSPARSE_STATUS_SUCCESS) return status; \
    info->is_analysed = true;                                                                                          \
    return work(handle, #NAME "_analysis", m, nnz, desc, rows, cols, info,                                             \
                [](const FactorInfo &i, const Pattern &p) { analyse(i, p); });                                         \
  }                                                                                                                    \
  cusparseStatus_t NAME(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t desc, GIVEN *values,         \
                        const int *rows, const int *cols, INFO info, cusparseSolvePolicy_t, void *area) {              \
    if (const auto status = check(handle, m, nnz, desc, info, area); status != CUSPARSE_STATUS_SUCCESS) return status; \
    if (!info->is_analysed) return CUSPARSE_STATUS_INTERNAL_ERROR;                                                     \
    return work(handle, #NAME, m, nnz, desc, rows, cols, info,                                                         \
                [values](const FactorInfo &i, const Pattern &p) { FUNCTION(i, p, reinterpret_cast<T *>(values)); });   \
  }
FACTOR(cusparseScsrilu02, csrilu02Info_t, float, float, factor_lu)
FACTOR(cusparseDcsrilu02, csrilu02Info_t, double, double, factor_lu)
FACTOR(cusparseCcsrilu02, csrilu02Info_t, cuComplex, Complex<float>, factor_lu)
FACTOR(cusparseZcsrilu02, csrilu02Info_t, cuDoubleComplex, Complex<double>, factor_lu)
FACTOR(cusparseScsric02, csric02Info_t, float, float, factor_cholesky)
FACTOR(cusparseDcsric02, csric02Info_t, double, double, factor_cholesky)
FACTOR(cusparseCcsric02, csric02Info_t, cuComplex, Complex<float>, factor_cholesky)
FACTOR(cusparseZcsric02, csric02Info_t, cuDoubleComplex, Complex<double>, factor_cholesky)
#undef FACTOR

#define BOOST(NAME, GIVEN, R, I)                                                                                     \
  cusparseStatus_t NAME(cusparseHandle_t handle, csrilu02Info_t info, int enable, double *tolerance, GIVEN *value) { \
    if (enable != 0 && value == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                       \
    return set_boost(handle, info, enable, tolerance, enable != 0 ? R : 0, enable != 0 ? I : 0);                     \
  }
BOOST(cusparseScsrilu02_numericBoost, float, *value, 0)
BOOST(cusparseDcsrilu02_numericBoost, double, *value, 0)
BOOST(cusparseCcsrilu02_numericBoost, cuComplex, value->x, value->y)
BOOST(cusparseZcsrilu02_numericBoost, cuDoubleComplex, value->x, value->y)
#undef BOOST

}  // extern "C"
#pragma GCC visibility pop

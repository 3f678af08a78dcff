// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factors of sparse matrices that the host takes apart, and factors made again and again (cusolverRf).
#include <cusolverRf.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "../common/matrix_description.h"
#include "band.h"

using namespace warploom::solver;

namespace {

// A row of what is left of the matrix, from column `first` on, and of L.
struct Row {
  int first = 0, origin = 0;
  std::vector<double> values;
  std::vector<std::pair<int, double>> lower;

  double get(int col) const {
    const int at = col - first;
    return at >= 0 && at < static_cast<int>(values.size()) ? values[at] : 0;
  }
  double &at(int col) {
    const auto index = static_cast<std::size_t>(col - first);
    if (index >= values.size()) values.resize(index + 1);
    return values[index];
  }
};

}  // namespace

struct csrluInfoHost {
  std::vector<Row> rows;  // row i of L and U
};

struct cusolverRfCommon {
  int n = 0;
  std::vector<int> rows, cols;
  std::vector<double> values;
  BandFactor<double> factor;
  bool is_factored = false;
  double zero = 0, boost = 0;
  cusolverRfFactorization_t factorization = CUSOLVERRF_FACTORIZATION_ALG0;
  cusolverRfTriangularSolve_t solve = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
};

namespace {

std::vector<Row> rows_of(const Pattern &p, const double *values) {
  std::vector<Row> rows(static_cast<std::size_t>(p.n));
  for (int row = 0; row < p.n; ++row) {
    Row &made = rows[row];
    made.origin = row;
    made.first = row;
    for (int i = p.begin(row); i < p.end(row); ++i) made.first = std::min(made.first, p.col(i));
    for (int i = p.begin(row); i < p.end(row); ++i) made.at(p.col(i)) += values[i];
  }
  return rows;
}

// The diagonal is the pivot if it is at least `threshold` of the largest value below it.
void factor(std::vector<Row> &rows, double threshold) {
  const int n = static_cast<int>(rows.size());
  int reach = 0;  // how far below the diagonal values are
  for (int row = 0; row < n; ++row) reach = std::max(reach, row - rows[row].first);
  for (int k = 0; k < n; ++k) {
    const int end = std::min(n, k + reach + 1);
    int pivot = k;
    for (int i = k + 1; i < end; ++i) {
      if (std::abs(rows[i].get(k)) > std::abs(rows[pivot].get(k))) pivot = i;
    }
    if (std::abs(rows[k].get(k)) < threshold * std::abs(rows[pivot].get(k))) std::swap(rows[k], rows[pivot]);
    const Row &upper = rows[k];
    const double diagonal = upper.get(k);
    const int last = upper.first + static_cast<int>(upper.values.size());
    for (int i = k + 1; i < end; ++i) {
      const double value = rows[i].get(k);
      if (value == 0 || diagonal == 0) continue;
      const double by = value / diagonal;
      rows[i].lower.emplace_back(k, by);
      for (int col = k + 1; col < last; ++col) {
        if (const double from = upper.get(col); from != 0) rows[i].at(col) -= by * from;
      }
    }
  }
}

// Visits U's values of a row, its diagonal first.
template <class Visit>
void for_upper(const Row &row, int index, Visit visit) {
  visit(index, row.get(index));
  for (int col = index + 1; col < row.first + static_cast<int>(row.values.size()); ++col) {
    if (const double value = row.get(col); value != 0) visit(col, value);
  }
}

cusolverStatus_t check(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc, const void *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return n < 0 || nnz < 0 || desc == nullptr || info == nullptr ? CUSOLVER_STATUS_INVALID_VALUE
                                                                : CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t keep(cusolverRfHandle_t handle, int n, int nnz, const int *rows, const int *cols,
                      const double *values) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || nnz < 0 || rows == nullptr || cols == nullptr || values == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return status_of(error);
  if (!Pattern{n, 0, rows, cols}.is_sound(nnz)) return CUSOLVER_STATUS_INVALID_VALUE;
  handle->n = n;
  handle->rows.assign(rows, rows + n + 1);
  handle->cols.assign(cols, cols + nnz);
  handle->values.assign(values, values + nnz);
  handle->is_factored = false;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info) {
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *info = new csrluInfoHost;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info) { return delete info, CUSOLVER_STATUS_SUCCESS; }
cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc,
                                              const int *, const int *, csrluInfoHost_t info) {
  return check(h, n, nnz, desc, info);
}
cusolverStatus_t cusolverSpDcsrluBufferInfoHost(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc,
                                                const double *, const int *, const int *, csrluInfoHost_t info,
                                                size_t *internal, size_t *workspace) {
  if (const cusolverStatus_t status = check(h, n, nnz, desc, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (internal == nullptr || workspace == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *internal = 0, *workspace = 256;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDcsrluFactorHost(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc,
                                            const double *values, const int *rows, const int *cols,
                                            csrluInfoHost_t info, double threshold, void *) {
  if (const cusolverStatus_t status = check(h, n, nnz, desc, info); status != CUSOLVER_STATUS_SUCCESS) return status;
  const Pattern pattern{n, desc->base, rows, cols};
  if (values == nullptr || !pattern.is_sound(nnz)) return CUSOLVER_STATUS_INVALID_VALUE;
  info->rows = rows_of(pattern, values);
  factor(info->rows, threshold);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDcsrluZeroPivotHost(cusolverSpHandle_t h, csrluInfoHost_t info, double tolerance,
                                               int *position) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || position == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *position = -1;
  for (int i = static_cast<int>(info->rows.size()) - 1; i >= 0; --i) {
    if (!(std::abs(info->rows[i].get(i)) > tolerance)) *position = i;
  }
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDcsrluSolveHost(cusolverSpHandle_t h, int n, const double *b, double *x,
                                           csrluInfoHost_t info, void *) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || static_cast<int>(info->rows.size()) != n || b == nullptr || x == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<double> y(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    y[i] = b[info->rows[i].origin];
    for (const auto &[col, value] : info->rows[i].lower) y[i] -= value * y[col];
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = y[i];
    for_upper(info->rows[i], i, [&](int col, double value) { sum -= col == i ? 0 : value * y[col]; });
    y[i] = sum / info->rows[i].get(i);
  }
  std::copy(y.begin(), y.end(), x);
  return CUSOLVER_STATUS_SUCCESS;
}
// L's diagonal of ones is not stored.
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t h, int *lower, int *upper, csrluInfoHost_t info) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || lower == nullptr || upper == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *lower = *upper = 0;
  for (int i = 0; i < static_cast<int>(info->rows.size()); ++i) {
    *lower += static_cast<int>(info->rows[i].lower.size());
    for_upper(info->rows[i], i, [&](int, double) { ++*upper; });
  }
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDcsrluExtractHost(cusolverSpHandle_t h, int *p, int *q, const cusparseMatDescr_t lower_desc,
                                             double *lower, int *lower_rows, int *lower_cols,
                                             const cusparseMatDescr_t upper_desc, double *upper, int *upper_rows,
                                             int *upper_cols, csrluInfoHost_t info, void *) {
  if (h == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (info == nullptr || lower_desc == nullptr || upper_desc == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  for (const void *const output :
       {static_cast<void *>(p), static_cast<void *>(q), static_cast<void *>(lower), static_cast<void *>(lower_rows),
        static_cast<void *>(lower_cols), static_cast<void *>(upper), static_cast<void *>(upper_rows),
        static_cast<void *>(upper_cols)}) {
    if (output == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  }
  const int n = static_cast<int>(info->rows.size());
  int l = 0, u = 0;
  for (int i = 0; i < n; ++i) {
    Row &row = info->rows[i];
    p[i] = row.origin, q[i] = i;
    lower_rows[i] = l + lower_desc->base, upper_rows[i] = u + upper_desc->base;
    std::sort(row.lower.begin(), row.lower.end());
    for (const auto &[col, value] : row.lower) lower[l] = value, lower_cols[l++] = col + lower_desc->base;
    for_upper(row, i, [&](int col, double value) { upper[u] = value, upper_cols[u++] = col + upper_desc->base; });
  }
  lower_rows[n] = l + lower_desc->base, upper_rows[n] = u + upper_desc->base;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!warploom::libraries::load_openblas()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverRfCommon;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero, double boost) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->zero = zero, handle->boost = boost;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle, cusolverRfFactorization_t factorization,
                                   cusolverRfTriangularSolve_t solve) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->factorization = factorization, handle->solve = solve;
  return CUSOLVER_STATUS_SUCCESS;
}
// The matrix itself is factored anew: how L and U are given does not matter.
cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle, cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return format == CUSOLVERRF_MATRIX_FORMAT_CSR ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_SUPPORTED;
}
cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t) {
  return handle == nullptr ? CUSOLVER_STATUS_NOT_INITIALIZED : CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfSetupHost(int n, int nnz, int *rows, int *cols, double *values, int, int *, int *, double *,
                                     int, int *, int *, double *, int *, int *, cusolverRfHandle_t handle) {
  return keep(handle, n, nnz, rows, cols, values);
}
cusolverStatus_t cusolverRfSetupDevice(int n, int nnz, int *rows, int *cols, double *values, int, int *, int *,
                                       double *, int, int *, int *, double *, int *, int *, cusolverRfHandle_t handle) {
  return keep(handle, n, nnz, rows, cols, values);
}
cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  return handle->rows.empty() ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverRfResetValues(int n, int nnz, int *rows, int *cols, double *values, int *, int *,
                                       cusolverRfHandle_t handle) {
  return keep(handle, n, nnz, rows, cols, values);
}
cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (handle->rows.empty()) return CUSOLVER_STATUS_INVALID_VALUE;
  const Pattern pattern{handle->n, 0, handle->rows.data(), handle->cols.data()};
  if (!handle->factor.analyse(pattern)) return CUSOLVER_STATUS_ALLOC_FAILED;
  handle->factor.factor(pattern, handle->values.data(), false, 0);
  handle->is_factored = true;
  return handle->factor.singular_row(handle->zero) < 0 ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ZERO_PIVOT;
}
cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *, int *, int nrhs, double *, int, double *x, int ldx) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (!handle->is_factored || nrhs < 0 || x == nullptr || ldx < handle->n) return CUSOLVER_STATUS_INVALID_VALUE;
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return status_of(error);
  for (int j = 0; j < nrhs; ++j) handle->factor.solve(x + std::int64_t{j} * ldx, x + std::int64_t{j} * ldx);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of two matrices in rows, alpha A + beta B: first where values are, then the values. Columns of a row come out
// in ascending order; those that a row has twice become one.
#include "lines.h"

using namespace warploom::sparse;

namespace {

struct Rows {
  int nnz, base;
  const int *offsets, *cols;
  int begin(int row) const { return offsets[row] - base; }
  int end(int row) const { return offsets[row + 1] - base; }
  int col(int at) const { return cols[at] - base; }
};

// The columns of a row of both, in order.
void columns_of(const Rows &a, const Rows &b, int row, int n, std::vector<int> &cols) {
  cols.clear();
  for (const Rows *each : {&a, &b})
    for (int i = each->begin(row); i < each->end(row); ++i)
      if (each->col(i) >= 0 && each->col(i) < n) cols.push_back(each->col(i));
  std::sort(cols.begin(), cols.end());
  cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
}

void count(int m, int n, const Rows &a, const Rows &b, int base, int *offsets, int *total) {
  std::vector<int> cols;
  offsets[0] = base;
  for (int row = 0; row < m; ++row) {
    columns_of(a, b, row, n, cols);
    offsets[row + 1] = offsets[row] + static_cast<int>(cols.size());
  }
  if (total != nullptr) *total = offsets[m] - base;
}

template <class T>
void add(int m, int n, T alpha, const Rows &a, const T *a_values, T beta, const Rows &b, const T *b_values, int base,
         T *values, const int *offsets, int *indices) {
  each_lines(m, a.nnz + b.nnz, [&](std::int64_t first, std::int64_t last) {
    std::vector<int> cols;
    for (int row = static_cast<int>(first); row < static_cast<int>(last); ++row) {
      columns_of(a, b, row, n, cols);
      const int start = offsets[row] - base;
      const auto place = [&](int col) {
        return start + static_cast<int>(std::lower_bound(cols.begin(), cols.end(), col) - cols.begin());
      };
      for (std::size_t i = 0; i < cols.size(); ++i)
        indices[start + static_cast<int>(i)] = cols[i] + base, values[start + static_cast<int>(i)] = T(0);
      for (int i = a.begin(row); i < a.end(row); ++i)
        if (a.col(i) >= 0 && a.col(i) < n) values[place(a.col(i))] += alpha * a_values[i];
      for (int i = b.begin(row); i < b.end(row); ++i)
        if (b.col(i) >= 0 && b.col(i) < n) values[place(b.col(i))] += beta * b_values[i];
    }
  });
}

cusparseStatus_t check(cusparseHandle_t handle, int m, int n, int nnz_a, int nnz_b,
                       std::initializer_list<cusparseMatDescr_t> descs) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz_a < 0 || nnz_b < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  for (const cusparseMatDescr_t desc : descs) {
    if (desc == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    if (desc->type != CUSPARSE_MATRIX_TYPE_GENERAL) return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  }
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T, class Given>
cusparseStatus_t sum(cusparseHandle_t handle, const char *name, int m, int n, const Given *alpha,
                     const cusparseMatDescr_t desc_a, const Rows &a, const Given *a_values, const Given *beta,
                     const cusparseMatDescr_t desc_b, const Rows &b, const Given *b_values,
                     const cusparseMatDescr_t desc_c, Given *values, const int *offsets, int *indices,
                     cudaDataType type) {
  const auto status = check(handle, m, n, a.nnz, b.nnz, {desc_a, desc_b, desc_c});
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar s(handle, alpha, type), t(handle, beta, type);
  return run(handle, name, a.nnz + b.nnz, [=, base = static_cast<int>(desc_c->base)] {
    add(m, n, s.get<T>(), a, reinterpret_cast<const T *>(a_values), t.get<T>(), b,
        reinterpret_cast<const T *>(b_values), base, reinterpret_cast<T *>(values), offsets, indices);
  });
}

int base_of(const cusparseMatDescr_t desc) { return desc != nullptr ? desc->base : 0; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t desc_a, int nnz_a,
                                      const int *rows_a, const int *cols_a, const cusparseMatDescr_t desc_b, int nnz_b,
                                      const int *rows_b, const int *cols_b, const cusparseMatDescr_t desc_c,
                                      int *rows_c, int *total, void *) {
  const auto status = check(h, m, n, nnz_a, nnz_b, {desc_a, desc_b, desc_c});
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const Rows a = {nnz_a, base_of(desc_a), rows_a, cols_a}, b = {nnz_b, base_of(desc_b), rows_b, cols_b};
  const auto body = [=, base = base_of(desc_c)] { count(m, n, a, b, base, rows_c, total); };
  const std::int64_t values = std::int64_t{nnz_a} + nnz_b;
  return h->mode == CUSPARSE_POINTER_MODE_HOST ? run_and_wait(h, "cusparseXcsrgeam2Nnz", values, body)
                                               : run(h, "cusparseXcsrgeam2Nnz", values, body);
}

#define SUM(LETTER, GIVEN, T, TYPE)                                                                                    \
  cusparseStatus_t cusparse##LETTER##csrgeam2_bufferSizeExt(                                                           \
      cusparseHandle_t h, int m, int n, const GIVEN *, const cusparseMatDescr_t desc_a, int nnz_a, const GIVEN *,      \
      const int *, const int *, const GIVEN *, const cusparseMatDescr_t desc_b, int nnz_b, const GIVEN *, const int *, \
      const int *, const cusparseMatDescr_t desc_c, const GIVEN *, const int *, const int *, size_t *size) {           \
    const auto status = check(h, m, n, nnz_a, nnz_b, {desc_a, desc_b, desc_c});                                        \
    if (status == CUSPARSE_STATUS_SUCCESS && size != nullptr) *size = 16;                                              \
    return status == CUSPARSE_STATUS_SUCCESS && size == nullptr ? CUSPARSE_STATUS_INVALID_VALUE : status;              \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##csrgeam2(                                                                         \
      cusparseHandle_t h, int m, int n, const GIVEN *alpha, const cusparseMatDescr_t desc_a, int nnz_a,                \
      const GIVEN *values_a, const int *rows_a, const int *cols_a, const GIVEN *beta, const cusparseMatDescr_t desc_b, \
      int nnz_b, const GIVEN *values_b, const int *rows_b, const int *cols_b, const cusparseMatDescr_t desc_c,         \
      GIVEN *values_c, int *rows_c, int *cols_c, void *) {                                                             \
    return sum<T>(h, "cusparse" #LETTER "csrgeam2", m, n, alpha, desc_a, {nnz_a, base_of(desc_a), rows_a, cols_a},     \
                  values_a, beta, desc_b, {nnz_b, base_of(desc_b), rows_b, cols_b}, values_b, desc_c, values_c,        \
                  rows_c, cols_c, TYPE);                                                                               \
  }
SUM(S, float, float, CUDA_R_32F)
SUM(D, double, double, CUDA_R_64F)
SUM(C, cuComplex, Complex<float>, CUDA_C_32F)
SUM(Z, cuDoubleComplex, Complex<double>, CUDA_C_64F)
#undef SUM

}  // extern "C"
#pragma GCC visibility pop

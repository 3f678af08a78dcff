// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From one format of matrices to another, and sorting.
#include <numeric>

#include "lines.h"

using namespace warploom::sparse;

namespace {

template <class T>
bool is_zero(const T &value) {
  return load(value) == Work<T>(0);
}

template <class T>
std::int64_t count_in_line(const cusparseDnMatDescr &a, bool by_rows, std::int64_t line) {
  const T *const values = static_cast<const T *>(a.values);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < (by_rows ? a.cols : a.rows); ++i) {
    count += !is_zero(values[(by_rows ? line : i) * a.row_step() + (by_rows ? i : line) * a.col_step()]);
  }
  return count;
}

bool has_lines(const cusparseSpMatDescr &b) {
  return b.format == CUSPARSE_FORMAT_CSR || b.format == CUSPARSE_FORMAT_CSC || b.format == CUSPARSE_FORMAT_COO;
}

// Offsets of the lines of a dense matrix's values that are not 0.
template <class T>
std::vector<std::int64_t> offsets_of(const cusparseDnMatDescr &a, bool by_rows) {
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t line = 0; line < (by_rows ? a.rows : a.cols); ++line)
    offsets.push_back(offsets.back() + count_in_line<T>(a, by_rows, line));
  return offsets;
}

template <class T>
void write_sparse(const cusparseDnMatDescr &a, const cusparseSpMatDescr &b) {
  const bool by_rows = b.format != CUSPARSE_FORMAT_CSC;
  const T *const values = static_cast<const T *>(a.values);
  std::int64_t at = 0;
  for (std::int64_t line = 0; line < (by_rows ? a.rows : a.cols); ++line) {
    for (std::int64_t i = 0; i < (by_rows ? a.cols : a.rows); ++i) {
      const T &value = values[(by_rows ? line : i) * a.row_step() + (by_rows ? i : line) * a.col_step()];
      if (is_zero(value)) continue;
      if (b.format == CUSPARSE_FORMAT_COO) set_index(b.offsets, b.index_type, at, line + b.base);
      set_index(b.indices, b.index_type, at, i + b.base);
      static_cast<T *>(b.values)[at++] = value;
    }
  }
}

template <class T>
void write_dense(const cusparseSpMatDescr &a, const cusparseDnMatDescr &b) {
  T *const values = static_cast<T *>(b.values);
  for (std::int64_t row = 0; row < b.rows; ++row) {
    for (std::int64_t col = 0; col < b.cols; ++col) values[row * b.row_step() + col * b.col_step()] = T{};
  }
  bool outside = false;
  Lines<T>::for_entries(a, 0, [&](std::int64_t row, std::int64_t col, const T &value) {
    if (row < 0 || row >= b.rows || col < 0 || col >= b.cols) {
      outside = true;
    } else {
      values[row * b.row_step() + col * b.col_step()] = value;
    }
  });
  if (outside) tell_outside("cusparseSparseToDense");
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseConstDnMatDescr_t dense, cusparseConstSpMatDescr_t sparse) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (dense == nullptr || sparse == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (dense->rows != sparse->rows || dense->cols != sparse->cols) return CUSPARSE_STATUS_INVALID_VALUE;
  return dense->type == sparse->type && is_value_type(dense->type) ? CUSPARSE_STATUS_SUCCESS
                                                                   : CUSPARSE_STATUS_NOT_SUPPORTED;
}
cusparseStatus_t no_buffer(cusparseStatus_t status, size_t *size) {
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 0;
  return status;
}

// Whether rows follow one another within `nnz` values.
bool are_rows(int m, int nnz, const int *rows, int base) {
  if (rows[0] < base || rows[m] - base > nnz) return false;
  for (int row = 0; row < m; ++row) {
    if (rows[row] > rows[row + 1]) return false;
  }
  return true;
}

// The transpose of a matrix in rows: values of a column in the order of their rows.
void transpose(int m, int n, int nnz, const void *values, const int *rows, const int *cols, void *to_values,
               int *to_offsets, int *to_indices, std::size_t size, int base) {
  std::vector<int> next(static_cast<std::size_t>(n) + 1, 0);
  if (!are_rows(m, nnz, rows, base)) return tell_outside("cusparseCsr2cscEx2");
  for (int i = rows[0] - base; i < rows[m] - base; ++i) {
    const int col = cols[i] - base;
    if (col < 0 || col >= n) return tell_outside("cusparseCsr2cscEx2");
    ++next[col + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (int col = 0; col <= n; ++col) to_offsets[col] = next[col] + base;
  for (int row = 0; row < m; ++row) {
    for (int i = rows[row] - base; i < rows[row + 1] - base; ++i) {
      const int to = next[cols[i] - base]++;
      to_indices[to] = row + base;
      if (to_values == nullptr) continue;
      std::memcpy(static_cast<char *>(to_values) + to * size, static_cast<const char *>(values) + i * size, size);
    }
  }
}

// Sorts keys[first..last) and lets a permutation go along; equal ones keep their order.
template <class Less>
void sort_with(std::int64_t first, std::int64_t last, Less less, std::initializer_list<int *> arrays) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(last - first));
  std::iota(order.begin(), order.end(), first);
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<int> copy(order.size());
  for (int *const array : arrays) {
    if (array == nullptr) continue;
    for (std::size_t i = 0; i < order.size(); ++i) copy[i] = array[order[i]];
    std::copy(copy.begin(), copy.end(), array + first);
  }
}

cusparseStatus_t sort_lines(cusparseHandle_t handle, const char *name, int lines, int nnz, const int *offsets,
                            int *indices, int *p) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (lines < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, name, std::int64_t{nnz} * 16, [=] {
    const int base = lines > 0 ? offsets[0] : 0;
    for (int line = 0; line < lines; ++line) {
      sort_with(offsets[line] - base, offsets[line + 1] - base,
                [=](std::int64_t a, std::int64_t b) { return indices[a] < indices[b]; }, {p, indices});
    }
  });
}
cusparseStatus_t sort_pairs(cusparseHandle_t handle, const char *name, int nnz, int *first, int *second, int *p) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, name, std::int64_t{nnz} * 32, [=] {
    sort_with(
        0, nnz,
        [=](std::int64_t a, std::int64_t b) { return std::pair(first[a], second[a]) < std::pair(first[b], second[b]); },
        {p, first, second});
  });
}
bool is_base(cusparseIndexBase_t base) { return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE; }

cusparseStatus_t sort_buffer(cusparseHandle_t handle, size_t *size) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 16;
  return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
cusparseStatus_t count_values(cusparseHandle_t handle, const char *name, cusparseDirection_t direction, int m, int n,
                              const void *dense, int ld, int *per_line, int *total) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (direction != CUSPARSE_DIRECTION_ROW && direction != CUSPARSE_DIRECTION_COLUMN)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool by_rows = direction == CUSPARSE_DIRECTION_ROW;
  const bool reads = m > 0 && n > 0, writes = (by_rows ? m : n) > 0;
  if (m < 0 || n < 0 || ld < std::max(1, m) || total == nullptr || (reads && dense == nullptr) ||
      (writes && per_line == nullptr)) {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  const auto body = [=] {
    const T *const values = static_cast<const T *>(dense);
    int sum = 0;
    std::fill(per_line, per_line + (by_rows ? m : n), 0);
    for (int col = 0; col < n; ++col) {
      for (int row = 0; row < m; ++row) {
        const int count = is_zero(values[row + static_cast<std::int64_t>(col) * ld]) ? 0 : 1;
        per_line[by_rows ? row : col] += count;
        sum += count;
      }
    }
    *total = sum;
  };
  const std::int64_t values = std::int64_t{m} * n;
  return handle->mode == CUSPARSE_POINTER_MODE_DEVICE ? run(handle, name, values, body)
                                                      : run_and_wait(handle, name, values, body);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, size_t *size) {
  return no_buffer(check(handle, a, b), size);
}
// The number of values is for the host: it waits for them.
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
  const cusparseStatus_t status = check(handle, a, b);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!has_lines(*b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const auto nnz = std::make_shared<std::int64_t>(0);
  const cusparseStatus_t done =
      run_and_wait(handle, "cusparseDenseToSparse_analysis", a->rows * a->cols, [nnz, a = *a, b = *b] {
        with_value_type(a.type, [&]<class T>(Tag<T>) {
          const std::vector<std::int64_t> offsets = offsets_of<T>(a, b.format != CUSPARSE_FORMAT_CSC);
          *nnz = offsets.back();
          for (std::size_t i = 0; b.format != CUSPARSE_FORMAT_COO && i < offsets.size(); ++i) {
            set_index(b.offsets, b.offset_type, static_cast<std::int64_t>(i), offsets[i] + b.base);
          }
        });
      });
  if (done == CUSPARSE_STATUS_SUCCESS) b->nnz = *nnz;
  return done;
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
  const cusparseStatus_t status = check(handle, a, b);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!has_lines(*b)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return run(handle, "cusparseDenseToSparse_convert", a->rows * a->cols,
             [a = *a, b = *b] { with_value_type(a.type, [&]<class T>(Tag<T>) { write_sparse<T>(a, b); }); });
}
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, size_t *size) {
  return no_buffer(check(handle, b, a), size);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void *) {
  const cusparseStatus_t status = check(handle, b, a);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseSparseToDense", b->rows * b->cols,
             [a = *a, b = *b] { with_value_type(a.type, [&]<class T>(Tag<T>) { write_dense<T>(a, b); }); });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int, int, const void *, const int *,
                                               const int *, void *, int *, int *, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t algorithm, size_t *size) {
  if (handle != nullptr && algorithm != CUSPARSE_CSR2CSC_ALG1) return CUSPARSE_STATUS_INVALID_VALUE;
  return sort_buffer(handle, size);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *rows,
                                    const int *cols, void *cv, int *cr, int *cc, cudaDataType type,
                                    cusparseAction_t action, cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm,
                                    void *) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nnz < 0 || algorithm != CUSPARSE_CSR2CSC_ALG1) return CUSPARSE_STATUS_INVALID_VALUE;
  std::size_t size = type == CUDA_R_8I ? 1 : 0;
  with_value_type(type, [&]<class T>(Tag<T>) { size = sizeof(T); });
  if (size == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  void *const to = action == CUSPARSE_ACTION_NUMERIC ? cv : nullptr;
  return run(handle, "cusparseCsr2cscEx2", std::int64_t{nnz} * 4,
             [=] { transpose(m, n, nnz, values, rows, cols, to, cr, cc, size, base); });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
                                  cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nnz < 0 || m < 0 || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcoo2csr", std::int64_t{nnz} + m, [=] {
    std::fill(offsets, offsets + m + 1, 0);
    bool outside = false;
    for (int i = 0; i < nnz; ++i) {
      const int row = rows[i] - base;
      row < 0 || row >= m ? outside = true : (++offsets[row + 1], false);
    }
    offsets[0] = base;
    for (int row = 0; row < m; ++row) offsets[row + 1] += offsets[row];
    if (outside) tell_outside("cusparseXcoo2csr");
  });
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
                                  cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nnz < 0 || m < 0 || !is_base(base)) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseXcsr2coo", nnz, [=] {
    for (int row = 0; row < m; ++row) {
      for (int i = std::max(0, offsets[row] - base); i < std::min(nnz, offsets[row + 1] - base); ++i)
        rows[i] = row + base;
    }
  });
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (n < 0 || (n > 0 && p == nullptr)) return CUSPARSE_STATUS_INVALID_VALUE;
  return run(handle, "cusparseCreateIdentityPermutation", n, [=] { std::iota(p, p + n, 0); });
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int *, const int *,
                                                size_t *size) {
  return sort_buffer(handle, size);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int, int nnz, const cusparseMatDescr_t,
                                  const int *rows, int *cols, int *p, void *) {
  return sort_lines(handle, "cusparseXcsrsort", m, nnz, rows, cols, p);
}
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int *, const int *,
                                                size_t *size) {
  return sort_buffer(handle, size);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int, int n, int nnz, const cusparseMatDescr_t,
                                  const int *cols, int *rows, int *p, void *) {
  return sort_lines(handle, "cusparseXcscsort", n, nnz, cols, rows, p);
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int *, const int *,
                                                size_t *size) {
  return sort_buffer(handle, size);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int, int, int nnz, int *rows, int *cols, int *p,
                                       void *) {
  return sort_pairs(handle, "cusparseXcoosortByRow", nnz, rows, cols, p);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int, int, int nnz, int *rows, int *cols, int *p,
                                          void *) {
  return sort_pairs(handle, "cusparseXcoosortByColumn", nnz, cols, rows, p);
}

#define COUNT(NAME, GIVEN, T)                                                                              \
  cusparseStatus_t NAME(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,              \
                        const cusparseMatDescr_t, const GIVEN *dense, int ld, int *per_line, int *total) { \
    return count_values<T>(handle, #NAME, direction, m, n, dense, ld, per_line, total);                    \
  }
COUNT(cusparseSnnz, float, float)
COUNT(cusparseDnnz, double, double)
COUNT(cusparseCnnz, cuComplex, Complex<float>)
COUNT(cusparseZnnz, cuDoubleComplex, Complex<double>)
#undef COUNT

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse matrices with dense vectors and matrices. Each result is one sum in the order of its row.
#include <algorithm>
#include <initializer_list>
#include <type_traits>

#include "lines.h"

using namespace warploom::sparse;

namespace {

// What is written where y was: alpha times a sum, and beta times y unless beta is 0.
template <class W>
W update(W alpha, W sum, W beta, W before) {
  return beta == W(0) ? alpha * sum : alpha * sum + beta * before;
}

template <class T>
Work<T> dot_of_row(const Lines<T> &a, std::int64_t row, const T *x, bool &outside) {
  const std::int64_t end = a.end(row);
  Work<T> sum[4] = {Work<T>(0), Work<T>(0), Work<T>(0), Work<T>(0)};
  for (std::int64_t i = a.begin(row), k = 0; i < end; ++i, ++k) {
    const std::int64_t col = a.col(i);
    if (a.is_inside(col)) {
      sum[k % 4] += a.value(i) * load(x[col]);
    } else {
      outside = true;
    }
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
// Rows of what most matrices are, some at a time: each(row, sum). A copy of `each`, which no store changes.
template <class T, class Each>
bool dot_short_rows(const Lines<T> &a, std::int64_t first, std::int64_t last, const T *x, const Each each) {
  constexpr std::int64_t kRows = 256;
  T sums[kRows];
  bool outside = false;
  for (std::int64_t row = first; row < last; row += kRows) {
    const std::int64_t end = std::min(last, row + kRows);
    outside |= row_kernels(T()).multiply(a.short_rows(), row, end, x, sums);
    for (std::int64_t i = row; i < end; ++i) each(i, sums[i - row]);
  }
  return outside;
}

template <class T, class Y>
void multiply_vector(const cusparseSpMatDescr &matrix, cusparseOperation_t op, Work<T> alpha, const T *x, Work<T> beta,
                     Y *y) {
  const auto scale = [alpha, beta, y](std::int64_t i, Work<T> sum) {
    y[i] = Number<Y>::store(update(alpha, sum, beta, beta == Work<T>(0) ? Work<T>(0) : load(y[i])));
  };
  if (alpha == Work<T>(0)) {
    const std::int64_t rows = op == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix.rows : matrix.cols;
    for (std::int64_t i = 0; i < rows; ++i)
      y[i] = Number<Y>::store(beta == Work<T>(0) ? Work<T>(0) : beta * load(y[i]));
    return;
  }
  const Lines<T> a(matrix, op, "cusparseSpMV");
  std::atomic<bool> any_outside = false;
  each_lines(a.rows, a.size(), [&](std::int64_t first, std::int64_t last) {
    bool outside = false;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (a.has_short_rows()) {
        if constexpr (std::is_same_v<T, Y>) {
          if (alpha == T(1) && beta == T(0)) {  // the sums are the result
            if (row_kernels(T()).multiply(a.short_rows(), first, last, x, y + first)) any_outside = true;
            return;
          }
        }
        if (dot_short_rows(a, first, last, x, scale)) any_outside = true;
        return;
      }
    }
    for (std::int64_t row = first; row < last; ++row) scale(row, dot_of_row(a, row, x, outside));
    if (outside) any_outside = true;
  });
  if (any_outside) tell_outside("cusparseSpMV");
}

// A dense matrix or its transpose, within a batch.
template <class T>
struct Dense {
  T *values;
  std::int64_t rows, cols, row_step, col_step;
  bool conjugated = false;

  Dense(const cusparseDnMatDescr &m, cusparseOperation_t op, int batch) {
    values = static_cast<T *>(m.values) + batch * m.batch_stride;
    rows = m.rows, cols = m.cols, row_step = m.row_step(), col_step = m.col_step();
    conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    if (op != CUSPARSE_OPERATION_NON_TRANSPOSE) std::swap(rows, cols), std::swap(row_step, col_step);
  }
  Work<T> get(std::int64_t row, std::int64_t col) const {
    const Work<T> value = load(values[row * row_step + col * col_step]);
    return conjugated ? conjugate(value) : value;
  }
};

constexpr std::int64_t kBlock = 16;  // columns at a time

template <class T, class Y>
void multiply_row(const Lines<T> &a, std::int64_t row, const Dense<T> &b, Work<T> alpha, Work<T> beta,
                  const Dense<Y> &c, bool &outside) {
  const std::int64_t begin = a.begin(row), end = a.end(row);
  for (std::int64_t col = 0; col < c.cols; col += kBlock) {
    const std::int64_t count = std::min(kBlock, c.cols - col);
    Work<T> sum[kBlock];
    std::fill(sum, sum + kBlock, Work<T>(0));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t k = a.col(i);
      if (!a.is_inside(k)) {
        outside = true;
        continue;
      }
      const Work<T> value = a.value(i);
      if (count == kBlock && b.col_step == 1 && !b.conjugated) {
        const T *const from = b.values + k * b.row_step + col;
        for (std::int64_t j = 0; j < kBlock; ++j) sum[j] += value * load(from[j]);
      } else {
        for (std::int64_t j = 0; j < count; ++j) sum[j] += value * b.get(k, col + j);
      }
    }
    for (std::int64_t j = 0; j < count; ++j) {
      Y &to = c.values[row * c.row_step + (col + j) * c.col_step];
      to = Number<Y>::store(update(alpha, sum[j], beta, beta == Work<T>(0) ? Work<T>(0) : load(to)));
    }
  }
}

template <class T, class Y>
void multiply_matrix(const cusparseSpMatDescr &a, cusparseOperation_t op, const cusparseDnMatDescr &b,
                     cusparseOperation_t op_b, Work<T> alpha, Work<T> beta, const cusparseDnMatDescr &c) {
  const int batches = std::max(1, c.batches);
  for (int batch = 0; batch < batches; ++batch) {
    const Lines<T> lines(a, op, "cusparseSpMM", a.batches > 1 ? batch : 0);
    const Dense<T> from(b, op_b, b.batches > 1 ? batch : 0);
    const Dense<Y> to(c, CUSPARSE_OPERATION_NON_TRANSPOSE, batch);
    std::atomic<bool> any_outside = false;
    const auto rows = [&](std::int64_t first, std::int64_t last) {
      bool outside = false;
      for (std::int64_t row = first; row < last; ++row) multiply_row(lines, row, from, alpha, beta, to, outside);
      if (outside) any_outside = true;
    };
    each_lines(lines.rows, lines.size() * to.cols, rows, 32);
    if (any_outside) tell_outside("cusparseSpMM");
  }
}

template <class T>
void sample_product(const cusparseSpMatDescr &c, const cusparseDnMatDescr &a, cusparseOperation_t op_a,
                    const cusparseDnMatDescr &b, cusparseOperation_t op_b, Work<T> alpha, Work<T> beta) {
  for (int batch = 0; batch < std::max(1, c.batches); ++batch) {
    const Dense<T> left(a, op_a, a.batches > 1 ? batch : 0), right(b, op_b, b.batches > 1 ? batch : 0);
    T *const values = static_cast<T *>(c.values) + batch * c.values_stride;
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    bool outside = false;
    Lines<T>::for_entries(c, batch,
                          [&](std::int64_t row, std::int64_t col, const T &) { places.emplace_back(row, col); });
    each_lines(static_cast<std::int64_t>(places.size()), static_cast<std::int64_t>(places.size()) * left.cols,
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i) {
                   const auto [row, col] = places[static_cast<std::size_t>(i)];
                   if (row < 0 || row >= left.rows || col < 0 || col >= right.cols) continue;
                   Work<T> sum(0);
                   for (std::int64_t k = 0; k < left.cols; ++k) sum += left.get(row, k) * right.get(k, col);
                   values[i] =
                       Number<T>::store(update(alpha, sum, beta, beta == Work<T>(0) ? Work<T>(0) : load(values[i])));
                 }
               });
    for (const auto &[row, col] : places) outside |= row < 0 || row >= left.rows || col < 0 || col >= right.cols;
    if (outside) tell_outside("cusparseSDDMM");
  }
}

// Whether the types of operands go together: values alike, sums in what they are computed in.
bool fit(cudaDataType a, cudaDataType b, cudaDataType result, cudaDataType compute) {
  return is_value_type(a) && a == b && (result == a || result == work_type(a)) && compute == work_type(a);
}

template <class Visit>
void with_result_type(cudaDataType type, cudaDataType result, Visit visit) {
  with_value_type(
      type, [&]<class T>(Tag<T>) { result == type ? visit(Tag<T>(), Tag<T>()) : visit(Tag<T>(), Tag<Work<T>>()); });
}

// What an H200 says to algorithms that are not for a format, and to formats that it multiplies in one direction only.
cusparseStatus_t check_algorithm(const cusparseSpMatDescr &a, cusparseOperation_t op, int algorithm,
                                 std::initializer_list<int> of_rows, std::initializer_list<int> of_pairs,
                                 std::initializer_list<int> of_ell) {
  const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto is_one_of = [&](std::initializer_list<int> known) {
    return std::find(known.begin(), known.end(), algorithm) != known.end();
  };
  switch (a.format) {
    case CUSPARSE_FORMAT_CSR:
    case CUSPARSE_FORMAT_CSC:
      return is_one_of(of_rows) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
    case CUSPARSE_FORMAT_COO:
      return is_one_of(of_pairs) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      if (of_ell.size() == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
      if (!is_one_of(of_ell)) return CUSPARSE_STATUS_INVALID_VALUE;
      return transposed ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
    default:
      if (algorithm != 0) return CUSPARSE_STATUS_INVALID_VALUE;
      return transposed ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
  }
}

cusparseStatus_t check_spmv(cusparseHandle_t handle, const void *alpha, cusparseConstSpMatDescr_t a,
                            cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y,
                            cusparseOperation_t op, cudaDataType compute, cusparseSpMVAlg_t algorithm) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return wrong("cusparseSpMV", 3, "alpha", "NULL pointer");
  if (a == nullptr) return wrong("cusparseSpMV", 4, "matA", "NULL pointer");
  if (x == nullptr) return wrong("cusparseSpMV", 5, "vecX", "NULL pointer");
  if (beta == nullptr) return wrong("cusparseSpMV", 6, "beta", "NULL pointer");
  if (y == nullptr) return wrong("cusparseSpMV", 7, "vecY", "NULL pointer");
  const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if (x->size != (transposed ? a->rows : a->cols)) return wrong("cusparseSpMV", 5, "vecX", x->size);
  if (y->size != (transposed ? a->cols : a->rows)) return wrong("cusparseSpMV", 7, "vecY", y->size);
  if (!fit(a->type, x->type, y->type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const cusparseStatus_t status = check_conjugate("cusparseSpMV", "opA", op, a->type);
  return status != CUSPARSE_STATUS_SUCCESS ? status : check_algorithm(*a, op, algorithm, {0, 2, 3}, {0, 1, 4}, {});
}

// What an H200 tells for small matrices. A product needs no work area here, but one that is null where there should be
// one is refused, as it is there.
size_t spmv_buffer(const cusparseSpMatDescr &a, cusparseOperation_t op) {
  if (a.nnz == 0) return 0;
  if (a.format == CUSPARSE_FORMAT_CSR || a.format == CUSPARSE_FORMAT_CSC) return 11;
  return a.format == CUSPARSE_FORMAT_COO && op == CUSPARSE_OPERATION_NON_TRANSPOSE ? 540 : 0;
}

cusparseStatus_t check_spmm(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                            const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                            const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                            cusparseSpMMAlg_t algorithm) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || c == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool across = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const std::int64_t m = across ? a->cols : a->rows, k = across ? a->rows : a->cols;
  if ((turned ? b->cols : b->rows) != k || (turned ? b->rows : b->cols) != c->cols || c->rows != m)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!fit(a->type, b->type, c->type, compute)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  for (const cusparseStatus_t status :
       {check_conjugate("cusparseSpMM", "opA", op_a, a->type), check_conjugate("cusparseSpMM", "opB", op_b, b->type)}) {
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
  }
  if (algorithm == CUSPARSE_SPMM_CSR_ALG3) {  // for rows as they lie
    if (a->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_INVALID_VALUE;
    return across ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_SUCCESS;
  }
  return check_algorithm(*a, op_a, algorithm, {0, 4, 6}, {0, 1, 2, 3, 5}, {0, 13});
}

cusparseStatus_t check_sddmm(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                             const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                             const void *beta, cusparseSpMatDescr_t c, cudaDataType compute) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || c == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool across = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE, turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const std::int64_t m = across ? a->cols : a->rows, k = across ? a->rows : a->cols;
  if (m != c->rows || (turned ? b->cols : b->rows) != k || (turned ? b->rows : b->cols) != c->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!fit(a->type, b->type, c->type, compute) || c->type != a->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const cusparseStatus_t status = check_conjugate("cusparseSDDMM", "opA", op_a, a->type);
  return status != CUSPARSE_STATUS_SUCCESS ? status : check_conjugate("cusparseSDDMM", "opB", op_b, b->type);
}

// Whether a product reads the matrix as it lies, so that what its columns are can be known before.
bool is_checked_by_kernels(const cusparseSpMatDescr &a, cusparseOperation_t op) {
  const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
  return a.format == (transposed ? CUSPARSE_FORMAT_CSC : CUSPARSE_FORMAT_CSR) && a.index_type == CUSPARSE_INDEX_32I;
}

cusparseStatus_t no_buffer(cusparseStatus_t status, size_t *size) {
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 0;
  return status;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm,
                                         size_t *size) {
  const cusparseStatus_t status = no_buffer(check_spmv(handle, alpha, a, x, beta, y, op, compute, algorithm), size);
  if (status == CUSPARSE_STATUS_SUCCESS) *size = spmv_buffer(*a, op);
  return status;
}
// The structure of a matrix stays as it is from here on; its values are read by each product.
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm,
                                         void *buffer) {
  const cusparseStatus_t status = check_spmv(handle, alpha, a, x, beta, y, op, compute, algorithm);
  const bool by_rows = status == CUSPARSE_STATUS_SUCCESS && a->format != CUSPARSE_FORMAT_COO;
  if (by_rows && buffer == nullptr && spmv_buffer(*a, op) > 0) return CUSPARSE_STATUS_INTERNAL_ERROR;
  if (status != CUSPARSE_STATUS_SUCCESS || !is_checked_by_kernels(*a, op)) return status;
  const auto inspected = std::make_shared<std::atomic<bool>>(false);
  const_cast<cusparseSpMatDescr *>(a)->inspected = inspected;
  return run(handle, "cusparseSpMV_preprocess", a->nnz, [inspected, op, a = *a] {
    with_value_type(a.type, [&]<class T>(Tag<T>) { *inspected = Lines<T>(a, op, "cusparseSpMV").are_inside(); });
  });
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm, void *buffer) {
  const cusparseStatus_t status = check_spmv(handle, alpha, a, x, beta, y, op, compute, algorithm);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (buffer == nullptr && spmv_buffer(*a, op) > 0) return wrong("cusparseSpMV", 10, "externalBuffer", "NULL pointer");
  const Scalar s(handle, alpha, compute), t(handle, beta, compute);
  return run(handle, "cusparseSpMV", a->nnz + a->rows, [op, s, t, a = *a, x = *x, y = *y] {
    with_result_type(a.type, y.type, [&]<class T, class Y>(Tag<T>, Tag<Y>) {
      multiply_vector<T, Y>(a, op, s.get<Work<T>>(), static_cast<const T *>(x.values), t.get<Work<T>>(),
                            static_cast<Y *>(y.values));
    });
  });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t algorithm, size_t *size) {
  return no_buffer(check_spmm(handle, opa, opb, alpha, a, b, beta, c, compute, algorithm), size);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t algorithm, void *) {
  return check_spmm(handle, opa, opb, alpha, a, b, beta, c, compute, algorithm);
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                              const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
                              cusparseSpMMAlg_t algorithm, void *) {
  const cusparseStatus_t status = check_spmm(handle, opa, opb, alpha, a, b, beta, c, compute, algorithm);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const Scalar s(handle, alpha, compute), t(handle, beta, compute);
  return run(handle, "cusparseSpMM", a->nnz * c->cols, [opa, opb, s, t, a = *a, b = *b, c = *c] {
    with_result_type(a.type, c.type, [&]<class T, class Y>(Tag<T>, Tag<Y>) {
      multiply_matrix<T, Y>(a, opa, b, opb, s.get<Work<T>>(), t.get<Work<T>>(), c);
    });
  });
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                          const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                          cusparseSDDMMAlg_t, size_t *size) {
  return no_buffer(check_sddmm(handle, opa, opb, alpha, a, b, beta, c, compute), size);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                          const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                          cusparseSDDMMAlg_t, void *) {
  return check_sddmm(handle, opa, opb, alpha, a, b, beta, c, compute);
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                               const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void *beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t,
                               void *) {
  const cusparseStatus_t status = check_sddmm(handle, opa, opb, alpha, a, b, beta, c, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const Scalar s(handle, alpha, compute), t(handle, beta, compute);
  return run(handle, "cusparseSDDMM", c->nnz * a->cols, [opa, opb, s, t, a = *a, b = *b, c = *c] {
    with_value_type(a.type,
                    [&]<class T>(Tag<T>) { sample_product<T>(c, a, opa, b, opb, s.get<Work<T>>(), t.get<Work<T>>()); });
  });
}

}  // extern "C"
#pragma GCC visibility pop

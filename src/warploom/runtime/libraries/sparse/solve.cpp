// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular systems of sparse matrices, row after row. A division by a diagonal value of 0, or by one that is not
// stored, gives infinity or NaN.
#include "lines.h"

using namespace warploom::sparse;

struct cusparseSpSVDescr {
  bool is_analysed = false;
};
struct cusparseSpSMDescr {
  bool is_analysed = false;
};

namespace {

// One right-hand side: x and y with steps between their values.
template <class T>
void solve(const Lines<T> &a, bool is_lower, bool is_unit, Work<T> alpha, const T *x, std::int64_t x_step,
           bool conjugated, T *y, std::int64_t y_step) {
  using W = Work<T>;
  for (std::int64_t step = 0; step < a.rows; ++step) {
    const std::int64_t row = is_lower ? step : a.rows - 1 - step;
    const W right = load(x[row * x_step]);
    W sum = alpha * (conjugated ? conjugate(right) : right), diagonal(0);
    const std::int64_t end = a.end(row);
    for (std::int64_t i = a.begin(row); i < end; ++i) {
      const std::int64_t col = a.col(i);
      if (col == row) {
        diagonal = a.value(i);
      } else if (is_lower ? col >= 0 && col < row : col > row && col < a.cols) {
        sum -= a.value(i) * load(y[col * y_step]);
      }
    }
    y[row * y_step] = Number<T>::store(is_unit ? sum : sum / diagonal);
  }
}

bool is_lower_after(const cusparseSpMatDescr &a, cusparseOperation_t op) {
  return (a.fill == CUSPARSE_FILL_MODE_LOWER) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
}

cusparseStatus_t check(cusparseHandle_t handle, const void *alpha, cusparseConstSpMatDescr_t a, const void *x,
                       const void *y, const void *desc) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || a == nullptr || x == nullptr || y == nullptr || desc == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return a->rows == a->cols ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
// What triangles are refused as on an H200.
cusparseStatus_t check_triangle(const char *function, cusparseOperation_t op, const cusparseSpMatDescr &a) {
  const cusparseStatus_t status = check_conjugate(function, "opA", op, a.type);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return a.format == CUSPARSE_FORMAT_CSR || a.format == CUSPARSE_FORMAT_COO ? status : CUSPARSE_STATUS_NOT_SUPPORTED;
}
cusparseStatus_t check_vectors(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                               cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                               cudaDataType compute, const void *desc) {
  const cusparseStatus_t status = check(handle, alpha, a, x, y, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (x->size != a->rows || y->size != a->rows) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool fits = is_value_type(a->type) && x->type == a->type && y->type == a->type && compute == work_type(a->type);
  return fits ? check_triangle("cusparseSpSV", op, *a) : CUSPARSE_STATUS_NOT_SUPPORTED;
}
cusparseStatus_t check_matrices(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                cusparseDnMatDescr_t c, cudaDataType compute, const void *desc) {
  const cusparseStatus_t status = check(handle, alpha, a, b, c, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const bool turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  if ((turned ? b->cols : b->rows) != a->rows || c->rows != a->rows || (turned ? b->rows : b->cols) != c->cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool fits = is_value_type(a->type) && b->type == a->type && c->type == a->type && compute == work_type(a->type);
  if (!fits) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const cusparseStatus_t triangle = check_triangle("cusparseSpSM", op_a, *a);
  if (triangle != CUSPARSE_STATUS_SUCCESS || op_b != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) return triangle;
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t no_buffer(cusparseStatus_t status, size_t *size) {
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 0;
  return status;
}

}  // namespace

cusparseStatus_t warploom::sparse::solve_matrices(cusparseHandle_t handle, cusparseOperation_t opa,
                                                  cusparseOperation_t opb, const void *alpha,
                                                  const cusparseSpMatDescr &a, const cusparseDnMatDescr &b,
                                                  const cusparseDnMatDescr &c, cudaDataType compute) {
  const Scalar s(handle, alpha, compute);
  return run(handle, "cusparseSpSM_solve", a.nnz * c.cols * 2, [opa, opb, s, a, b, c] {
    with_value_type(a.type, [&]<class T>(Tag<T>) {
      const Lines<T> lines(a, opa, "cusparseSpSM_solve");
      const bool turned = opb != CUSPARSE_OPERATION_NON_TRANSPOSE;
      const std::int64_t row_step = turned ? b.col_step() : b.row_step(),
                         col_step = turned ? b.row_step() : b.col_step();
      const auto columns = [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
          solve<T>(lines, is_lower_after(a, opa), a.diag == CUSPARSE_DIAG_TYPE_UNIT, s.get<Work<T>>(),
                   static_cast<const T *>(b.values) + j * col_step, row_step,
                   opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, static_cast<T *>(c.values) + j * c.col_step(),
                   c.row_step());
        }
      };
      each_lines(c.cols, a.nnz * c.cols * 2, columns, 1);
    });
  });
}

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *desc) { return create_object(desc); }
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t desc) { return destroy_object(desc); }
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t desc, size_t *size) {
  return no_buffer(check_vectors(handle, op, alpha, a, x, y, compute, desc), size);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType compute, cusparseSpSVAlg_t, cusparseSpSVDescr_t desc, void *) {
  const cusparseStatus_t status = check_vectors(handle, op, alpha, a, x, y, compute, desc);
  if (status == CUSPARSE_STATUS_SUCCESS) desc->is_analysed = true;
  return status;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t, cusparseSpSVDescr_t desc) {
  const cusparseStatus_t status = check_vectors(handle, op, alpha, a, x, y, compute, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!desc->is_analysed) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const Scalar s(handle, alpha, compute);
  return run(handle, "cusparseSpSV_solve", a->nnz * 2, [op, s, a = *a, x = *x, y = *y] {
    with_value_type(a.type, [&]<class T>(Tag<T>) {
      const Lines<T> lines(a, op, "cusparseSpSV_solve");
      solve<T>(lines, is_lower_after(a, op), a.diag == CUSPARSE_DIAG_TYPE_UNIT, s.get<Work<T>>(),
               static_cast<const T *>(x.values), 1, false, static_cast<T *>(y.values), 1);
    });
  });
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *desc) { return create_object(desc); }
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t desc) { return destroy_object(desc); }
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
                                         cusparseSpSMDescr_t desc, size_t *size) {
  return no_buffer(check_matrices(handle, opa, opb, alpha, a, b, c, compute, desc), size);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                       const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
                                       cusparseSpSMDescr_t desc, void *) {
  const cusparseStatus_t status = check_matrices(handle, opa, opb, alpha, a, b, c, compute, desc);
  if (status == CUSPARSE_STATUS_SUCCESS) desc->is_analysed = true;
  return status;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                    const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
                                    cusparseSpSMDescr_t desc) {
  const cusparseStatus_t status = check_matrices(handle, opa, opb, alpha, a, b, c, compute, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!desc->is_analysed) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return solve_matrices(handle, opa, opb, alpha, *a, *b, *c, compute);
}

}  // extern "C"
#pragma GCC visibility pop

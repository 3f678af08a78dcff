// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The older functions for matrices in blocks of equal squares: products and triangular systems. Each describes its
// matrix as the generic functions do and calls them; what lies beyond the diagonal inside a block of the diagonal is
// not read by a system, as if all values stood by themselves.
#include <type_traits>

#include "lines.h"
#include "pivots.h"

using namespace warploom::sparse;

// Of the first block of the diagonal that is not stored, or has a 0 on the diagonal.
struct bsrsv2Info : PivotInfo {};
struct bsrsm2Info : PivotInfo {};

namespace {

template <class T>
constexpr cudaDataType kType = std::is_same_v<T, float>       ? CUDA_R_32F
                               : std::is_same_v<T, double>    ? CUDA_R_64F
                               : std::is_same_v<T, cuComplex> ? CUDA_C_32F
                                                              : CUDA_C_64F;

// A matrix of block_rows x block_cols blocks.
struct Blocks {
  cusparseDirection_t direction;
  int block_rows, block_cols, blocks, size;
  const int *rows, *cols;
};

cusparseStatus_t check(cusparseHandle_t handle, const Blocks &b, const cusparseMatDescr_t desc) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (b.block_rows < 0 || b.block_cols < 0 || b.blocks < 0 || b.size < 1 || desc == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool is_wrong = b.direction != CUSPARSE_DIRECTION_ROW && b.direction != CUSPARSE_DIRECTION_COLUMN;
  if (is_wrong) return CUSPARSE_STATUS_INVALID_VALUE;
  return desc->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSPARSE_STATUS_SUCCESS
                                                    : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

cusparseSpMatDescr describe(const Blocks &b, const cusparseMatDescr_t desc, const void *values, cudaDataType type) {
  cusparseSpMatDescr matrix{};
  matrix.format = CUSPARSE_FORMAT_BSR;
  matrix.rows = std::int64_t{b.block_rows} * b.size, matrix.cols = std::int64_t{b.block_cols} * b.size;
  matrix.nnz = std::int64_t{b.blocks} * b.size * b.size;
  matrix.offsets = const_cast<int *>(b.rows), matrix.indices = const_cast<int *>(b.cols);
  matrix.values = const_cast<void *>(values);
  matrix.offset_type = matrix.index_type = CUSPARSE_INDEX_32I;
  matrix.base = desc->base, matrix.type = type, matrix.fill = desc->fill, matrix.diag = desc->diag;
  matrix.batches = 1, matrix.block_rows = matrix.block_cols = b.size;
  matrix.block_order = b.direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
  return matrix;
}

cusparseDnMatDescr dense(std::int64_t rows, std::int64_t cols, const void *values, int ld, cudaDataType type) {
  cusparseDnMatDescr matrix{};
  matrix.rows = rows, matrix.cols = cols, matrix.ld = ld, matrix.values = const_cast<void *>(values);
  matrix.type = type, matrix.order = CUSPARSE_ORDER_COL;
  return matrix;
}

template <class T>
cusparseStatus_t multiply_vector(cusparseHandle_t handle, const Blocks &b, cusparseOperation_t op, const T *alpha,
                                 const cusparseMatDescr_t desc, const T *values, const T *x, const T *beta, T *y) {
  if (const auto status = check(handle, b, desc); status != CUSPARSE_STATUS_SUCCESS) return status;
  if (op != CUSPARSE_OPERATION_NON_TRANSPOSE) return CUSPARSE_STATUS_INVALID_VALUE;
  const cusparseSpMatDescr a = describe(b, desc, values, kType<T>);
  const cusparseDnVecDescr from = {a.cols, const_cast<T *>(x), kType<T>};
  cusparseDnVecDescr to = {a.rows, y, kType<T>};
  return cusparseSpMV(handle, op, alpha, &a, &from, beta, &to, kType<T>, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
}

template <class T>
cusparseStatus_t multiply_matrix(cusparseHandle_t handle, const Blocks &b, cusparseOperation_t op_a,
                                 cusparseOperation_t op_b, int n, const T *alpha, const cusparseMatDescr_t desc,
                                 const T *values, const T *x, int ldx, const T *beta, T *y, int ldy) {
  if (const auto status = check(handle, b, desc); status != CUSPARSE_STATUS_SUCCESS) return status;
  if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const cusparseSpMatDescr a = describe(b, desc, values, kType<T>);
  const bool turned = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const std::int64_t m = a.rows, k = a.cols;
  const std::int64_t least = std::max<std::int64_t>(1, turned ? n : k);
  if (n < 0 || ldx < least || ldy < std::max<std::int64_t>(1, m)) return CUSPARSE_STATUS_INVALID_VALUE;
  const cusparseDnMatDescr from = dense(turned ? n : k, turned ? k : n, x, ldx, kType<T>);
  cusparseDnMatDescr to = dense(m, n, y, ldy, kType<T>);
  return cusparseSpMM(handle, op_a, op_b, alpha, &a, &from, beta, &to, kType<T>, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
}

// Reads the diagonal: in values that were given to be analysed, only where blocks are missing.
template <class T>
void look_for_pivots(const cusparseSpMatDescr &a, bool reads_values, std::atomic<int> &pivot) {
  std::vector<char> is_there(static_cast<std::size_t>(a.rows));
  Lines<T>::for_entries(a, 0, [&](std::int64_t row, std::int64_t col, const T &value) {
    if (row == col && row >= 0 && row < a.rows)
      is_there[static_cast<std::size_t>(row)] = !reads_values || value != T(0);
  });
  const auto missing = std::find(is_there.begin(), is_there.end(), 0);
  pivot = missing == is_there.end() ? -1 : static_cast<int>((missing - is_there.begin()) / a.block_rows) + a.base;
}
cusparseStatus_t analyse(cusparseHandle_t handle, const char *name, const cusparseSpMatDescr &a, bool reads_values,
                         const PivotInfo &info) {
  return run(handle, name, a.nnz, [a, reads_values, pivot = info.pivot] {
    with_value_type(a.type, [&]<class T>(Tag<T>) {
      if constexpr (std::is_same_v<Work<T>, T>) look_for_pivots<T>(a, reads_values, *pivot);
    });
  });
}
template <class T>
cusparseStatus_t prepare(cusparseHandle_t handle, const char *name, const Blocks &b, const cusparseMatDescr_t desc,
                         const T *values, const PivotInfo *info) {
  if (const auto status = check(handle, b, desc); status != CUSPARSE_STATUS_SUCCESS) return status;
  if (info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return analyse(handle, name, describe(b, desc, values, kType<T>), false, *info);
}
cusparseStatus_t size(cusparseHandle_t handle, const Blocks &b, const cusparseMatDescr_t desc, const void *info,
                      int *bytes) {
  if (const auto status = check(handle, b, desc); status != CUSPARSE_STATUS_SUCCESS) return status;
  if (info == nullptr || bytes == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = 16;
  return CUSPARSE_STATUS_SUCCESS;
}

// Solves op_a(A) Y = alpha op_x(X) for `n` columns.
template <class T>
cusparseStatus_t solve(cusparseHandle_t handle, const char *name, const Blocks &b, cusparseOperation_t op_a,
                       cusparseOperation_t op_x, int n, const T *alpha, const cusparseMatDescr_t desc, const T *values,
                       const PivotInfo *info, const T *x, int ldx, T *y, int ldy) {
  if (const auto status = check(handle, b, desc); status != CUSPARSE_STATUS_SUCCESS) return status;
  const std::int64_t m = std::int64_t{b.block_rows} * b.size;
  const bool turned = op_x != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const std::int64_t least = std::max<std::int64_t>(1, turned ? n : m);
  const bool conjugates = op_x == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  if (info == nullptr || alpha == nullptr || n < 0 || conjugates || ldx < least || ldy < least)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (std::is_floating_point_v<T> && op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
    op_a = CUSPARSE_OPERATION_TRANSPOSE;
  const cusparseSpMatDescr a = describe(b, desc, values, kType<T>);
  const cusparseDnMatDescr from = dense(turned ? n : m, turned ? m : n, x, ldx, kType<T>);
  cusparseDnMatDescr to = dense(m, n, y, ldy, kType<T>);
  if (turned) to.order = CUSPARSE_ORDER_ROW;  // the result lies as the right-hand side does
  if (const auto status = analyse(handle, name, a, a.diag != CUSPARSE_DIAG_TYPE_UNIT, *info);
      status != CUSPARSE_STATUS_SUCCESS)
    return status;
  return solve_matrices(handle, op_a, op_x, alpha, a, from, to, kType<T>);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseCreateBsrsv2Info(bsrsv2Info_t *info) { return create_object(info); }
cusparseStatus_t cusparseDestroyBsrsv2Info(bsrsv2Info_t info) { return destroy_object(info); }
cusparseStatus_t cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info, int *position) {
  return zero_pivot(handle, info, position);
}
cusparseStatus_t cusparseCreateBsrsm2Info(bsrsm2Info_t *info) { return create_object(info); }
cusparseStatus_t cusparseDestroyBsrsm2Info(bsrsm2Info_t info) { return destroy_object(info); }
cusparseStatus_t cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info, int *position) {
  return zero_pivot(handle, info, position);
}

#define BLOCKS(LETTER, T)                                                                                              \
  cusparseStatus_t cusparse##LETTER##bsrmv(cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t op, int mb,  \
                                           int nb, int nnzb, const T *alpha, const cusparseMatDescr_t desc,            \
                                           const T *v, const int *r, const int *c, int size, const T *x,               \
                                           const T *beta, T *y) {                                                      \
    return multiply_vector(h, {d, mb, nb, nnzb, size, r, c}, op, alpha, desc, v, x, beta, y);                          \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrmm(cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t opa,         \
                                           cusparseOperation_t opb, int mb, int n, int kb, int nnzb, const T *alpha,   \
                                           const cusparseMatDescr_t desc, const T *v, const int *r, const int *c,      \
                                           int size, const T *b, int ldb, const T *beta, T *y, int ldy) {              \
    return multiply_matrix(h, {d, mb, kb, nnzb, size, r, c}, opa, opb, n, alpha, desc, v, b, ldb, beta, y, ldy);       \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsv2_bufferSize(                                                                \
      cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t, int mb, int nnzb, const cusparseMatDescr_t desc, \
      T *, const int *r, const int *c, int block, bsrsv2Info_t info, int *bytes) {                                     \
    return size(h, {d, mb, mb, nnzb, block, r, c}, desc, info, bytes);                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsv2_analysis(                                                                  \
      cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t, int mb, int nnzb, const cusparseMatDescr_t desc, \
      const T *v, const int *r, const int *c, int size, bsrsv2Info_t info, cusparseSolvePolicy_t, void *) {            \
    return prepare(h, "cusparse" #LETTER "bsrsv2_analysis", {d, mb, mb, nnzb, size, r, c}, desc, v, info);             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsv2_solve(cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t op,   \
                                                  int mb, int nnzb, const T *alpha, const cusparseMatDescr_t desc,     \
                                                  const T *v, const int *r, const int *c, int size, bsrsv2Info_t info, \
                                                  const T *x, T *y, cusparseSolvePolicy_t, void *) {                   \
    const int ld = std::max(1, mb * size);                                                                             \
    return solve(h, "cusparse" #LETTER "bsrsv2_solve", {d, mb, mb, nnzb, size, r, c}, op,                              \
                 CUSPARSE_OPERATION_NON_TRANSPOSE, 1, alpha, desc, v, info, x, ld, y, ld);                             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsm2_bufferSize(                                                                \
      cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t, cusparseOperation_t, int mb, int, int nnzb,      \
      const cusparseMatDescr_t desc, T *, const int *r, const int *c, int block, bsrsm2Info_t info, int *bytes) {      \
    return size(h, {d, mb, mb, nnzb, block, r, c}, desc, info, bytes);                                                 \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsm2_analysis(                                                                  \
      cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t, cusparseOperation_t, int mb, int, int nnzb,      \
      const cusparseMatDescr_t desc, const T *v, const int *r, const int *c, int size, bsrsm2Info_t info,              \
      cusparseSolvePolicy_t, void *) {                                                                                 \
    return prepare(h, "cusparse" #LETTER "bsrsm2_analysis", {d, mb, mb, nnzb, size, r, c}, desc, v, info);             \
  }                                                                                                                    \
  cusparseStatus_t cusparse##LETTER##bsrsm2_solve(                                                                     \
      cusparseHandle_t h, cusparseDirection_t d, cusparseOperation_t op, cusparseOperation_t opx, int mb, int n,       \
      int nnzb, const T *alpha, const cusparseMatDescr_t desc, const T *v, const int *r, const int *c, int size,       \
      bsrsm2Info_t info, const T *x, int ldx, T *y, int ldy, cusparseSolvePolicy_t, void *) {                          \
    return solve(h, "cusparse" #LETTER "bsrsm2_solve", {d, mb, mb, nnzb, size, r, c}, op, opx, n, alpha, desc, v,      \
                 info, x, ldx, y, ldy);                                                                                \
  }
BLOCKS(S, float)
BLOCKS(D, double)
BLOCKS(C, cuComplex)
BLOCKS(Z, cuDoubleComplex)
#undef BLOCKS

}  // extern "C"
#pragma GCC visibility pop

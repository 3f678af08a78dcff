// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles and descriptors of cuSPARSE.
#include "descriptor.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "../common/refused.h"

namespace warploom::sparse {

cusparseStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return CUSPARSE_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusparseStatus_t wrong(const char *function, int number, const char *parameter, const char *value) {
  std::fprintf(stderr, " ** On entry to %s() parameter number %d (%s) had an illegal value: %s\n\n", function, number,
               parameter, value);
  return CUSPARSE_STATUS_INVALID_VALUE;
}
cusparseStatus_t wrong(const char *function, int number, const char *parameter, std::int64_t value) {
  return wrong(function, number, parameter, std::to_string(value).c_str());
}

cusparseStatus_t check_conjugate(const char *function, const char *operation, cusparseOperation_t op,
                                 cudaDataType type) {
  if (op != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || type == CUDA_C_32F || type == CUDA_C_64F)
    return CUSPARSE_STATUS_SUCCESS;
  std::fprintf(stderr, " ** On entry to %s(): the conjugate transpose (%s) is not valid for real values\n\n", function,
               operation);
  return CUSPARSE_STATUS_INVALID_VALUE;
}

static bool has_null(std::initializer_list<const void *> addresses) {
  return std::find(addresses.begin(), addresses.end(), nullptr) != addresses.end();
}

void tell_outside(const char *function) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set()) return;
  __warploom_library_message(
      (std::string(function) + ": indices lie outside of the matrix; their values are left out").c_str());
}

}  // namespace warploom::sparse

using namespace warploom::sparse;

namespace {

template <class D>
cusparseStatus_t make(const D **to, D from) {
  *to = new D(std::move(from));
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t make(D **to, D from) {
  *to = new D(std::move(from));
  return CUSPARSE_STATUS_SUCCESS;
}
template <class D>
cusparseStatus_t destroy(D *descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}

constexpr const char *kNull = "NULL pointer";

// Whether there are more values than places.
bool has_more(std::int64_t nnz, std::int64_t rows, std::int64_t cols) {
  return rows == 0 || cols == 0 ? nnz > 0 : (nnz - 1) / rows >= cols;
}
bool is_type(cudaDataType type) {
  for (const cudaDataType known : {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F, CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F,
                                   CUDA_C_64F, CUDA_R_8I, CUDA_R_32I}) {
    if (type == known) return true;
  }
  return false;
}

template <class D>
cusparseStatus_t make_sparse(const char *function, D **to, cusparseSpMatDescr matrix) {
  if (to == nullptr) return wrong(function, 1, "spMatDescr", kNull);
  if (matrix.rows < 0) return wrong(function, 2, "rows", matrix.rows);
  if (matrix.cols < 0) return wrong(function, 3, "cols", matrix.cols);
  const bool is_compressed = matrix.format == CUSPARSE_FORMAT_CSR || matrix.format == CUSPARSE_FORMAT_CSC;
  if (matrix.nnz < 0 || (is_compressed && has_more(matrix.nnz, matrix.rows, matrix.cols)))
    return wrong(function, 4, "nnz", matrix.nnz);
  if (matrix.base != CUSPARSE_INDEX_BASE_ZERO && matrix.base != CUSPARSE_INDEX_BASE_ONE)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_type(matrix.type)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (matrix.offset_type != matrix.index_type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return make(to, matrix);
}

cusparseSpMatDescr compressed(cusparseFormat_t format, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                              const void *offsets, const void *indices, const void *values,
                              cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                              cudaDataType type) {
  cusparseSpMatDescr made{};
  made.format = format, made.rows = rows, made.cols = cols, made.nnz = nnz;
  made.offsets = const_cast<void *>(offsets), made.indices = const_cast<void *>(indices),
  made.values = const_cast<void *>(values);
  made.offset_type = offset_type, made.index_type = index_type, made.base = base, made.type = type;
  return made;
}

cusparseStatus_t get(const cusparseSpMatDescr *m, std::int64_t *rows, std::int64_t *cols, std::int64_t *nnz) {
  if (m == nullptr || rows == nullptr || cols == nullptr || nnz == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = m->rows, *cols = m->cols, *nnz = m->nnz;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_SUCCESS;
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value) {
  if (value == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = type == MAJOR_VERSION ? CUSPARSE_VER_MAJOR : type == MINOR_VERSION ? CUSPARSE_VER_MINOR : 0;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE) return CUSPARSE_STATUS_INVALID_VALUE;
  handle->mode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (mode == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *mode = handle->mode;
  return CUSPARSE_STATUS_SUCCESS;
}

#define NAME_OF(CODE, TEXT) \
  case CODE:                \
    return named ? #CODE : TEXT;
static const char *text_of(cusparseStatus_t status, bool named) {
  switch (status) {
    NAME_OF(CUSPARSE_STATUS_SUCCESS, "success")
    NAME_OF(CUSPARSE_STATUS_NOT_INITIALIZED, "initialization error")
    NAME_OF(CUSPARSE_STATUS_ALLOC_FAILED, "out of memory")
    NAME_OF(CUSPARSE_STATUS_INVALID_VALUE, "invalid value")
    NAME_OF(CUSPARSE_STATUS_ARCH_MISMATCH, "architecture mismatch")
    NAME_OF(CUSPARSE_STATUS_MAPPING_ERROR, "texture mapping error")
    NAME_OF(CUSPARSE_STATUS_EXECUTION_FAILED, "kernel launch failure")
    NAME_OF(CUSPARSE_STATUS_INTERNAL_ERROR, "internal error")
    NAME_OF(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported")
    NAME_OF(CUSPARSE_STATUS_ZERO_PIVOT, "zero pivot")
    NAME_OF(CUSPARSE_STATUS_NOT_SUPPORTED, "operation not supported")
    NAME_OF(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "insufficient resources")
  }
  return named ? "unrecognized error code" : "unrecognized error code";
}
#undef NAME_OF
const char *cusparseGetErrorName(cusparseStatus_t status) { return text_of(status, true); }
const char *cusparseGetErrorString(cusparseStatus_t status) { return text_of(status, false); }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *desc) {
  if (desc == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *desc = new cusparseMatDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t desc) { return destroy(desc); }
#define PROPERTY(SET, GET, TYPE, FIELD, MOST)                                                         \
  cusparseStatus_t SET(cusparseMatDescr_t desc, TYPE value) {                                         \
    if (desc == nullptr || static_cast<unsigned>(value) > MOST) return CUSPARSE_STATUS_INVALID_VALUE; \
    desc->FIELD = value;                                                                              \
    return CUSPARSE_STATUS_SUCCESS;                                                                   \
  }                                                                                                   \
  TYPE GET(const cusparseMatDescr_t desc) { return desc->FIELD; }
PROPERTY(cusparseSetMatType, cusparseGetMatType, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
PROPERTY(cusparseSetMatIndexBase, cusparseGetMatIndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)
PROPERTY(cusparseSetMatFillMode, cusparseGetMatFillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
PROPERTY(cusparseSetMatDiagType, cusparseGetMatDiagType, cusparseDiagType_t, diag, CUSPARSE_DIAG_TYPE_UNIT)
#undef PROPERTY

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values, cudaDataType type) {
  if (v == nullptr) return wrong("cusparseCreateDnVec", 1, "dnVecDescr", kNull);
  if (size < 0) return wrong("cusparseCreateDnVec", 2, "size", size);
  return make(v, cusparseDnVecDescr{size, values, type});
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *v, int64_t size, const void *values,
                                          cudaDataType type) {
  return cusparseCreateDnVec(const_cast<cusparseDnVecDescr_t *>(v), size, const_cast<void *>(values), type);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { return destroy(v); }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) {
  if (v == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  v->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values) {
  if (v == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = v->values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values, cudaDataType *type) {
  if (v == nullptr || size == nullptr || values == nullptr || type == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = v->size, *values = v->values, *type = v->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *v, int64_t size, int64_t nnz, void *indices, void *values,
                                     cusparseIndexType_t it, cusparseIndexBase_t base, cudaDataType type) {
  if (v == nullptr) return wrong("cusparseCreateSpVec", 1, "spVecDescr", kNull);
  if (size < 0) return wrong("cusparseCreateSpVec", 2, "size", size);
  if (nnz < 0 || nnz > size) return wrong("cusparseCreateSpVec", 3, "nnz", nnz);
  return make(v, cusparseSpVecDescr{size, nnz, indices, values, it, base, type});
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v) { return destroy(v); }
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t v, int64_t *size, int64_t *nnz, void **indices, void **values,
                                  cusparseIndexType_t *it, cusparseIndexBase_t *base, cudaDataType *type) {
  if (v == nullptr || has_null({size, nnz, indices, values, it, base, type})) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = v->size, *nnz = v->nnz, *indices = v->indices, *values = v->values, *it = v->index_type, *base = v->base,
  *type = v->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t v, void *values) {
  if (v == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  v->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t v, cusparseIndexBase_t *base) {
  if (v == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = v->base;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType type, cusparseOrder_t order) {
  if (m == nullptr) return wrong("cusparseCreateDnMat", 1, "dnMatDescr", kNull);
  if (rows < 0) return wrong("cusparseCreateDnMat", 2, "rows", rows);
  if (cols < 0) return wrong("cusparseCreateDnMat", 3, "cols", cols);
  if (ld < (order == CUSPARSE_ORDER_ROW ? cols : rows)) return wrong("cusparseCreateDnMat", 4, "ld", ld);
  if (order != CUSPARSE_ORDER_ROW && order != CUSPARSE_ORDER_COL) return CUSPARSE_STATUS_INVALID_VALUE;
  return make(m, cusparseDnMatDescr{rows, cols, ld, values, type, order});
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *m, int64_t rows, int64_t cols, int64_t ld,
                                          const void *values, cudaDataType type, cusparseOrder_t order) {
  return cusparseCreateDnMat(const_cast<cusparseDnMatDescr_t *>(m), rows, cols, ld, const_cast<void *>(values), type,
                             order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { return destroy(m); }
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t m, void *values) {
  if (m == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  m->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t m, void **values) {
  if (m == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = m->values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
                                  cudaDataType *type, cusparseOrder_t *order) {
  if (m == nullptr || has_null({rows, cols, ld, values, type, order})) return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = m->rows, *cols = m->cols, *ld = m->ld, *values = m->values, *type = m->type, *order = m->order;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride) {
  if (m == nullptr || count < 1) return CUSPARSE_STATUS_INVALID_VALUE;
  m->batches = count, m->batch_stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets,
                                   void *indices, void *values, cusparseIndexType_t ot, cusparseIndexType_t it,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return make_sparse("cusparseCreateCsr", m,
                     compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, indices, values, ot, it, base, type));
}
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz,
                                        const void *offsets, const void *indices, const void *values,
                                        cusparseIndexType_t ot, cusparseIndexType_t it, cusparseIndexBase_t base,
                                        cudaDataType type) {
  return make_sparse("cusparseCreateConstCsr", const_cast<cusparseSpMatDescr_t *>(m),
                     compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, indices, values, ot, it, base, type));
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets,
                                   void *indices, void *values, cusparseIndexType_t ot, cusparseIndexType_t it,
                                   cusparseIndexBase_t base, cudaDataType type) {
  return make_sparse("cusparseCreateCsc", m,
                     compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, indices, values, ot, it, base, type));
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *r, void *c,
                                   void *values, cusparseIndexType_t it, cusparseIndexBase_t base, cudaDataType type) {
  return make_sparse("cusparseCreateCoo", m,
                     compressed(CUSPARSE_FORMAT_COO, rows, cols, nnz, r, c, values, it, it, base, type));
}
cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t *m, int64_t block_rows, int64_t block_cols, int64_t blocks,
                                   int64_t row_size, int64_t col_size, void *offsets, void *indices, void *values,
                                   cusparseIndexType_t ot, cusparseIndexType_t it, cusparseIndexBase_t base,
                                   cudaDataType type, cusparseOrder_t order) {
  cusparseSpMatDescr made = compressed(CUSPARSE_FORMAT_BSR, block_rows * row_size, block_cols * col_size,
                                       blocks * row_size * col_size, offsets, indices, values, ot, it, base, type);
  made.block_rows = row_size, made.block_cols = col_size, made.block_order = order;
  return row_size < 1 || col_size < 1 ? CUSPARSE_STATUS_INVALID_VALUE : make_sparse("cusparseCreateBsr", m, made);
}
cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t block_size,
                                          int64_t ell_cols, void *indices, void *values, cusparseIndexType_t it,
                                          cusparseIndexBase_t base, cudaDataType type) {
  if (block_size < 1 || rows % block_size != 0 || cols % block_size != 0 || ell_cols % block_size != 0 ||
      ell_cols > cols)
    return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseSpMatDescr made = compressed(CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, rows * ell_cols, nullptr, indices,
                                       values, it, it, base, type);
  made.block_rows = made.block_cols = block_size, made.ell_cols = ell_cols;
  return make_sparse("cusparseCreateBlockedEll", m, made);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { return destroy(m); }

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz) {
  return get(m, rows, cols, nnz);
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets,
                                void **indices, void **values, cusparseIndexType_t *ot, cusparseIndexType_t *it,
                                cusparseIndexBase_t *base, cudaDataType *type) {
  if (has_null({offsets, indices, values, ot, it, base, type}) || get(m, rows, cols, nnz) != CUSPARSE_STATUS_SUCCESS)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *offsets = m->offsets, *indices = m->indices, *values = m->values;
  *ot = m->offset_type, *it = m->index_type, *base = m->base, *type = m->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **r, void **c,
                                void **values, cusparseIndexType_t *it, cusparseIndexBase_t *base, cudaDataType *type) {
  if (has_null({r, c, values, it, base, type}) || get(m, rows, cols, nnz) != CUSPARSE_STATUS_SUCCESS)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *r = m->offsets, *c = m->indices, *values = m->values, *it = m->index_type, *base = m->base, *type = m->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format) {
  if (m == nullptr || format == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *format = m->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t *base) {
  if (m == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = m->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values) {
  if (m == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = m->values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values) {
  if (m == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  m->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which, const void *data,
                                           size_t size) {
  if (m == nullptr || data == nullptr || size != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which == CUSPARSE_SPMAT_FILL_MODE) {
    m->fill = *static_cast<const cusparseFillMode_t *>(data);
  } else if (which == CUSPARSE_SPMAT_DIAG_TYPE) {
    m->diag = *static_cast<const cusparseDiagType_t *>(data);
  } else {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t which, void *data,
                                           size_t size) {
  if (m == nullptr || data == nullptr || size != sizeof(int)) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which != CUSPARSE_SPMAT_FILL_MODE && which != CUSPARSE_SPMAT_DIAG_TYPE) return CUSPARSE_STATUS_INVALID_VALUE;
  const int value = which == CUSPARSE_SPMAT_FILL_MODE ? static_cast<int>(m->fill) : static_cast<int>(m->diag);
  std::memcpy(data, &value, sizeof value);
  return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t set_pointers(cusparseSpMatDescr_t m, cusparseFormat_t format, void *offsets, void *indices,
                                     void *values) {
  if (m == nullptr || m->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
  m->offsets = offsets, m->indices = indices, m->values = values, m->inspected = nullptr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSR, offsets, indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values) {
  return set_pointers(m, CUSPARSE_FORMAT_CSC, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *rows, void *cols, void *values) {
  return set_pointers(m, CUSPARSE_FORMAT_COO, rows, cols, values);
}
static cusparseStatus_t set_batch(cusparseSpMatDescr_t m, cusparseFormat_t format, int count, int64_t offsets,
                                  int64_t values) {
  if (m == nullptr || m->format != format || count < 1 || offsets < 0 || values < 0)
    return CUSPARSE_STATUS_INVALID_VALUE;
  m->batches = count, m->offsets_stride = offsets, m->values_stride = values, m->inspected = nullptr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets, int64_t values) {
  return set_batch(m, CUSPARSE_FORMAT_CSR, count, offsets, values);
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t values) {
  return set_batch(m, CUSPARSE_FORMAT_COO, count, 0, values);
}

}  // extern "C"
#pragma GCC visibility pop

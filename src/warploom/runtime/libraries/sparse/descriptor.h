// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuSPARSE's handles and descriptors hold. Work owns copies of them.
#pragma once

#include <cusparse.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "../common/matrix_description.h"
#include "../common/stream_work.h"
#include "value.h"

struct cusparseContext {
  std::atomic<cudaStream_t> stream{nullptr};
  std::atomic<cusparsePointerMode_t> mode{CUSPARSE_POINTER_MODE_HOST};
};
struct cusparseDnVecDescr {
  std::int64_t size;
  void *values;
  cudaDataType type;
};
struct cusparseSpVecDescr {
  std::int64_t size, nnz;
  void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};
struct cusparseDnMatDescr {
  std::int64_t rows, cols, ld;
  void *values;
  cudaDataType type;
  cusparseOrder_t order;
  int batches = 1;
  std::int64_t batch_stride = 0;

  std::int64_t row_step() const { return order == CUSPARSE_ORDER_ROW ? ld : 1; }
  std::int64_t col_step() const { return order == CUSPARSE_ORDER_ROW ? 1 : ld; }
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, cols, nnz;
  void *offsets;  // CSR, CSC, BSR: of rows, columns, rows of blocks; COO: each value's row
  void *indices;
  void *values;
  cusparseIndexType_t offset_type, index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
  int batches = 1;
  std::int64_t offsets_stride = 0, values_stride = 0;  // of batches
  std::int64_t block_rows = 1, block_cols = 1;
  cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
  std::int64_t ell_cols = 0;
  // Whether cusparseSpMV_preprocess found all columns inside; of the offsets and indices that the matrix has now.
  std::shared_ptr<std::atomic<bool>> inspected;
};

namespace warploom::sparse {

// A number that a call is given by address: copied at the call, or read when the work runs.
class Scalar {
 public:
  Scalar() = default;
  Scalar(cusparseHandle_t handle, const void *address, cudaDataType type) {
    if (handle->mode == CUSPARSE_POINTER_MODE_DEVICE) {
      address_ = address;
    } else {
      with_value_type(type, [&]<class T>(Tag<T>) { std::memcpy(copy_, address, sizeof(T)); });
    }
  }
  template <class T>
  T get() const {
    T value;
    std::memcpy(&value, address_ != nullptr ? address_ : copy_, sizeof value);
    return value;
  }

 private:
  alignas(16) unsigned char copy_[16]{};
  const void *address_ = nullptr;
};

cusparseStatus_t status_of(cudaError_t error);

// Says which parameter of a function is wrong, as cuSPARSE does; returns the code for it.
cusparseStatus_t wrong(const char *function, int number, const char *parameter, const char *value);
cusparseStatus_t wrong(const char *function, int number, const char *parameter, std::int64_t value);

// op_a(A) C = alpha op_b(B), for a triangle in any format.
cusparseStatus_t solve_matrices(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                const void *alpha, const cusparseSpMatDescr &a, const cusparseDnMatDescr &b,
                                const cusparseDnMatDescr &c, cudaDataType compute);

// The conjugate transpose of real values, which cuSPARSE's products refuse. Says which `operation` of a function it is.
cusparseStatus_t check_conjugate(const char *function, const char *operation, cusparseOperation_t op,
                                 cudaDataType type);

// Gives `body()` to the handle's stream; `values`: how many it looks at, about.
template <class Body>
cusparseStatus_t run(cusparseHandle_t handle, const char *name, std::int64_t values, Body &&body) {
  return status_of(
      libraries::enqueue(handle->stream, name, static_cast<double>(values) * 2.0, std::forward<Body>(body)));
}
// For a call whose result the host gets by its return.
template <class Body>
cusparseStatus_t run_and_wait(cusparseHandle_t handle, const char *name, std::int64_t values, Body &&body) {
  const cusparseStatus_t status = run(handle, name, values, std::forward<Body>(body));
  return status != CUSPARSE_STATUS_SUCCESS ? status : status_of(cudaStreamSynchronize(handle->stream));
}

// A message, once in a process, that a matrix has indices outside of it.
void tell_outside(const char *function);

// Lines of `count` are done side by side, `per_tile` to a tile; body(first, last).
template <class Body>
void each_lines(std::int64_t count, std::int64_t values, Body &&body, std::int64_t per_tile = 256) {
  const auto tiles = static_cast<std::uint64_t>((count + per_tile - 1) / per_tile);
  libraries::each_tile(tiles, static_cast<double>(values) * 2.0, [&](std::uint64_t tile) {
    const auto first = static_cast<std::int64_t>(tile) * per_tile;
    body(first, std::min(count, first + per_tile));
  });
}

// What programs hold by address only.
template <class Object>
cusparseStatus_t create_object(Object **made) {
  if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new Object;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Object>
cusparseStatus_t destroy_object(Object *old) {
  delete old;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace warploom::sparse

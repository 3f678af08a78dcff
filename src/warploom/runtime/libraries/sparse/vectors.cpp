// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse vectors and dense ones. Indices outside of the dense vector are left out, after a message.
#include "lines.h"

using namespace warploom::sparse;

namespace {

template <class Each>
void for_indices(const cusparseSpVecDescr &x, std::int64_t size, const char *function, Each each) {
  bool outside = false;
  for (std::int64_t i = 0; i < x.nnz; ++i) {
    const std::int64_t at = index_at(x.indices, x.index_type, i) - x.base;
    if (at < 0 || at >= size) {
      outside = true;
    } else {
      each(i, at);
    }
  }
  if (outside) tell_outside(function);
}

template <class T>
struct Both {
  T *sparse, *dense;
  Both(const cusparseSpVecDescr &x, const cusparseDnVecDescr &y)
      : sparse(static_cast<T *>(x.values)), dense(static_cast<T *>(y.values)) {}
};

cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (x == nullptr || y == nullptr || x->size != y->size) return CUSPARSE_STATUS_INVALID_VALUE;
  return x->type == y->type && is_value_type(x->type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

bool is_complex(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar s(handle, alpha, work_type(x->type)), t(handle, beta, work_type(x->type));
  return run(handle, "cusparseAxpby", x->nnz + y->size, [s, t, x = *x, y = *y] {
    with_value_type(x.type, [&]<class T>(Tag<T>) {
      const Both<T> v(x, y);
      const Work<T> a = s.get<Work<T>>(), b = t.get<Work<T>>();
      for (std::int64_t i = 0; i < y.size && !(b == Work<T>(1)); ++i) {
        v.dense[i] = Number<T>::store(b == Work<T>(0) ? Work<T>(0) : b * load(v.dense[i]));
      }
      for_indices(x, y.size, "cusparseAxpby", [&](std::int64_t i, std::int64_t at) {
        v.dense[at] = Number<T>::store(load(v.dense[at]) + a * load(v.sparse[i]));
      });
    });
  });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseGather", x->nnz, [x = *x, y = *y] {
    with_value_type(x.type, [&]<class T>(Tag<T>) {
      const Both<T> v(x, y);
      for_indices(x, y.size, "cusparseGather", [&](std::int64_t i, std::int64_t at) { v.sparse[i] = v.dense[at]; });
    });
  });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  return run(handle, "cusparseScatter", x->nnz, [x = *x, y = *y] {
    with_value_type(x.type, [&]<class T>(Tag<T>) {
      const Both<T> v(x, y);
      for_indices(x, y.size, "cusparseScatter", [&](std::int64_t i, std::int64_t at) { v.dense[at] = v.sparse[i]; });
    });
  });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (c == nullptr || s == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar cosine(handle, c, work_type(x->type)), sine(handle, s, work_type(x->type));
  return run(handle, "cusparseRot", x->nnz, [cosine, sine, x = *x, y = *y] {
    with_value_type(x.type, [&]<class T>(Tag<T>) {
      const Both<T> v(x, y);
      const Work<T> a = cosine.get<Work<T>>(), b = sine.get<Work<T>>();
      for_indices(x, y.size, "cusparseRot", [&](std::int64_t i, std::int64_t at) {
        const Work<T> one = load(v.sparse[i]), other = load(v.dense[at]);
        v.sparse[i] = Number<T>::store(a * one + b * other);
        v.dense[at] = Number<T>::store(a * other - b * one);
      });
    });
  });
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void *, cudaDataType, size_t *size) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 0;
  return status;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType compute, void *) {
  const cusparseStatus_t status = check(handle, x, y);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const bool is_operation =
      op == CUSPARSE_OPERATION_NON_TRANSPOSE || (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && is_complex(x->type));
  if (result == nullptr || !is_operation) return CUSPARSE_STATUS_INVALID_VALUE;
  if (compute != work_type(x->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const auto body = [op, result, x = *x, y = *y] {
    with_value_type(x.type, [&]<class T>(Tag<T>) {
      const Both<T> v(x, y);
      Work<T> sum(0);
      for_indices(x, y.size, "cusparseSpVV", [&](std::int64_t i, std::int64_t at) {
        const Work<T> left = load(v.sparse[i]);
        sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(left) : left) * load(v.dense[at]);
      });
      std::memcpy(result, &sum, sizeof sum);
    });
  };
  if (handle->mode == CUSPARSE_POINTER_MODE_DEVICE) return run(handle, "cusparseSpVV", x->nnz, body);
  return run_and_wait(handle, "cusparseSpVV", x->nnz, body);
}

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasXt. All devices have the processors and the memory of the host: a product is computed where it lies, and the
// tiles that it is cut into are cuBLAS's own.
#include <cublasXt.h>

#include <memory>

#include "handle.h"

struct cublasXtContext {
  cublasHandle_t blas = nullptr;
  int block = 2048;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
  bool has_devices = false;
};

namespace warploom::blas {
namespace {

bool is_open(cublasXtHandle_t handle) { return handle != nullptr && is_alive(handle->blas); }

// A call of cublasXt ends when its result is there.
cublasStatus_t finish(cublasXtHandle_t handle, cublasStatus_t status) {
  cudaStream_t stream = nullptr;
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasGetStream(handle->blas, &stream);
  return status == CUBLAS_STATUS_SUCCESS ? status_of(cudaStreamSynchronize(stream)) : status;
}

bool is_known(cublasXtBlasOp_t operation, cublasXtOpType_t type) {
  return operation >= CUBLASXT_GEMM && operation < CUBLASXT_ROUTINE_MAX && type >= CUBLASXT_FLOAT &&
         type <= CUBLASXT_DOUBLECOMPLEX;
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  auto made = std::make_unique<cublasXtContext>();
  const cublasStatus_t status = create(&made->blas);
  if (status == CUBLAS_STATUS_SUCCESS) *handle = made.release();
  return status;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = destroy(handle->blas);
  delete handle;
  return status;
}

cublasStatus_t cublasXtGetNumBoards(int devices, int device_ids[], int *boards) {
  if (devices <= 0 || device_ids == nullptr || boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *boards = devices;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtMaxBoards(int *boards) {
  if (boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return status_of(cudaGetDeviceCount(boards));
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int devices, int device_ids[]) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  int count = 0;
  if (devices <= 0 || device_ids == nullptr || cudaGetDeviceCount(&count) != cudaSuccess) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  for (int i = 0; i < devices; ++i) {
    if (device_ids[i] < 0 || device_ids[i] >= count) return CUBLAS_STATUS_INVALID_VALUE;
  }
  handle->has_devices = true;
  return CUBLAS_STATUS_SUCCESS;
}

// What is set here is kept for those who ask; results do not depend on it.
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  if (!is_open(handle) || block <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->block = block;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int *block) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (block == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *block = handle->block;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (mode != CUBLASXT_PINNING_DISABLED && mode != CUBLASXT_PINNING_ENABLED) return CUBLAS_STATUS_INVALID_VALUE;
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t *mode) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (mode == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}
// The processors compute all of a product already.
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                     void *) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return is_known(operation, type) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                   float ratio) {
  if (!is_open(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return is_known(operation, type) && ratio >= 0 && ratio <= 1 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

#define WARPLOOM_IN(...) __VA_ARGS__
#define WARPLOOM_XT(ROUTINE, PARAMETERS, ARGUMENTS)                                     \
  cublasStatus_t cublasXt##ROUTINE(cublasXtHandle_t handle, WARPLOOM_IN PARAMETERS) {   \
    if (!is_open(handle) || !handle->has_devices) return CUBLAS_STATUS_NOT_INITIALIZED; \
    return finish(handle, cublas##ROUTINE##_64(handle->blas, WARPLOOM_IN ARGUMENTS));   \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "warploom/libraries/cublas_xt.def"
#pragma GCC diagnostic pop
#undef WARPLOOM_XT
#undef WARPLOOM_IN

}  // extern "C"
#pragma GCC visibility pop

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles and what configures them, copies of vectors and matrices, names of codes.
#include <atomic>
#include <cstdio>

#include "../common/refused.h"
#include "handle.h"
#include "instances.h"

namespace warploom::blas {
namespace {

// Sets or reads one of a handle's settings.
template <class Body>
cublasStatus_t with(cublasHandle_t handle, const Body &body) {
  return is_alive(handle) ? body(*handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}

template <class T, class Value>
cublasStatus_t read(cublasHandle_t handle, T *out, const Value &value) {
  return with(handle, [&](cublasContext &context) {
    if (out == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *out = value(context);
    return CUBLAS_STATUS_SUCCESS;
  });
}

bool is_math_mode(unsigned mode) { return (mode & ~unsigned{CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION}) <= 4; }

cublasStatus_t copied(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

// `n` elements of `size` bytes that lie apart by increments.
cublasStatus_t copy_vector(std::int64_t n, std::int64_t size, const void *x, std::int64_t incx, void *y,
                           std::int64_t incy, cudaMemcpyKind kind, const cudaStream_t *stream) {
  if (n < 0) return CUBLAS_STATUS_MAPPING_ERROR;
  if (size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const auto bytes = static_cast<std::size_t>(size);
  const std::size_t to = bytes * static_cast<std::size_t>(incy), from = bytes * static_cast<std::size_t>(incx);
  const auto rows = static_cast<std::size_t>(n);
  if (stream == nullptr) return copied(cudaMemcpy2D(y, to, x, from, bytes, rows, kind));
  return copied(cudaMemcpy2DAsync(y, to, x, from, bytes, rows, kind, *stream));
}

cublasStatus_t copy_matrix(std::int64_t rows, std::int64_t columns, std::int64_t size, const void *a, std::int64_t lda,
                           void *b, std::int64_t ldb, cudaMemcpyKind kind, const cudaStream_t *stream) {
  if (rows < 0 || columns < 0 || size <= 0 || lda < rows || ldb < rows || lda <= 0 || ldb <= 0) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const auto bytes = static_cast<std::size_t>(size), width = bytes * static_cast<std::size_t>(rows);
  const std::size_t to = bytes * static_cast<std::size_t>(ldb), from = bytes * static_cast<std::size_t>(lda);
  const auto height = static_cast<std::size_t>(columns);
  if (stream == nullptr) return copied(cudaMemcpy2D(b, to, a, from, width, height, kind));
  return copied(cudaMemcpy2DAsync(b, to, a, from, width, height, kind, *stream));
}

std::atomic<cublasLogCallback> log_callback = nullptr;

struct Status {
  cublasStatus_t code;
  const char *name, *text;
};
constexpr Status kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires an architectural feature absent from the device"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the functionality requested requires some license and an error was detected when trying to check the current "
     "licensing"},
};
const Status *find_status(cublasStatus_t code) {
  for (const Status &status : kStatuses) {
    if (status.code == code) return &status;
  }
  return nullptr;
}

}  // namespace
}  // namespace warploom::blas

using namespace warploom::blas;

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) { return create(handle); }
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) { return destroy(handle); }

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
  constexpr int kParts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kParts[type];
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

// Memory of the program's for work areas, which nothing here needs.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size) {
  return with(handle, [&](cublasContext &) {
    return workspace == nullptr && size != 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return with(handle, [&](cublasContext &context) {
    context.stream = stream;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
  return read(handle, stream, [](cublasContext &context) { return context.stream.load(); });
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with(handle, [&](cublasContext &context) {
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_INVALID_VALUE;
    context.pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) {
  return read(handle, mode, [](cublasContext &context) { return context.pointer_mode.load(); });
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return with(handle, [&](cublasContext &context) {
    if (mode != CUBLAS_ATOMICS_NOT_ALLOWED && mode != CUBLAS_ATOMICS_ALLOWED) return CUBLAS_STATUS_INVALID_VALUE;
    context.atomics_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode) {
  return read(handle, mode, [](cublasContext &context) { return context.atomics_mode.load(); });
}

// Every mode gives the accuracy of the plain one, or better.
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with(handle, [&](cublasContext &context) {
    if (!is_math_mode(mode)) return CUBLAS_STATUS_INVALID_VALUE;
    context.math_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode) {
  return read(handle, mode, [](cublasContext &context) { return static_cast<cublasMath_t>(context.math_mode.load()); });
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return with(handle, [&](cublasContext &context) {
    if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    context.processors = count;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *count) {
  return read(handle, count, [](cublasContext &context) { return context.processors.load(); });
}

cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t strategy) {
  return with(handle, [&](cublasContext &context) {
    if (strategy < CUBLAS_EMULATION_STRATEGY_DEFAULT || strategy > CUBLAS_EMULATION_STRATEGY_EAGER) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
    context.strategy = strategy;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle, cublasEmulationStrategy_t *strategy) {
  return read(handle, strategy, [](cublasContext &context) { return context.strategy.load(); });
}

cublasStatus_t cublasLoggerConfigure(int is_on, int, int, const char *) {
  if (is_on == 0) return CUBLAS_STATUS_SUCCESS;
  return WARPLOOM_REFUSE("cublasLoggerConfigure", "there is no log of calls; `warploom profile` lists them",
                         CUBLAS_STATUS_NOT_SUPPORTED);
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
  log_callback = callback;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback) {
  if (callback == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *callback = log_callback;
  return CUBLAS_STATUS_SUCCESS;
}

void cublasXerbla(const char *function, int parameter) { wrong_parameter(function, parameter); }

const char *cublasGetStatusName(cublasStatus_t code) {
  const Status *const status = find_status(code);
  return status == nullptr ? "unrecognized status" : status->name;
}
const char *cublasGetStatusString(cublasStatus_t code) {
  const Status *const status = find_status(code);
  return status == nullptr ? "unrecognized status" : status->text;
}

#define COPIES_OF(KIND, DIRECTION, I, S)                                                                       \
  cublasStatus_t cublas##KIND##Vector##S(I n, I size, const void *x, I incx, void *y, I incy) {                \
    return copy_vector(n, size, x, incx, y, incy, DIRECTION, nullptr);                                         \
  }                                                                                                            \
  cublasStatus_t cublas##KIND##VectorAsync##S(I n, I size, const void *x, I incx, void *y, I incy,             \
                                              cudaStream_t stream) {                                           \
    return copy_vector(n, size, x, incx, y, incy, DIRECTION, &stream);                                         \
  }                                                                                                            \
  cublasStatus_t cublas##KIND##Matrix##S(I rows, I columns, I size, const void *a, I lda, void *b, I ldb) {    \
    return copy_matrix(rows, columns, size, a, lda, b, ldb, DIRECTION, nullptr);                               \
  }                                                                                                            \
  cublasStatus_t cublas##KIND##MatrixAsync##S(I rows, I columns, I size, const void *a, I lda, void *b, I ldb, \
                                              cudaStream_t stream) {                                           \
    return copy_matrix(rows, columns, size, a, lda, b, ldb, DIRECTION, &stream);                               \
  }
COPIES_OF(Set, cudaMemcpyHostToDevice, int, )
COPIES_OF(Get, cudaMemcpyDeviceToHost, int, )
COPIES_OF(Set, cudaMemcpyHostToDevice, std::int64_t, _64)
COPIES_OF(Get, cudaMemcpyDeviceToHost, std::int64_t, _64)

}  // extern "C"
#pragma GCC visibility pop

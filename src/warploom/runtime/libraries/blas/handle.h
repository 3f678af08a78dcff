// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's handles, and how a call becomes an operation of the handle's stream.
#pragma once

#include <cublas_api.h>

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../common/stream_work.h"

// Read by every call, from any thread; set by the few functions that configure it.
struct cublasContext {
  std::atomic<cudaStream_t> stream{nullptr};
  std::atomic<cublasPointerMode_t> pointer_mode{CUBLAS_POINTER_MODE_HOST};
  std::atomic<cublasAtomicsMode_t> atomics_mode{CUBLAS_ATOMICS_NOT_ALLOWED};
  std::atomic<unsigned> math_mode{CUBLAS_DEFAULT_MATH};
  std::atomic<int> processors{0};  // cublasSetSmCountTarget
  std::atomic<cublasEmulationStrategy_t> strategy{CUBLAS_EMULATION_STRATEGY_DEFAULT};
};

namespace warploom::blas {

using libraries::each_tile;
using libraries::tile_threads;

cublasStatus_t create(cublasHandle_t *handle);
cublasStatus_t destroy(cublasHandle_t handle);
// Whether `handle` has been created and not destroyed.
bool is_alive(cublasHandle_t handle);

cublasStatus_t status_of(cudaError_t error);

// Writes that parameter `number` of the function (as BLAS calls it: "SGEMM ") is wrong; returns the code for that.
cublasStatus_t wrong_parameter(const char *function, int number);

// A number that the call is given by address: copied at the call, or read when the work runs.
template <class T>
class Scalar {
 public:
  Scalar() = default;
  explicit Scalar(T value) : value_(value) {}
  Scalar(cublasHandle_t handle, const T *address) {
    if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
      address_ = address;
    } else {
      value_ = *address;
    }
  }
  T get() const { return address_ != nullptr ? *address_ : value_; }
  // Whether it is known to be zero at the call.
  bool is_known() const { return address_ == nullptr; }

 private:
  T value_{};
  const T *address_ = nullptr;
};

// Gives `body()` to the handle's stream; `nanoseconds`: on one processor.
template <class Body>
cublasStatus_t run(cublasHandle_t handle, const char *name, double nanoseconds, Body &&body) {
  return status_of(libraries::enqueue(handle->stream, name, nanoseconds, std::forward<Body>(body)));
}

// The same for a call whose result the host gets by its return, unless it is for the device.
template <class Body>
cublasStatus_t run_for_result(cublasHandle_t handle, const char *name, double nanoseconds, Body &&body) {
  const cublasStatus_t status = run(handle, name, nanoseconds, std::forward<Body>(body));
  if (status != CUBLAS_STATUS_SUCCESS || handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return status;
  return status_of(cudaStreamSynchronize(handle->stream));
}

}  // namespace warploom::blas

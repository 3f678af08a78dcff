// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handle.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <unordered_set>

#include "../common/openblas.h"
#include "../common/refused.h"
#include "check.h"

namespace warploom::blas {
namespace {

struct Handles {
  std::mutex mutex;
  std::unordered_set<cublasHandle_t> alive;
};

Handles &handles() {
  static auto *const result = new Handles;  // never destroyed: destructors at exit may still ask
  return *result;
}

// The last handle that this thread has found alive, and how many had been destroyed by then.
std::atomic<std::uint64_t> destroyed = 0;
thread_local cublasHandle_t known = nullptr;
thread_local std::uint64_t known_at = 0;

}  // namespace

cublasStatus_t create(cublasHandle_t *handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (!libraries::load_openblas()) return CUBLAS_STATUS_NOT_INITIALIZED;
  auto *const made = new (std::nothrow) cublasContext;
  if (made == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  const std::lock_guard lock(handles().mutex);
  handles().alive.insert(made);
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t destroy(cublasHandle_t handle) {
  const std::lock_guard lock(handles().mutex);
  if (handles().alive.erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  ++destroyed;
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

bool is_alive(cublasHandle_t handle) {
  if (handle == nullptr) return false;
  const std::uint64_t now = destroyed;
  if (handle == known && now == known_at) return true;
  const std::lock_guard lock(handles().mutex);
  if (!handles().alive.contains(handle)) return false;
  known = handle;
  known_at = now;
  return true;
}

cublasStatus_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return CUBLAS_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation:
      return CUBLAS_STATUS_ALLOC_FAILED;
    default:
      return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

cublasStatus_t wrong_parameter(const char *function, int number) {
  std::printf(" ** On entry to %-6s parameter number %d had an illegal value\n", function, number);
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t Check::too_large(const char *function) {
  return WARPLOOM_REFUSE(function, "its matrices are addressed with 32 bits, and a size is larger",
                         CUBLAS_STATUS_NOT_SUPPORTED);
}

}  // namespace warploom::blas

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handle.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>

#include "../common/refused.h"

namespace warploom::dnn {
namespace {

struct Objects {
  std::shared_mutex mutex;
  std::unordered_set<const void *> alive;
};
Objects &objects() {
  static auto *const result = new Objects;  // never destroyed: destructors at exit may still ask
  return *result;
}

thread_local std::string last_error;

struct Callback {
  std::mutex mutex;
  unsigned mask = 0;
  void *data = nullptr;
  cudnnCallback_t function = nullptr;
};
Callback &callback() {
  static auto *const result = new Callback;
  return *result;
}

struct Name {
  cudnnStatus_t status;
  const char *name;
};
#define NAME(STATUS) {CUDNN_STATUS_##STATUS, "CUDNN_STATUS_" #STATUS}
constexpr Name kNames[] = {
    NAME(SUCCESS),
    NAME(NOT_INITIALIZED),
    NAME(SUBLIBRARY_VERSION_MISMATCH),
    NAME(SERIALIZATION_VERSION_MISMATCH),
    NAME(DEPRECATED),
    NAME(LICENSE_ERROR),
    NAME(RUNTIME_IN_PROGRESS),
    NAME(RUNTIME_FP_OVERFLOW),
    NAME(SUBLIBRARY_LOADING_FAILED),
    NAME(BAD_PARAM),
    NAME(BAD_PARAM_NULL_POINTER),
    NAME(BAD_PARAM_MISALIGNED_POINTER),
    NAME(BAD_PARAM_NOT_FINALIZED),
    NAME(BAD_PARAM_OUT_OF_BOUND),
    NAME(BAD_PARAM_SIZE_INSUFFICIENT),
    NAME(BAD_PARAM_STREAM_MISMATCH),
    NAME(BAD_PARAM_SHAPE_MISMATCH),
    NAME(BAD_PARAM_DUPLICATED_ENTRIES),
    NAME(BAD_PARAM_CUDA_GRAPH_MISMATCH),
    NAME(BAD_PARAM_DESCRIPTOR_TYPE),
    NAME(NOT_SUPPORTED),
    NAME(NOT_SUPPORTED_GRAPH_PATTERN),
    NAME(NOT_SUPPORTED_SHAPE),
    NAME(NOT_SUPPORTED_DATA_TYPE),
    NAME(NOT_SUPPORTED_LAYOUT),
    NAME(NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER),
    NAME(NOT_SUPPORTED_INCOMPATIBLE_CUDART),
    NAME(NOT_SUPPORTED_ARCH_MISMATCH),
    NAME(NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING),
    NAME(NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE),
    NAME(NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT),
    NAME(NOT_SUPPORTED_PADDING),
    NAME(NOT_SUPPORTED_BAD_LAUNCH_PARAM),
    NAME(NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API),
    NAME(INTERNAL_ERROR),
    NAME(INTERNAL_ERROR_COMPILATION_FAILED),
    NAME(INTERNAL_ERROR_UNEXPECTED_VALUE),
    NAME(INTERNAL_ERROR_HOST_ALLOCATION_FAILED),
    NAME(INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED),
    NAME(INTERNAL_ERROR_BAD_LAUNCH_PARAM),
    NAME(INTERNAL_ERROR_TEXTURE_CREATION_FAILED),
    NAME(EXECUTION_FAILED),
    NAME(EXECUTION_FAILED_CUDA_DRIVER),
    NAME(EXECUTION_FAILED_CUBLAS),
    NAME(EXECUTION_FAILED_CUDART),
    NAME(EXECUTION_FAILED_CURAND),
    NAME(INVALID_VALUE),
};
#undef NAME

}  // namespace

cudnnStatus_t tell(const char *function, const Wrong &wrong) {
  const char *const verb = wrong.status == CUDNN_STATUS_NOT_SUPPORTED ? " does not support " : ": ";
  last_error = std::string(function) + verb + wrong.text + " (" + cudnnGetErrorString(wrong.status) + ")";
  __warploom_library_message(last_error.c_str());
  return wrong.status;
}

void need(bool holds, const std::string &text) {
  if (!holds) throw Wrong{CUDNN_STATUS_BAD_PARAM, text};
}
void support(bool holds, const std::string &text) {
  if (!holds) throw Wrong{CUDNN_STATUS_NOT_SUPPORTED, text};
}
void check(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (error != cudaSuccess) throw Wrong{CUDNN_STATUS_EXECUTION_FAILED, cudaGetErrorString(error)};
}

void stop_without_memory(const char *name) {
  __warploom_library_message((std::string(name) + " found no memory left to work in").c_str());
  std::abort();
}

void add_object(const void *object) {
  const std::lock_guard lock(objects().mutex);
  objects().alive.insert(object);
}
bool remove_object(const void *object) {
  const std::lock_guard lock(objects().mutex);
  return objects().alive.erase(object) != 0;
}
bool is_object(const void *object) {
  const std::shared_lock lock(objects().mutex);
  return objects().alive.contains(object);
}

}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) { return create(__func__, handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) { return destroy(__func__, handle); }
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return guarded(__func__, [&] { object_of(handle, "the handle").stream = stream; });
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
  return guarded(__func__, [&] {
    need(stream != nullptr, "the pointer to the stream is null");
    *stream = object_of(handle, "the handle").stream;
  });
}

size_t cudnnGetVersion(void) { return CUDNN_VERSION; }
size_t cudnnGetMaxDeviceVersion(void) { return CUDNN_MAX_DEVICE_VERSION; }
size_t cudnnGetCudartVersion(void) { return CUDART_VERSION; }
cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value) {
  return guarded(__func__, [&] {
    need(value != nullptr, "the pointer to the value is null");
    need(type >= MAJOR_VERSION && type <= PATCH_LEVEL, "there is no such property");
    constexpr int kVersion[] = {CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL};
    *value = kVersion[type];
  });
}
// All parts are of one library.
cudnnStatus_t cudnnGraphVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnOpsVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnCnnVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }
cudnnStatus_t cudnnAdvVersionCheck(void) { return CUDNN_STATUS_SUCCESS; }

const char *cudnnGetErrorString(cudnnStatus_t status) {
  const auto *const found =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name &each) { return each.status == status; });
  return found != std::end(kNames) ? found->name : "CUDNN_UNKNOWN_STATUS";
}
void cudnnGetLastErrorString(char *message, size_t max_size) {
  if (message == nullptr || max_size == 0) return;
  const size_t length = std::min(last_error.size(), max_size - 1);
  std::memcpy(message, last_error.data(), length);
  message[length] = 0;
}
// Errors of the work itself are the stream's.
cudnnStatus_t cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *status, cudnnErrQueryMode_t mode,
                                     cudnnRuntimeTag_t *) {
  return guarded(__func__, [&] {
    need(status != nullptr, "the pointer to the status is null");
    const cudaStream_t stream = object_of(handle, "the handle").stream;
    *status = CUDNN_STATUS_SUCCESS;
    if (mode == CUDNN_ERRQUERY_BLOCKING) check(cudaStreamSynchronize(stream));
  });
}

// Messages go to stderr; the callback is kept for those who ask for it.
cudnnStatus_t cudnnSetCallback(unsigned mask, void *data, cudnnCallback_t function) {
  const std::lock_guard lock(callback().mutex);
  callback().mask = mask;
  callback().data = data;
  callback().function = function;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetCallback(unsigned *mask, void **data, cudnnCallback_t *function) {
  return guarded(__func__, [&] {
    need(mask != nullptr && data != nullptr && function != nullptr, "a pointer to a result is null");
    const std::lock_guard lock(callback().mutex);
    *mask = callback().mask;
    *data = callback().data;
    *function = callback().function;
  });
}

#define WARPLOOM_CUDNN(NAME, PARAMETERS)                                                       \
  cudnnStatus_t NAME PARAMETERS {                                                              \
    return WARPLOOM_REFUSE(#NAME, "it has not been written; docs/libraries.md lists what has", \
                           CUDNN_STATUS_NOT_SUPPORTED);                                        \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "warploom/libraries/cudnn_refused.def"
#pragma GCC diagnostic pop
#undef WARPLOOM_CUDNN

}  // extern "C"
#pragma GCC visibility pop

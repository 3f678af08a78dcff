// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API over the runtime API: one implementation, two vocabularies.
#pragma once

#include <vector>

#include "context.h"
#include "cuda.h"
#include "cuda_runtime_api.h"
#include "error.h"

namespace warploom {

// The driver's name for a runtime error: the same number where both have it.
CUresult driver_result(cudaError_t error);
bool driver_is_initialised();

// A runtime call on behalf of the driver API, whose errors are returned only, never left for cudaGetLastError. It needs
// no context.
template <class Call>
CUresult anywhere_call(Call &&call, const Caller &caller = WARPLOOM_CALLER) {
  const CallScope scope(caller);
  if (!driver_is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const ErrorKeeper keeper;
  const InDriver here;
  return CallScope::result(driver_result(call()));
}

// The same where the calling thread must have a context.
template <class Call>
CUresult driver_call(Call &&call, const Caller &caller = WARPLOOM_CALLER) {
  if (!driver_is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  return current_context() ? anywhere_call(call, caller) : CUDA_ERROR_INVALID_CONTEXT;
}

// The same on a stream, which brings its context unless it is one of the default streams.
template <class Call>
CUresult stream_driver_call(CUstream stream, Call &&call, const Caller &caller = WARPLOOM_CALLER) {
  const bool is_default = !stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  return is_default ? driver_call(call, caller) : anywhere_call(call, caller);
}

// Arguments packed one after another, as CU_LAUNCH_PARAM_BUFFER_POINTER passes them.
std::vector<void *> unpack(const Kernel &kernel, void **extra);

inline void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

}  // namespace warploom

// A name under which programs built against NVIDIA's headers link.
#define WARPLOOM_DRIVER_VERSION(name, suffix) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##suffix

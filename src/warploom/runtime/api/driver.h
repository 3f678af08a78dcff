// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API over the runtime API: one implementation, two vocabularies.
#pragma once

#include <vector>

#include "cuda.h"
#include "cuda_runtime_api.h"
#include "error.h"

struct CUctx_st {
  int device;
};

namespace warploom {

// The driver's name for a runtime error: the same number where both have it.
CUresult driver_result(cudaError_t error);
bool driver_is_initialised();

// A runtime call on behalf of the driver API, whose errors are returned only, never left for cudaGetLastError.
template <class Call>
CUresult driver_call(Call &&call, const Caller &caller = WARPLOOM_CALLER) {
  const CallScope scope(caller);
  if (!driver_is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const ErrorKeeper keeper;
  return driver_result(call());
}

// The device of the calling thread's context; -1 when it has none.
int context_device();

// Arguments packed one after another, as CU_LAUNCH_PARAM_BUFFER_POINTER passes them.
std::vector<void *> unpack(const Kernel &kernel, void **extra);

inline void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

}  // namespace warploom

// A name under which programs built against NVIDIA's headers link.
#define WARPLOOM_DRIVER_VERSION(name, suffix) \
  extern "C" __attribute__((visibility("default"), alias(#name))) decltype(name) name##suffix

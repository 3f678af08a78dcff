// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as CUDA reports them: the last error of each host thread, and the fault of the device, which every later call
// returns until cudaDeviceReset.
#pragma once

#include <new>

#include "../engine.h"
#include "caller.h"
#include "context.h"
#include "cuda_runtime_api.h"

namespace warploom {

// Remembers a failure as the calling thread's last error; returns its argument. That something has not ended yet is no
// failure (an H200 does not remember it either).
cudaError_t record(cudaError_t error);

// Restores the calling thread's last error at the end of a scope.
class ErrorKeeper {
 public:
  ErrorKeeper();
  ~ErrorKeeper();
  ErrorKeeper(const ErrorKeeper &) = delete;
  ErrorKeeper &operator=(const ErrorKeeper &) = delete;

 private:
  cudaError_t kept_;
};

// The error of the grid that faulted, or cudaSuccess.
cudaError_t device_fault();
void set_device_fault(Outcome outcome);
// The same for the error of an operation that ran after its submission had returned.
void set_device_error(cudaError_t error);
void clear_errors();

// The calling thread runs a function of the program that a stream called: the API is not for it.
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  HostFunction(const HostFunction &) = delete;
  HostFunction &operator=(const HostFunction &) = delete;

 private:
  ErrorKeeper keeper_;
};
bool in_host_function();

// One clear line on stderr, and the error to return.
cudaError_t not_supported(const char *function, const char *reason);

// The body of an entry point that host functions may call, too.
template <class Body>
cudaError_t call_from_anywhere(Body &&body, const Caller &caller = WARPLOOM_CALLER) noexcept {
  const CallScope scope(caller);
  enter_runtime();
  if (const cudaError_t fault = device_fault(); fault != cudaSuccess) return CallScope::result(record(fault));
  try {
    return CallScope::result(record(body()));
  } catch (const std::bad_alloc &) {
    return CallScope::result(record(cudaErrorMemoryAllocation));
  }
}

// The body of an entry point: a device fault goes before anything else, what the body returns is recorded.
template <class Body>
cudaError_t api_call(Body &&body, const Caller &caller = WARPLOOM_CALLER) noexcept {
  return call_from_anywhere([&]() -> cudaError_t { return in_host_function() ? cudaErrorNotPermitted : body(); },
                            caller);
}

}  // namespace warploom

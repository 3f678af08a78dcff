// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "error.h"

#include <atomic>

#include "../interrupt.h"
#include "../message.h"

namespace warploom {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
thread_local bool host_function_runs = false;
std::atomic<cudaError_t> fault = cudaSuccess;

struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};

constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
#define WARPLOOM_ERROR(name, value, text) {cudaError##name, "cudaError" #name, text},
#include "warploom/error_codes.def"
#undef WARPLOOM_ERROR
};

const ErrorText *find_error(cudaError_t code) {
  for (const ErrorText &error : kErrors)
    if (error.code == code) return &error;
  return nullptr;
}

cudaError_t error_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
    case Outcome::kStopped:
      return cudaSuccess;
    case Outcome::kAssert:
      return cudaErrorAssert;
    case Outcome::kIllegalAddress:
    case Outcome::kStackOverflow:  // what an H200 reports for recursion that runs out of stack
      return cudaErrorIllegalAddress;
    case Outcome::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case Outcome::kTrap:
    case Outcome::kDeadlock:
      return cudaErrorLaunchFailure;
  }
  return cudaErrorUnknown;
}

}  // namespace

constinit thread_local Caller current_caller;

cudaError_t record(cudaError_t error) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  if (in_device_code())
    set_calling_thread_error(error);
  else
    last_error = error;
  return error;
}

HostFunction::HostFunction() {
  note_host_function_begins();
  host_function_runs = true;
}
HostFunction::~HostFunction() {
  host_function_runs = false;
  note_host_function_ends();
}
bool in_host_function() { return host_function_runs; }

ErrorKeeper::ErrorKeeper() : kept_(last_error) {}
ErrorKeeper::~ErrorKeeper() { last_error = kept_; }

cudaError_t device_fault() { return fault.load(std::memory_order_relaxed); }

void set_device_fault(Outcome outcome) {
  cudaError_t none = cudaSuccess;
  if (error_of(outcome) == cudaSuccess || !fault.compare_exchange_strong(none, error_of(outcome))) return;
  stop_waiting_grids(true);  // what they wait for may not run any more
}

void set_device_error(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  if (fault.compare_exchange_strong(none, error)) stop_waiting_grids(true);
}

void clear_errors() {
  fault = cudaSuccess;
  stop_waiting_grids(false);
  last_error = cudaSuccess;
}

cudaError_t not_supported(const char *function, const char *reason) {
  write_error(std::string(function) + " is not supported: " + reason);
  return cudaErrorNotSupported;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGetLastError() {
  if (in_device_code()) {
    const auto error = static_cast<cudaError_t>(calling_thread_error());
    if (error != cudaSuccess) set_calling_thread_error(cudaSuccess);
    return error;
  }
  const cudaError_t error = last_error;
  // A fault of the device does not come back here until another call has returned it once more (seen on an H200).
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return in_device_code() ? static_cast<cudaError_t>(calling_thread_error()) : last_error;
}

const char *cudaGetErrorName(cudaError_t error) {
  const ErrorText *found = find_error(error);
  return found ? found->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const ErrorText *found = find_error(error);
  return found ? found->text : "unrecognized error code";
}

}  // extern "C"

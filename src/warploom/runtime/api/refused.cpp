// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the runtime API and of the driver API that there is nothing behind, as far as programs need them to
// compile and link: each says once that it is not supported.
#include <atomic>
#include <string>

#include "../report.h"
#include "driver.h"

namespace warploom {
namespace {

void tell(std::atomic_flag &told, const char *function, const char *status) {
  if (told.test_and_set()) return;
  write_error(std::string(function) + " is not supported: there is nothing behind it on a CPU; it returns " + status);
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

#define WARPLOOM_REFUSED(name, parameters)           \
  cudaError_t name parameters {                      \
    static std::atomic_flag told = ATOMIC_FLAG_INIT; \
    tell(told, #name, "cudaErrorNotSupported");      \
    return record(cudaErrorNotSupported);            \
  }
#include "warploom/runtime_refused.def"
#undef WARPLOOM_REFUSED

#define WARPLOOM_REFUSED(name, parameters)           \
  CUresult name parameters {                         \
    static std::atomic_flag told = ATOMIC_FLAG_INIT; \
    tell(told, #name, "CUDA_ERROR_NOT_SUPPORTED");   \
    return CUDA_ERROR_NOT_SUPPORTED;                 \
  }
#include "warploom/driver_refused.def"
#undef WARPLOOM_REFUSED

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuGraphicsResourceGetMappedPointer, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphicsResourceSetMapFlags, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefGetAddress, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefSetAddress, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefSetAddress2D, _v3);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the runtime API and of the driver API that there is nothing behind, as far as programs need them to
// compile and link: each says once that it is not supported. And copies of many pieces by one call.
#include <atomic>
#include <string>

#include "../report.h"
#include "driver.h"

namespace warploom {
namespace {

void tell(std::atomic_flag &told, const char *function) {
  if (!told.test_and_set()) write_error(std::string(function) + " is not supported: it does nothing, and says so");
}

template <class Body>
cudaError_t for_each(std::size_t count, bool legal, Body &&body) {
  if (count != 0 && !legal) return record(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (const cudaError_t error = body(i); error != cudaSuccess) return error;
  return cudaSuccess;
}

// The number of the entry that says something of piece `i`: the last whose first piece is not behind it.
std::size_t entry_of(const std::size_t *firsts, std::size_t entries, std::size_t i) {
  std::size_t found = 0;
  while (found + 1 < entries && firsts[found + 1] <= i) ++found;
  return found;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

#define WARPLOOM_REFUSED(name, parameters)           \
  cudaError_t name parameters {                      \
    static std::atomic_flag told = ATOMIC_FLAG_INIT; \
    tell(told, #name);                               \
    return record(cudaErrorNotSupported);            \
  }
#include "warploom/runtime_refused.def"
#undef WARPLOOM_REFUSED

#define WARPLOOM_REFUSED(name, parameters)           \
  CUresult name parameters {                         \
    static std::atomic_flag told = ATOMIC_FLAG_INIT; \
    tell(told, #name);                               \
    return CUDA_ERROR_NOT_SUPPORTED;                 \
  }
#include "warploom/driver_refused.def"
#undef WARPLOOM_REFUSED

cudaError_t cudaMemcpyBatchAsync(const void **dsts, const void **srcs, const size_t *sizes, size_t count,
                                 cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t stream) {
  return for_each(count, dsts && srcs && sizes, [&](std::size_t i) {
    return cudaMemcpyAsync(const_cast<void *>(dsts[i]), srcs[i], sizes[i], cudaMemcpyDefault, stream);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, cudaMemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long,
                                      cudaStream_t stream) {
  const bool legal = dptrs && sizes && prefetchLocs && prefetchLocIdxs && numPrefetchLocs != 0;
  return for_each(count, legal, [&](std::size_t i) {
    const cudaMemLocation &place = prefetchLocs[entry_of(prefetchLocIdxs, numPrefetchLocs, i)];
    return cudaMemPrefetchAsync(dptrs[i], sizes[i], place, 0U, stream);
  });
}

// What is discarded may keep its values.
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long, cudaStream_t) {
  return for_each(count, dptrs && sizes, [](std::size_t) { return cudaSuccess; });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuArray3DGetDescriptor, _v2);
WARPLOOM_DRIVER_VERSION(cuArrayGetDescriptor, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphAddNode, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphExecUpdate, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphicsResourceGetMappedPointer, _v2);
WARPLOOM_DRIVER_VERSION(cuGraphicsResourceSetMapFlags, _v2);
WARPLOOM_DRIVER_VERSION(cuIpcOpenMemHandle, _v2);
WARPLOOM_DRIVER_VERSION(cuMemAdvise, _v2);
WARPLOOM_DRIVER_VERSION(cuMemPrefetchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3D, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3DAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpy3DBatchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoD, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoH, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyAtoHAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyBatchAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoA, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoAAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD2D16, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamBatchMemOp, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamGetCaptureInfo, _v3);
WARPLOOM_DRIVER_VERSION(cuStreamGetCtx, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWaitValue32, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWaitValue64, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWriteValue32, _v2);
WARPLOOM_DRIVER_VERSION(cuStreamWriteValue64, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefGetAddress, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefSetAddress, _v2);
WARPLOOM_DRIVER_VERSION(cuTexRefSetAddress2D, _v3);

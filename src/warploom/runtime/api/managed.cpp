// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetch and advice on managed memory. Host and device share one memory: the calls check their arguments as CUDA
// does, keep what was said for cudaMemRangeGetAttribute, and have nothing to move.
#include <cstring>
#include <map>
#include <mutex>

#include "allocation.h"
#include "device.h"
#include "error.h"
#include "stream.h"

namespace warploom {
namespace {

struct Advice {
  int read_mostly = 0;
  int preferred = cudaInvalidDeviceId;
  int accessed_by = cudaInvalidDeviceId;
  int prefetched = cudaInvalidDeviceId;
};

std::mutex advice_mutex;

// By base address of the allocation: advice for a part is kept for the whole.
std::map<std::uintptr_t, Advice> &all_advice() {
  static auto *const instance = new std::map<std::uintptr_t, Advice>;
  return *instance;
}

bool is_location(const cudaMemLocation &location) {
  if (location.type == cudaMemLocationTypeDevice) return is_device(location.id) || location.id == cudaCpuDeviceId;
  return location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent;
}

int device_of(const cudaMemLocation &location) {
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

cudaError_t check_managed(const void *pointer, std::size_t count, std::uintptr_t *base) {
  const auto allocation = find_allocation(pointer);
  if (count == 0) return cudaErrorInvalidValue;
  if (allocation && allocation->kind == MemoryKind::kManaged && allocation->holds(pointer, count)) {
    *base = allocation->base;
    return cudaSuccess;
  }
  const Variable *variable = variable_at(pointer);
  if (!variable || !(variable->flags & kManaged)) return cudaErrorInvalidValue;
  *base = reinterpret_cast<std::uintptr_t>(storage(*variable));
  return cudaSuccess;
}

cudaError_t advise(Advice *advice, cudaMemoryAdvise what, const cudaMemLocation &location) {
  switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      advice->read_mostly = what == cudaMemAdviseSetReadMostly;
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      advice->preferred = cudaInvalidDeviceId;
      return cudaSuccess;
    default:
      break;
  }
  if (!is_location(location)) return cudaErrorInvalidDevice;
  if (what == cudaMemAdviseSetPreferredLocation)
    advice->preferred = device_of(location);
  else if (what == cudaMemAdviseSetAccessedBy)
    advice->accessed_by = device_of(location);
  else if (what == cudaMemAdviseUnsetAccessedBy)
    advice->accessed_by = cudaInvalidDeviceId;
  else
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

cudaError_t read_advice(const Advice &advice, cudaMemRangeAttribute attribute, void *data, std::size_t size) {
  if (!data || size < sizeof(int) || size % sizeof(int)) return cudaErrorInvalidValue;
  int value = 0;
  if (attribute == cudaMemRangeAttributeReadMostly)
    value = advice.read_mostly;
  else if (attribute == cudaMemRangeAttributePreferredLocation)
    value = advice.preferred;
  else if (attribute == cudaMemRangeAttributeAccessedBy)
    value = advice.accessed_by;
  else if (attribute == cudaMemRangeAttributeLastPrefetchLocation)
    value = advice.prefetched;
  else
    return not_supported("cudaMemRangeGetAttribute", "this attribute is not implemented");
  auto *numbers = static_cast<int *>(data);
  numbers[0] = value;
  for (std::size_t i = 1; i < size / sizeof(int); ++i) numbers[i] = cudaInvalidDeviceId;
  return cudaSuccess;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *) -> cudaError_t {
    std::uintptr_t base = 0;
    if (flags != 0) return cudaErrorInvalidValue;
    if (!is_location(location)) return cudaErrorInvalidDevice;
    if (const cudaError_t error = check_managed(devPtr, count, &base); error != cudaSuccess) return error;
    const std::lock_guard lock(advice_mutex);
    all_advice()[base].prefetched = device_of(location);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream) {
  return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
  return api_call([&]() -> cudaError_t {
    std::uintptr_t base = 0;
    if (const cudaError_t error = check_managed(devPtr, count, &base); error != cudaSuccess) return error;
    const std::lock_guard lock(advice_mutex);
    return advise(&all_advice()[base], advice, location);
  });
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
  return cudaMemAdvise(devPtr, count, advice, location);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count) {
  return api_call([&]() -> cudaError_t {
    std::uintptr_t base = 0;
    if (const cudaError_t error = check_managed(devPtr, count, &base); error != cudaSuccess) return error;
    const std::lock_guard lock(advice_mutex);
    return read_advice(all_advice()[base], attribute, data, dataSize);
  });
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes, cudaMemRangeAttribute *attributes,
                                      size_t numAttributes, const void *devPtr, size_t count) {
  if (!data || !dataSizes || !attributes) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < numAttributes; ++i) {
    const cudaError_t error = cudaMemRangeGetAttribute(data[i], dataSizes[i], attributes[i], devPtr, count);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // extern "C"

// Overloaded in C++, so that its type cannot be taken from its name.
extern "C" __attribute__((visibility("default"), alias("cudaMemPrefetchAsync"))) cudaError_t
cudaMemPrefetchAsync_ptsz(const void *, size_t, cudaMemLocation, unsigned int, cudaStream_t);

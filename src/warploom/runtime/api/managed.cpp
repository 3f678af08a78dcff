// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetch and advice on managed memory. Host and device share one memory: the calls check their arguments as CUDA
// does, keep what was said for cudaMemRangeGetAttribute, and have nothing to move.
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "allocation.h"
#include "device.h"
#include "error.h"
#include "stream.h"

namespace warploom {
namespace {

// A place as advice keeps it: the number of a device, or of the processor.
constexpr int kNowhere = cudaInvalidDeviceId;

struct Advice {
  bool read_mostly = false;
  int preferred = kNowhere;
  std::set<int> accessed_by;
  int prefetched = kNowhere;
};

std::mutex advice_mutex;

// By base address of the allocation: advice for a part is kept for the whole.
std::map<std::uintptr_t, Advice> &all_advice() {
  static auto *const instance = new std::map<std::uintptr_t, Advice>;
  return *instance;
}

bool is_host(const cudaMemLocation &location) {
  return (location.type >= cudaMemLocationTypeHost && location.type <= cudaMemLocationTypeHostNumaCurrent) ||
         (location.type == cudaMemLocationTypeDevice && location.id == cudaCpuDeviceId);
}

bool is_location(const cudaMemLocation &location) {
  return is_host(location) || (location.type == cudaMemLocationTypeDevice && is_device(location.id));
}

int device_of(const cudaMemLocation &location) { return is_host(location) ? cudaCpuDeviceId : location.id; }

cudaMemLocationType type_of(int place) {
  return place == kNowhere          ? cudaMemLocationTypeInvalid
         : place == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                    : cudaMemLocationTypeDevice;
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

cudaError_t advise(Advice *advice, cudaMemoryAdvise what, int place) {
  switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      advice->read_mostly = what == cudaMemAdviseSetReadMostly;
      return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
      advice->preferred = place;
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      advice->preferred = kNowhere;
      return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
      advice->accessed_by.insert(place);
      return cudaSuccess;
    case cudaMemAdviseUnsetAccessedBy:
      advice->accessed_by.erase(place);
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

// As many numbers as there is room for: devices first, then the processor, then nothing.
cudaError_t read_accessed_by(const Advice &advice, int *numbers, std::size_t size) {
  if (size < sizeof(int) || size % sizeof(int)) return cudaErrorInvalidValue;
  std::vector<int> all(advice.accessed_by.begin(), advice.accessed_by.end());
  if (!all.empty() && all.front() == cudaCpuDeviceId) std::rotate(all.begin(), all.begin() + 1, all.end());
  all.resize(size / sizeof(int), kNowhere);
  std::copy(all.begin(), all.end(), numbers);
  return cudaSuccess;
}

cudaError_t read_advice(const Advice &advice, cudaMemRangeAttribute attribute, void *data, std::size_t size) {
  auto *const number = static_cast<int *>(data);
  if (!data) return cudaErrorInvalidValue;
  if (attribute == cudaMemRangeAttributeAccessedBy) return read_accessed_by(advice, number, size);
  if (size != sizeof(int)) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      *number = advice.read_mostly;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
    case cudaMemRangeAttributePreferredLocationId:
      *number = advice.preferred;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
    case cudaMemRangeAttributeLastPrefetchLocationId:
      *number = advice.prefetched;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
      *number = type_of(advice.preferred);
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
      *number = type_of(advice.prefetched);
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
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
    if (location.type == cudaMemLocationTypeInvalid) return cudaErrorInvalidValue;
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
    if (!is_location(location)) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_managed(devPtr, count, &base); error != cudaSuccess) return error;
    const std::lock_guard lock(advice_mutex);
    return advise(&all_advice()[base], advice, device_of(location));
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocation of device, managed and pinned memory, and what pointers point to.
#include <cupti.h>

#include <cstring>

#include "../engine.h"
#include "../heap.h"
#include "allocation.h"
#include "device.h"
#include "error.h"
#include "graph_memory.h"
#include "interprocess.h"
#include "stream.h"

namespace warploom {
namespace {

constexpr unsigned kHostAllocFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kHostRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

cudaError_t allocate_into(void **pointer, std::size_t size, MemoryKind kind, unsigned flags = 0) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  *pointer = allocate(size, kind, flags);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_pitched(void **pointer, std::size_t *pitch, std::size_t width, std::size_t rows) {
  if (!pointer || !pitch) return cudaErrorInvalidValue;
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (rows && *pitch > SIZE_MAX / rows) return cudaErrorMemoryAllocation;
  return allocate_into(pointer, *pitch * rows, MemoryKind::kDevice);
}

// cudaMalloc and cudaFree in device code are malloc and free there, as documented.
cudaError_t allocate_on_device_heap(void **pointer, std::size_t size) {
  if (!pointer) return cudaErrorInvalidValue;
  *pointer = size == 0 ? nullptr : DeviceHeap::instance().allocate(size);
  return *pointer || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool is_host_kind(MemoryKind kind) { return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered; }

cudaMemoryType type_of(MemoryKind kind) {
  if (kind == MemoryKind::kManaged) return cudaMemoryTypeManaged;
  return is_host_kind(kind) ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMalloc(void **devPtr, size_t size) {
  const cudaMalloc_v3020_params parameters{devPtr, size};
  return api_call(
      [&] {
        if (in_device_code()) return allocate_on_device_heap(devPtr, size);
        return allocate_into(devPtr, size, MemoryKind::kDevice);
      },
      WARPLOOM_CALLER_WITH(parameters));
}

cudaError_t cudaFree(void *devPtr) {
  const cudaFree_v3020_params parameters{devPtr};
  return api_call(
      [&] {
        if (!devPtr) return cudaSuccess;
        if (in_device_code()) return DeviceHeap::instance().release(devPtr) ? cudaSuccess : cudaErrorInvalidValue;
        const auto allocation = find_allocation(devPtr);
        wait_for_device(current_device());
        if (allocation && allocation->device != current_device()) wait_for_device(allocation->device);
        expect_release(devPtr);
        if (release_graph_memory(devPtr)) return cudaSuccess;
        if (release(devPtr, MemoryKind::kDevice, MemoryKind::kManaged)) return cudaSuccess;
        return close_imported(devPtr, true) ? cudaSuccess : cudaErrorInvalidValue;
      },
      WARPLOOM_CALLER_WITH(parameters));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags) {
  return api_call([&] {
    if (flags & ~kHostAllocFlags) return cudaErrorInvalidValue;
    return allocate_into(pHost, size, MemoryKind::kPinned, flags);
  });
}

cudaError_t cudaMallocHost(void **ptr, size_t size) {
  return api_call([&] { return allocate_into(ptr, size, MemoryKind::kPinned, cudaHostAllocDefault); });
}

cudaError_t cudaFreeHost(void *ptr) {
  return api_call([&] {
    if (!ptr) return cudaSuccess;
    wait_for_all();
    return release(ptr, MemoryKind::kPinned, MemoryKind::kPinned) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
  return api_call([&] {
    if (flags & ~kHostRegisterFlags) return cudaErrorInvalidValue;
    return register_host(ptr, size, flags);
  });
}

cudaError_t cudaHostUnregister(void *ptr) {
  return api_call([&] {
    if (!ptr) return cudaErrorInvalidValue;
    wait_for_all();
    return unregister_host(ptr);
  });
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags) {
  return api_call([&] {
    if (!pDevice || flags != 0) return cudaErrorInvalidValue;
    const auto allocation = find_allocation(pHost);
    if (!allocation || !is_host_kind(allocation->kind)) return cudaErrorInvalidValue;
    *pDevice = pHost;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
  return api_call([&] {
    if (!pFlags) return cudaErrorInvalidValue;
    const auto allocation = find_allocation(pHost);
    if (!allocation || !is_host_kind(allocation->kind)) return cudaErrorInvalidValue;
    *pFlags = allocation->flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags) {
  return api_call([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate_into(devPtr, size, MemoryKind::kManaged, flags);
  });
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height) {
  return api_call([&] { return allocate_pitched(devPtr, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *pitchedDevPtr, cudaExtent extent) {
  return api_call([&] {
    if (!pitchedDevPtr) return cudaErrorInvalidValue;
    if (extent.depth && extent.height > SIZE_MAX / extent.depth) return cudaErrorMemoryAllocation;
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return allocate_pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, extent.height * extent.depth);
  });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return api_call([&] {
    const MemoryTotals totals = memory_totals();
    if (free) *free = totals.free;
    if (total) *total = totals.total;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *ptr) {
  return api_call([&] {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = cudaPointerAttributes{};
    auto *address = const_cast<void *>(ptr);
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = address;
    if (const auto allocation = find_allocation(ptr)) {
      attributes->type = type_of(allocation->kind);
      attributes->device = allocation->device;
      attributes->devicePointer = address;
      if (attributes->type == cudaMemoryTypeDevice) attributes->hostPointer = nullptr;
    } else if (const Variable *variable = variable_at(ptr)) {
      const bool managed = variable->flags & kManaged;
      attributes->type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
      attributes->device = current_device();
      attributes->devicePointer = address;
      if (!managed) attributes->hostPointer = nullptr;
    }
    return cudaSuccess;
  });
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver API says of a pointer.
#include <cstring>
#include <map>
#include <mutex>

#include "../engine.h"
#include "allocation.h"
#include "device.h"
#include "driver_helpers.h"

namespace warploom {
namespace {

// The memory that a pointer is in: an allocation, or a device variable.
struct Place {
  Allocation allocation;
  bool managed, on_host;
};

std::optional<Place> place_of(CUdeviceptr memory) {
  if (const auto allocation = find_allocation(pointer(memory))) {
    const MemoryKind kind = allocation->kind;
    return Place{*allocation, kind == MemoryKind::kManaged,
                 kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered};
  }
  const Variable *const variable = variable_at(pointer(memory));
  if (!variable) return std::nullopt;
  Allocation whole;
  whole.base = reinterpret_cast<std::uintptr_t>(storage(*variable));
  whole.size = variable->size;
  whole.device = current_device();
  return Place{whole, (variable->flags & kManaged) != 0, false};
}

// Copies of the whole allocation wait for the device from then on: here all of those do that the calls say.
struct SyncFlags {
  std::mutex mutex;
  std::map<std::uintptr_t, bool> by_base;
};

SyncFlags &sync_flags() {
  static auto *const instance = new SyncFlags;
  return *instance;
}

template <class Value>
cudaError_t give(void *data, Value value) {
  std::memcpy(data, &value, sizeof value);
  return cudaSuccess;
}

bool is_attribute(CUpointer_attribute attribute) {
  return attribute >= CU_POINTER_ATTRIBUTE_CONTEXT && attribute <= CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
}

std::uint64_t buffer_number(const Allocation &allocation) { return allocation.base / 16; }

bool is_sync(const Allocation &allocation) {
  SyncFlags &flags = sync_flags();
  const std::lock_guard lock(flags.mutex);
  const auto found = flags.by_base.find(allocation.base);
  return found != flags.by_base.end() && found->second;
}

cudaError_t attribute_of(const Place &place, CUpointer_attribute attribute, CUdeviceptr memory, void *data) {
  const Allocation &allocation = place.allocation;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(data, allocation.pool ? nullptr : context_of(allocation.device));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(data, place.on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(data, memory);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (place.on_host || place.managed) return give(data, memory);
      give(data, CUdeviceptr{0});
      return cudaErrorInvalidValue;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return give(data, static_cast<int>(place.managed || is_sync(allocation)));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return give(data, buffer_number(allocation));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(data, static_cast<unsigned>(place.managed));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(data, allocation.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return give(data, static_cast<int>(allocation.kind == MemoryKind::kDevice && !allocation.pool));
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return give(data, static_cast<CUdeviceptr>(allocation.base));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return give(data, allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(data, 1);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return give(data, std::uint64_t{0});
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return give(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return give(data, allocation.pool);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return give(data, 0);
    default:
      return cudaErrorNotSupported;
  }
}

// What stands for an attribute of memory that CUDA does not know: the program's own, which the processor reaches.
void give_nothing(CUpointer_attribute attribute, CUdeviceptr memory, void *data) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give(data, -2);
      break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      give(data, memory);
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      break;  // left as they are
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      give(data, std::uint64_t{0});
      break;
    default:
      give(data, 0);
  }
}

}  // namespace

cudaError_t pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr memory) {
  if (!data || !is_attribute(attribute)) return cudaErrorInvalidValue;
  const auto place = place_of(memory);
  return place ? attribute_of(*place, attribute, memory, data) : cudaErrorInvalidValue;
}

cudaError_t pointer_attributes(unsigned count, const CUpointer_attribute *attributes, void **data, CUdeviceptr memory) {
  if (count == 0 || !attributes || !data) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (!data[i] || !is_attribute(attributes[i])) return cudaErrorInvalidValue;
  const auto place = place_of(memory);
  for (unsigned i = 0; i < count; ++i) {
    if (place)
      attribute_of(*place, attributes[i], memory, data[i]);  // what has no value of that kind is null
    else
      give_nothing(attributes[i], memory, data[i]);
  }
  return cudaSuccess;
}

cudaError_t set_pointer_attribute(const void *value, CUpointer_attribute attribute, CUdeviceptr memory) {
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return cudaErrorInvalidValue;
  const auto place = place_of(memory);
  if (!place) return cudaErrorInvalidValue;
  SyncFlags &flags = sync_flags();
  const std::lock_guard lock(flags.mutex);
  int on = 0;
  std::memcpy(&on, value, sizeof on);
  flags.by_base[place->allocation.base] = on != 0;
  return cudaSuccess;
}

}  // namespace warploom

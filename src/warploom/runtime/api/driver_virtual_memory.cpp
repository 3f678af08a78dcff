// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's virtual memory: memory is a file without a name, a mapping is a mapping of it. Mappings count their
// memory: it lives as long as a handle or a mapping does.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "allocation.h"
#include "device.h"
#include "driver.h"

namespace warploom {
namespace {

constexpr std::size_t kGranularity = 2UL << 20;  // a device page

class Memory {
 public:
  Memory(int file, std::size_t size, const CUmemAllocationProp &properties, bool counted)
      : file(file), size(size), properties(properties), counted_(counted) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() {
    close(file);
    if (counted_) uncount_memory(size);
  }
  const int file;
  const std::size_t size;
  const CUmemAllocationProp properties;

 private:
  const bool counted_;
};

struct Mapping {
  std::size_t size;
  std::shared_ptr<Memory> memory;
  std::map<int, CUmemAccess_flags> access;  // by device
};

struct VirtualMemory {
  std::mutex mutex;
  std::map<CUdeviceptr, std::size_t> ranges;
  std::map<CUdeviceptr, Mapping> mappings;
  // A handle counts as often as it was made and retained.
  std::map<CUmemGenericAllocationHandle, std::pair<std::shared_ptr<Memory>, int>> handles;
  CUmemGenericAllocationHandle next_handle = 1;
};

VirtualMemory &virtual_memory() {
  static auto *const instance = new VirtualMemory;
  return *instance;
}

// The body of an entry point, with the tables locked.
template <class Body>
CUresult locked_call(Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  const CallScope scope(caller);
  if (!driver_is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  VirtualMemory &all = virtual_memory();
  const std::lock_guard lock(all.mutex);
  return body(all);
}

bool is_pages(std::size_t size) { return size > 0 && size % kGranularity == 0; }

bool is_legal(const CUmemAllocationProp &prop) {
  const bool device = prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE && is_device(prop.location.id);
  return prop.type == CU_MEM_ALLOCATION_TYPE_PINNED && (device || prop.location.type == CU_MEM_LOCATION_TYPE_HOST) &&
         (prop.requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0;
}

// The reserved range that holds all of [address, address + size).
bool is_reserved(const VirtualMemory &all, CUdeviceptr address, std::size_t size) {
  const auto next = all.ranges.upper_bound(address);
  if (next == all.ranges.begin()) return false;
  const auto &[base, length] = *std::prev(next);
  return size <= length && address - base <= length - size;
}

bool overlaps_mapping(const VirtualMemory &all, CUdeviceptr address, std::size_t size) {
  const auto next = all.mappings.lower_bound(address);
  if (next != all.mappings.end() && next->first < address + size) return true;
  return next != all.mappings.begin() && std::prev(next)->first + std::prev(next)->second.size > address;
}

// Runs `body(base, mapping)` on the mappings that fill [address, address + size) without a gap; false when none do.
template <class Body>
bool for_each_mapping(VirtualMemory &all, CUdeviceptr address, std::size_t size, Body &&body) {
  CUdeviceptr end = address;
  const auto first = all.mappings.find(address);
  auto last = first;
  for (; last != all.mappings.end() && last->first == end && end < address + size; ++last) end += last->second.size;
  if (end != address + size) return false;
  std::for_each(first, last, [&](auto &entry) { body(entry.first, entry.second); });
  return true;
}

// All devices share one memory: what one of them may do, the processor may.
int protection(const Mapping &mapping) {
  int result = PROT_NONE;
  for (const auto &[device, flags] : mapping.access) {
    if (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE) result |= PROT_READ;
    if (flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE) result |= PROT_WRITE;
  }
  return result;
}

bool is_legal(const CUmemAccessDesc &desc) {
  const bool place = desc.location.type == CU_MEM_LOCATION_TYPE_HOST ||
                     (desc.location.type == CU_MEM_LOCATION_TYPE_DEVICE && is_device(desc.location.id));
  return place && (desc.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || desc.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                   desc.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

int place_of(const CUmemLocation &location) { return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : -1; }

CUmemGenericAllocationHandle add_handle(VirtualMemory &all, std::shared_ptr<Memory> memory) {
  all.handles[all.next_handle] = {std::move(memory), 1};
  return all.next_handle++;
}

// A new file of `size` bytes; -1 when the system has no more files or memory.
int new_file(std::size_t size) {
  const int file = memfd_create("warploom-memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) == 0) return file;
  close(file);
  return -1;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr, unsigned long long flags) {
  return locked_call([&](VirtualMemory &all) {
    const bool aligned = (alignment & (alignment - 1)) == 0;
    if (!ptr || !is_pages(size) || !aligned || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    void *const base = reserve_addresses(size, alignment);  // the wished-for address is a hint
    if (!base) return CUDA_ERROR_OUT_OF_MEMORY;
    *ptr = reinterpret_cast<CUdeviceptr>(base);
    all.ranges[*ptr] = size;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size) {
  return locked_call([&](VirtualMemory &all) {
    const auto range = all.ranges.find(ptr);
    if (range == all.ranges.end() || range->second != size || overlaps_mapping(all, ptr, size))
      return CUDA_ERROR_INVALID_VALUE;
    free_addresses(pointer(ptr), size);
    all.ranges.erase(range);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags) {
  return locked_call([&](VirtualMemory &) {
    if (!granularity || !prop) return CUDA_ERROR_INVALID_VALUE;
    *granularity = kGranularity;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags) {
  return locked_call([&](VirtualMemory &all) {
    if (!handle || !prop || !is_legal(*prop) || !is_pages(size) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (!count_memory(size)) return CUDA_ERROR_OUT_OF_MEMORY;
    const int file = new_file(size);
    if (file < 0) {
      uncount_memory(size);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUmemAllocationProp properties = *prop;
    properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;  // asked for, and not there
    *handle = add_handle(all, std::make_shared<Memory>(file, size, properties, true));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return locked_call([&](VirtualMemory &all) {
    const auto found = all.handles.find(handle);
    if (found == all.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    if (--found->second.second == 0) all.handles.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  return locked_call([&](VirtualMemory &all) {
    const auto found = all.handles.find(handle);
    if (found == all.handles.end() || flags != 0 || offset != 0) return CUDA_ERROR_INVALID_VALUE;
    const std::shared_ptr<Memory> &memory = found->second.first;
    if (!is_pages(size) || size > memory->size || ptr % kGranularity) return CUDA_ERROR_INVALID_VALUE;
    if (!is_reserved(all, ptr, size) || overlaps_mapping(all, ptr, size)) return CUDA_ERROR_INVALID_VALUE;
    if (mmap(pointer(ptr), size, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file, 0) == MAP_FAILED)
      return CUDA_ERROR_OUT_OF_MEMORY;
    enter_mapping(pointer(ptr), size);
    all.mappings[ptr] = {size, memory, {}};
    return CUDA_SUCCESS;
  });
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size) {
  return locked_call([&](VirtualMemory &all) {
    const auto drop = [](CUdeviceptr base, const Mapping &mapping) {
      Arena::unmap(pointer(base), mapping.size);
      forget_mapping(pointer(base));
    };
    if (!for_each_mapping(all, ptr, size, drop)) return CUDA_ERROR_INVALID_VALUE;
    all.mappings.erase(all.mappings.lower_bound(ptr), all.mappings.lower_bound(ptr + size));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count) {
  return locked_call([&](VirtualMemory &all) {
    if (!desc || count == 0 || !std::all_of(desc, desc + count, [](const auto &one) { return is_legal(one); }))
      return CUDA_ERROR_INVALID_VALUE;
    const auto allow = [&](CUdeviceptr base, Mapping &mapping) {
      for (size_t i = 0; i < count; ++i) mapping.access[place_of(desc[i].location)] = desc[i].flags;
      mprotect(pointer(base), mapping.size, protection(mapping));
    };
    return for_each_mapping(all, ptr, size, allow) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr) {
  return locked_call([&](VirtualMemory &all) {
    const auto next = all.mappings.upper_bound(ptr);
    if (!flags || !location || next == all.mappings.begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto &[base, mapping] = *std::prev(next);
    if (ptr - base >= mapping.size) return CUDA_ERROR_INVALID_VALUE;
    const auto found = mapping.access.find(place_of(*location));
    *flags = found == mapping.access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle) {
  return locked_call([&](VirtualMemory &all) {
    const auto found = all.handles.find(handle);
    if (!prop || found == all.handles.end()) return CUDA_ERROR_INVALID_VALUE;
    *prop = found->second.first->properties;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr) {
  return locked_call([&](VirtualMemory &all) {
    const auto address = reinterpret_cast<CUdeviceptr>(addr);
    const auto next = all.mappings.upper_bound(address);
    if (!handle || next == all.mappings.begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto &[base, mapping] = *std::prev(next);
    if (address - base >= mapping.size) return CUDA_ERROR_INVALID_VALUE;
    for (auto &[known, entry] : all.handles) {
      if (entry.first != mapping.memory) continue;
      ++entry.second;
      *handle = known;
      return CUDA_SUCCESS;
    }
    *handle = add_handle(all, mapping.memory);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType, unsigned long long flags) {
  return locked_call([&](VirtualMemory &all) {
    const auto found = all.handles.find(handle);
    if (!shareableHandle || found == all.handles.end() || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const Memory &memory = *found->second.first;
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || memory.properties.requestedHandleTypes != handleType)
      return CUDA_ERROR_INVALID_VALUE;
    const int copy = fcntl(memory.file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    *static_cast<int *>(shareableHandle) = copy;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                        CUmemAllocationHandleType shHandleType) {
  return locked_call([&](VirtualMemory &all) {
    if (!handle || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_INVALID_VALUE;
    const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(osHandle));
    struct stat status;
    if (fcntl(file, F_GET_SEALS) < 0 || fstat(file, &status) != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto size = static_cast<std::size_t>(status.st_size);
    const int copy = is_pages(size) ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0) return CUDA_ERROR_INVALID_VALUE;
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    *handle = add_handle(all, std::make_shared<Memory>(copy, size, properties, false));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"

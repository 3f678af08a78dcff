// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <unordered_set>

#include "../fork_lock.h"
#include "allocation.h"
#include "device.h"
#include "error.h"
#include "graph_memory.h"
#include "interprocess.h"
#include "stream.h"

namespace warploom {
namespace {

struct PoolTable {
  Forkable<std::mutex> mutex;
  std::unordered_set<const CUmemPoolHandle_st *> pools;
  std::map<int, CUmemPoolHandle_st *> defaults, current;
};

PoolTable &pool_table() {
  static PoolTable *const instance = new PoolTable;
  return *instance;
}

CUmemPoolHandle_st *default_pool(PoolTable &table, int device) {
  CUmemPoolHandle_st *&pool = table.defaults[device];
  if (!pool) {
    pool = new CUmemPoolHandle_st;
    pool->device = device;
    table.pools.insert(pool);
  }
  return pool;
}

// The body of an entry point on a pool.
template <class Body>
cudaError_t pool_call(CUmemPoolHandle_st *pool, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  return api_call([&]() -> cudaError_t { return is_pool(pool) ? body() : cudaErrorInvalidValue; }, caller);
}

cudaError_t allocate_from(CUmemPoolHandle_st *pool, void **pointer, std::size_t size) {
  if (!pointer || pool->imported) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  if (pool->max_size && pool->used + size > pool->max_size) return cudaErrorMemoryAllocation;
  *pointer = allocate(size, MemoryKind::kDevice, 0, pool);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

// Pools are of device memory.
cudaError_t check_place(const cudaMemLocation *location, cudaMemAllocationType type) {
  if (!location || type != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
  if (location->type != cudaMemLocationTypeDevice)
    return not_supported("cudaMemGetMemPool",
                         "there are pools of device memory only: cudaMallocHost gives memory of the host");
  return is_device(location->id) ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

CUmemPoolHandle_st *current_pool() {
  PoolTable &table = pool_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.current.find(current_device());
  return found != table.current.end() ? found->second : default_pool(table, current_device());
}

bool is_pool(const CUmemPoolHandle_st *pool) {
  PoolTable &table = pool_table();
  const std::lock_guard lock(table.mutex);
  return table.pools.contains(pool);
}

void enter_pool(CUmemPoolHandle_st *pool) {
  PoolTable &table = pool_table();
  const std::lock_guard lock(table.mutex);
  table.pools.insert(pool);
}

void pool_taken(CUmemPoolHandle_st *pool, std::size_t size) {
  pool->used += size;
  pool->used_high = std::max(pool->used_high.load(), pool->used.load());
}

void pool_released(CUmemPoolHandle_st *pool, std::size_t size) { pool->used -= size; }

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    if (is_capturing(target)) return submit_allocation(target, ptr, size);
    return is_pool(memPool) ? allocate_from(memPool, ptr, size) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream) {
  const CallScope scope(WARPLOOM_CALLER);
  return cudaMallocFromPoolAsync(devPtr, size, current_pool(), hStream);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream) {
  return stream_call(hStream, [&](CUstream_st *target) {
    if (!devPtr) return cudaSuccess;
    if (is_capturing(target)) return submit_free(target, devPtr);
    const auto allocation = find_allocation(devPtr);
    if (!allocation || allocation->kind > MemoryKind::kManaged) {  // another process has allocated it, perhaps
      wait_for_stream(target);
      return close_imported(devPtr, true) ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (allocation->base != reinterpret_cast<std::uintptr_t>(devPtr)) return cudaErrorInvalidValue;
    expect_release(devPtr);
    const auto give_back = [devPtr] {
      if (!release_graph_memory(devPtr)) release(devPtr, MemoryKind::kDevice, MemoryKind::kManaged);
      return cudaSuccess;
    };
    return submit(target, cudaGraphNodeTypeMemFree, give_back, true);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device) {
  return api_call([&] {
    if (!memPool) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    PoolTable &table = pool_table();
    const std::lock_guard lock(table.mutex);
    *memPool = default_pool(table, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device) {
  return api_call([&] {
    if (!memPool) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    PoolTable &table = pool_table();
    const std::lock_guard lock(table.mutex);
    const auto found = table.current.find(device);
    *memPool = found != table.current.end() ? found->second : default_pool(table, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool) {
  return pool_call(memPool, [&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    PoolTable &table = pool_table();
    const std::lock_guard lock(table.mutex);
    table.current[device] = memPool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, cudaMemLocation *location, cudaMemAllocationType type) {
  return api_call([&] {
    const cudaError_t error = check_place(location, type);
    return error == cudaSuccess ? cudaDeviceGetDefaultMemPool(memPool, location->id) : error;
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, cudaMemLocation *location, cudaMemAllocationType type) {
  return api_call([&] {
    const cudaError_t error = check_place(location, type);
    return error == cudaSuccess ? cudaDeviceGetMemPool(memPool, location->id) : error;
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation *location, cudaMemAllocationType type, cudaMemPool_t memPool) {
  return api_call([&] {
    const cudaError_t error = check_place(location, type);
    return error == cudaSuccess ? cudaDeviceSetMemPool(location->id, memPool) : error;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const cudaMemPoolProps *poolProps) {
  return api_call([&] {
    if (!memPool || !poolProps || poolProps->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    if (poolProps->handleTypes & ~cudaMemHandleTypePosixFileDescriptor)
      return not_supported("cudaMemPoolCreate",
                           "pools are shared by file descriptors only: cudaMemHandleTypePosixFileDescriptor");
    if (poolProps->location.type == cudaMemLocationTypeDevice && !is_device(poolProps->location.id))
      return cudaErrorInvalidValue;
    auto *pool = new CUmemPoolHandle_st;
    pool->device = poolProps->location.id;
    pool->max_size = poolProps->maxSize;
    pool->handle_type = poolProps->handleTypes;
    enter_pool(pool);
    *memPool = pool;
    return cudaSuccess;
  });
}

// Allocations may outlive their pool: it leaves the table, and its account stays.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool) {
  return pool_call(memPool, [&] {
    PoolTable &table = pool_table();
    const std::lock_guard lock(table.mutex);
    for (const auto &[device, pool] : table.defaults)
      if (pool == memPool) return cudaErrorInvalidValue;
    std::erase_if(table.current, [&](const auto &entry) { return entry.second == memPool; });
    table.pools.erase(memPool);
    return cudaSuccess;
  });
}

// Nothing is kept back from the system, so that there is nothing to give.
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t) {
  return pool_call(memPool, [] { return cudaSuccess; });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void *value) {
  return pool_call(memPool, [&] {
    if (!value) return cudaErrorInvalidValue;
    if (attr >= cudaMemPoolReuseFollowEventDependencies && attr <= cudaMemPoolReuseAllowInternalDependencies) {
      memPool->reuse_flags[attr - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int *>(value);
      return cudaSuccess;
    }
    const auto number = *static_cast<std::uint64_t *>(value);
    if (attr == cudaMemPoolAttrReleaseThreshold)
      memPool->release_threshold = number;
    else if ((attr == cudaMemPoolAttrUsedMemHigh || attr == cudaMemPoolAttrReservedMemHigh) && number == 0)
      memPool->used_high = memPool->used.load();
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, cudaMemPoolAttr attr, void *value) {
  return pool_call(memPool, [&] {
    if (!value) return cudaErrorInvalidValue;
    if (attr >= cudaMemPoolReuseFollowEventDependencies && attr <= cudaMemPoolReuseAllowInternalDependencies) {
      *static_cast<int *>(value) = memPool->reuse_flags[attr - cudaMemPoolReuseFollowEventDependencies];
      return cudaSuccess;
    }
    auto *number = static_cast<std::uint64_t *>(value);
    if (attr == cudaMemPoolAttrReleaseThreshold)
      *number = memPool->release_threshold;
    else if (attr == cudaMemPoolAttrReservedMemCurrent || attr == cudaMemPoolAttrUsedMemCurrent)
      *number = memPool->used;
    else if (attr == cudaMemPoolAttrReservedMemHigh || attr == cudaMemPoolAttrUsedMemHigh)
      *number = memPool->used_high;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

// All devices share one memory: every device may access every pool, and a pool's own device always may.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const cudaMemAccessDesc *descList, size_t count) {
  return pool_call(memPool, [&] {
    if (count > 0 && !descList) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaMemLocation &place = descList[i].location;
      if (place.type != cudaMemLocationTypeDevice || !is_device(place.id)) return cudaErrorInvalidDevice;
      if (place.id == memPool->device && descList[i].flags == cudaMemAccessFlagsProtNone) return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags *flags, cudaMemPool_t memPool, cudaMemLocation *location) {
  return pool_call(memPool, [&] {
    if (!flags || !location) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

}  // extern "C"

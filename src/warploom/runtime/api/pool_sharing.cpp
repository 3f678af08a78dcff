// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory pools between processes. A pool's file tells who it is; its allocations are shared one by one.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "allocation.h"
#include "error.h"
#include "interprocess.h"
#include "pool.h"

namespace warploom {
namespace {

constexpr std::uint32_t kPoolMagic = 0x77506f6c;

struct PoolFile {
  std::uint32_t magic;
  std::int32_t device;
  std::uint64_t id;
};

std::atomic<std::uint32_t> next_pool = 1;

int write_pool_file(CUmemPoolHandle_st *pool) {
  if (!pool->shared_id) pool->shared_id = static_cast<std::uint64_t>(getpid()) << 32 | next_pool++;
  const int file = memfd_create("warploom-pool", MFD_CLOEXEC);
  const PoolFile content = {kPoolMagic, pool->device, pool->shared_id};
  if (file >= 0 && pwrite(file, &content, sizeof content, 0) == sizeof content) return file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               cudaMemAllocationHandleType handleType, unsigned int flags) {
  return api_call([&] {
    if (!shareableHandle || !is_pool(memPool) || flags != 0) return cudaErrorInvalidValue;
    if (handleType != cudaMemHandleTypePosixFileDescriptor || memPool->handle_type != handleType || memPool->imported)
      return cudaErrorInvalidValue;
    const int file = write_pool_file(memPool);
    if (file < 0) return cudaErrorMemoryAllocation;
    *static_cast<int *>(shareableHandle) = file;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                 cudaMemAllocationHandleType handleType, unsigned int flags) {
  return api_call([&] {
    if (!memPool || flags != 0 || handleType != cudaMemHandleTypePosixFileDescriptor) return cudaErrorInvalidValue;
    const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(shareableHandle));
    PoolFile content;
    if (pread(file, &content, sizeof content, 0) != sizeof content || content.magic != kPoolMagic)
      return cudaErrorInvalidValue;
    auto *pool = new CUmemPoolHandle_st;
    pool->device = content.device;
    pool->handle_type = handleType;
    pool->shared_id = content.id;
    pool->imported = true;
    enter_pool(pool);
    *memPool = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *exportData, void *ptr) {
  return api_call([&]() -> cudaError_t {
    const auto allocation = find_allocation(ptr);
    if (!exportData || !allocation || !allocation->pool || !allocation->pool->shared_id) return cudaErrorInvalidValue;
    SharedAddress address;
    if (const cudaError_t error = export_memory(ptr, &address); error != cudaSuccess) return error;
    address.pool = allocation->pool->shared_id;
    static_assert(sizeof address <= sizeof *exportData);
    std::memset(exportData, 0, sizeof *exportData);
    std::memcpy(exportData, &address, sizeof address);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool, cudaMemPoolPtrExportData *exportData) {
  return api_call([&] {
    if (!ptr || !exportData || !is_pool(memPool) || !memPool->imported) return cudaErrorInvalidValue;
    SharedAddress address;
    std::memcpy(&address, exportData, sizeof address);
    if (address.pool != memPool->shared_id) return cudaErrorInvalidValue;
    return import_memory(address, ptr);
  });
}

}  // extern "C"

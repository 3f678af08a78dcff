// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interprocess.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "allocation.h"
#include "error.h"
#include "event.h"

namespace warploom {
namespace {

constexpr std::uint32_t kMemoryMagic = 0x774d656d, kEventMagic = 0x77457674;

struct Imported {
  std::uint64_t inode, offset;
  void *pages;
  std::size_t size;  // of the pages
  bool of_pool;
  int count;
};

struct ImportTable {
  std::mutex mutex;
  std::map<void *, Imported> by_pointer;
};

ImportTable &import_table() {
  static auto *const instance = new ImportTable;
  return *instance;
}

// Opens the file behind an address; -1 when its process has ended or has freed the memory.
int open_file(const SharedAddress &address) {
  const std::string path = "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0 && status.st_ino == address.inode &&
      static_cast<std::uint64_t>(status.st_size) >= address.offset + address.size)
    return file;
  if (file >= 0) close(file);
  return -1;
}

cudaError_t map_file(int file, const SharedAddress &address, void **pointer) {
  const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)), lead = address.offset % page;
  const std::size_t size = (lead + address.size + page - 1) / page * page;
  void *const pages = reserve_addresses(size, page);
  if (!pages) return cudaErrorMemoryAllocation;
  const auto offset = static_cast<off_t>(address.offset - lead);
  if (mmap(pages, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset) == MAP_FAILED) {
    free_addresses(pages, size);
    return cudaErrorMapBufferObjectFailed;
  }
  *pointer = static_cast<std::byte *>(pages) + lead;
  enter_mapping(*pointer, address.size);
  import_table().by_pointer[*pointer] = {address.inode, address.offset, pages, size, address.pool != 0, 1};
  return cudaSuccess;
}

template <class Value, class Handle>
void write_handle(const Value &value, Handle *handle) {
  static_assert(sizeof value <= sizeof *handle);
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &value, sizeof value);
}

struct EventAddress {
  std::uint32_t magic;
  std::int32_t process;
};

}  // namespace

cudaError_t export_memory(const void *pointer, SharedAddress *address) {
  const auto allocation = find_allocation(pointer);
  if (!allocation || allocation->kind != MemoryKind::kDevice) return cudaErrorInvalidValue;
  const auto pages = share_allocation(*allocation);
  struct stat status;
  if (!pages || fstat(pages->file, &status) != 0) return cudaErrorMemoryAllocation;
  *address = {
      kMemoryMagic,     getpid(), pages->file, allocation->device, status.st_ino, allocation->base - pages->base,
      allocation->size, 0};
  return cudaSuccess;
}

cudaError_t import_memory(const SharedAddress &address, void **pointer) {
  if (address.magic != kMemoryMagic) return cudaErrorInvalidValue;
  if (address.process == getpid()) return cudaErrorDeviceUninitialized;  // as a GPU: "invalid device context"
  ImportTable &table = import_table();
  const std::lock_guard lock(table.mutex);
  const int file = open_file(address);
  if (file < 0) return cudaErrorMapBufferObjectFailed;
  cudaError_t error = cudaSuccess;
  bool known = false;
  for (auto &[base, imported] : table.by_pointer) {
    if (imported.inode != address.inode || imported.offset != address.offset) continue;
    ++imported.count;
    *pointer = base;
    known = true;
  }
  if (!known) error = map_file(file, address, pointer);
  close(file);
  return error;
}

bool close_imported(void *pointer, bool of_pool) {
  ImportTable &table = import_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.by_pointer.find(pointer);
  if (found == table.by_pointer.end() || found->second.of_pool != of_pool) return false;
  if (--found->second.count > 0) return true;
  forget_mapping(pointer);
  free_addresses(found->second.pages, found->second.size);
  table.by_pointer.erase(found);
  return true;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr) {
  return api_call([&]() -> cudaError_t {
    if (!handle || !devPtr) return cudaErrorInvalidValue;
    SharedAddress address;
    if (const cudaError_t error = export_memory(devPtr, &address); error != cudaSuccess) return error;
    write_handle(address, handle);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags) {
  return api_call([&] {
    if (!devPtr || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
    SharedAddress address;
    std::memcpy(&address, &handle, sizeof address);
    return import_memory(address, devPtr);
  });
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr) {
  return api_call([&] { return close_imported(devPtr, false) ? cudaSuccess : cudaErrorInvalidValue; });
}

// An event that another process has recorded is complete when it has returned from that, and one that it has not counts
// as complete, too. There is nothing to share but the handle.
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
  return api_call([&]() -> cudaError_t {
    const CUevent_st *const found = find_event(event);
    if (!handle) return cudaErrorInvalidValue;
    if (!found || !(found->flags & cudaEventInterprocess)) return cudaErrorInvalidResourceHandle;
    write_handle(EventAddress{kEventMagic, getpid()}, handle);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
  return api_call([&] {
    EventAddress address;
    std::memcpy(&address, &handle, sizeof address);
    if (!event || address.magic != kEventMagic) return cudaErrorInvalidValue;
    if (address.process == getpid()) return cudaErrorDeviceUninitialized;
    return cudaEventCreateWithFlags(event, cudaEventInterprocess | cudaEventDisableTiming);
  });
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "allocation.h"
#include "context.h"
#include "error.h"
#include "launch.h"
#include "pool.h"
#include "stream.h"
#include "visible_devices.h"

namespace warploom {
namespace {

thread_local int selected_device = 0;
std::atomic<bool> runtime_used = false;
std::atomic<unsigned> device_flags = cudaDeviceScheduleAuto;
std::atomic<cudaFuncCache> cache_config = cudaFuncCachePreferNone;
std::atomic<cudaSharedMemConfig> bank_config = cudaSharedMemBankSizeFourByte;

// Limits that this runtime has no use for; they are kept so that a program reads back what it set.
std::atomic<std::size_t> printf_fifo_size = 1 << 20;
std::atomic<std::size_t> sync_depth = 2;
std::atomic<std::size_t> pending_launches = 2048;
std::atomic<std::size_t> fetch_granularity = 64;
std::atomic<std::size_t> persisting_cache = 0;

std::atomic<std::size_t> *stored_limit(cudaLimit limit) {
  switch (limit) {
    case cudaLimitPrintfFifoSize:
      return &printf_fifo_size;
    case cudaLimitDevRuntimeSyncDepth:
      return &sync_depth;
    case cudaLimitDevRuntimePendingLaunchCount:
      return &pending_launches;
    case cudaLimitMaxL2FetchGranularity:
      return &fetch_granularity;
    case cudaLimitPersistingL2CacheSize:
      return &persisting_cache;
    default:
      return nullptr;
  }
}

}  // namespace

std::size_t most_pending_launches() { return std::max<std::size_t>(pending_launches, 32); }

int current_device() { return selected_device; }
void select_device(int device) { selected_device = device; }

void note_runtime_use() {
  if (runtime_used.load(std::memory_order_relaxed)) return;
  if (device_count() == 0) set_device_error(unknown_device());  // what every call returns then
  runtime_used = true;
}
bool runtime_is_in_use() { return runtime_used; }

bool is_device(int device) { return device >= 0 && device < device_count(); }
cudaError_t unknown_device() {
  return device_count() == 0 && !devices_are_named_twice() ? cudaErrorNoDevice : cudaErrorInvalidDevice;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  if (!count) return record(cudaErrorInvalidValue);
  if (device_count() == 0) return record(unknown_device());
  *count = device_count();
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  if (!device) return record(cudaErrorInvalidValue);
  *device = current_device();
  return record(device_count() > 0 ? cudaSuccess : unknown_device());
}

cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return record(unknown_device());
  selected_device = device;
  enter_runtime();
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return api_call([&] { return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaSetValidDevices(int *device_arr, int len) {
  return api_call([&] {
    if (len < 0 || (len > 0 && !device_arr)) return cudaErrorInvalidValue;
    for (int i = 0; i < len; ++i)
      if (!is_device(device_arr[i])) return cudaErrorInvalidDevice;
    if (len > 0) selected_device = device_arr[0];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api_call([&] {
    if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  return api_call([&] {
    if (!flags) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *prop) {
  return api_call([&] {
    if (!device || !prop) return cudaErrorInvalidValue;
    *device = 0;  // all devices are alike
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset() {
  if (in_host_function()) return record(cudaErrorNotPermitted);
  if (device_count() == 0) return record(unknown_device());
  finish_or_drop();
  reset_streams();
  reset_functions();
  release_all();
  clear_errors();
  return cudaSuccess;
}

// After a fault: the device works on, and what is allocated stays. For callers whose memory is not the device's.
__attribute__((visibility("default"))) cudaError_t __warploom_clear_fault() {
  if (in_host_function()) return record(cudaErrorNotPermitted);
  finish_or_drop();
  clear_errors();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return api_call([] {
    // Its children run when it has.
    if (in_device_code() && calling_launch().depth >= kMaximumDepth) return cudaErrorSyncDepthExceeded;
    wait_for_device(current_device());
    return device_fault();
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api_call([&] {
    wait_for_all();  // grids that have been launched keep the limits
    if (limit == cudaLimitStackSize) {
      set_thread_stack_size(value);
    } else if (limit == cudaLimitMallocHeapSize) {
      set_device_heap_size(value);
    } else if (std::atomic<std::size_t> *stored = stored_limit(limit)) {
      *stored = value;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return api_call([&] {
    if (!value) return cudaErrorInvalidValue;
    if (limit == cudaLimitStackSize) {
      *value = thread_stack_size();
    } else if (limit == cudaLimitMallocHeapSize) {
      *value = device_heap_size();
    } else if (const std::atomic<std::size_t> *stored = stored_limit(limit)) {
      *value = *stored;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  return api_call([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = cache_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api_call([&] {
    cache_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
  return api_call([&] {
    if (!config) return cudaErrorInvalidValue;
    *config = bank_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return api_call([&] {
    bank_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
  return api_call([&] {
    if (!pciBusId || len < 13) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(pciBusId, static_cast<std::size_t>(len), "0000:%02x:00.0", machine_device(device) + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
  return api_call([&] {
    if (!device || !pciBusId) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
        (domain = 0, std::sscanf(pciBusId, "%x:%x", &bus, &slot)) != 2)
      return cudaErrorInvalidValue;
    const int number = seen_device(static_cast<int>(bus) - 1);
    if (domain != 0 || slot != 0 || !is_device(number)) return cudaErrorInvalidDevice;
    *device = number;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int, int) {
  return api_call([] { return not_supported("cudaDeviceFlushGPUDirectRDMAWrites", "there is no GPUDirect RDMA"); });
}

cudaError_t cudaDriverGetVersion(int *driverVersion) {
  if (!driverVersion) return record(cudaErrorInvalidValue);
  *driverVersion = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) { return cudaDriverGetVersion(runtimeVersion); }

cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

}  // extern "C"

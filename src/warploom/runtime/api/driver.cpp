// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's errors, devices and contexts.
#include "driver.h"

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "allocation.h"
#include "device.h"

namespace warploom {
namespace {

std::atomic<bool> initialised = false;

struct DriverError {
  CUresult code;
  const char *name;
};

constexpr DriverError kDriverErrors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS"},
#define WARPLOOM_DRIVER_ERROR(name, value) {CUDA_ERROR_##name, "CUDA_ERROR_" #name},
#include "warploom/driver_error_codes.def"
#undef WARPLOOM_DRIVER_ERROR
};

const DriverError *find_driver_error(int code) {
  for (const DriverError &error : kDriverErrors)
    if (error.code == code) return &error;
  return nullptr;
}

// What the runtime API has no name for.
std::optional<int> driver_attribute(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
      return 1;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
      return 0;
    default:
      return std::nullopt;
  }
}

// How often each primary context is retained.
std::atomic<int> &retained(int device) {
  static auto *const counts = new std::vector<std::atomic<int>>(static_cast<std::size_t>(device_count()));
  return (*counts)[static_cast<std::size_t>(device)];
}

// The body of an entry point that needs cuInit to have been called.
template <class Body>
CUresult initialised_call(Body &&body) {
  const InDriver here;
  return driver_is_initialised() ? body() : CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace

CUresult driver_result(cudaError_t error) {
  if (find_driver_error(error)) return static_cast<CUresult>(error);
  switch (error) {
    case cudaErrorInvalidSymbol:
      return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidChannelDescriptor:
      return CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_UNKNOWN;
  }
}

bool driver_is_initialised() { return initialised || runtime_is_in_use(); }

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuInit(unsigned int Flags) {
  if (Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (device_count() == 0) return CUDA_ERROR_NO_DEVICE;
  initialised = true;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *driverVersion) {
  if (!driverVersion) return CUDA_ERROR_INVALID_VALUE;
  *driverVersion = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **pStr) {
  if (!pStr) return CUDA_ERROR_INVALID_VALUE;
  const DriverError *found = find_driver_error(error);
  *pStr = found ? found->name : nullptr;
  return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr) {
  if (!pStr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = find_driver_error(error) != nullptr;
  *pStr = known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return initialised_call([&] {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int *count) {
  return initialised_call([&] {
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = device_count();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev) {
  return initialised_call([&] {
    if (!name || len <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
    cudaDeviceProp properties;
    describe_device(&properties, dev);
    std::strncpy(name, properties.name, static_cast<std::size_t>(len) - 1);
    name[len - 1] = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev) {
  return initialised_call([&] {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
    cudaDeviceProp properties;
    describe_device(&properties, dev);
    *uuid = properties.uuid;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev) {
  return initialised_call([&] {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = memory_totals().total;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev) {
  const std::optional<int> own = driver_attribute(attrib);
  return anywhere_call([&] {
    if (!own) return cudaDeviceGetAttribute(pi, static_cast<cudaDeviceAttr>(attrib), dev);
    if (!pi) return cudaErrorInvalidValue;
    if (!is_device(dev)) return cudaErrorInvalidDevice;
    *pi = *own;
    return cudaSuccess;
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev) {
  const CUresult result = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev) {
  return anywhere_call([&] { return cudaDeviceGetPCIBusId(pciBusId, len, dev); });
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId) {
  return anywhere_call([&] { return cudaDeviceGetByPCIBusId(dev, pciBusId); });
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
  return anywhere_call([&] { return cudaDeviceCanAccessPeer(canAccessPeer, dev, peerDev); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
  return initialised_call([&] {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    if (!is_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
    *pctx = context_of(dev);
    ++retained(dev);
    return CUDA_SUCCESS;
  });
}

// Contexts are never torn down but by a reset: the runtime API uses the same ones.
CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
  return initialised_call([&] {
    if (!is_device(dev)) return CUDA_ERROR_INVALID_DEVICE;
    if (retained(dev) == 0 && !runtime_is_in_use()) return CUDA_ERROR_INVALID_CONTEXT;
    if (retained(dev) > 0) --retained(dev);
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
  return initialised_call(
      [&] { return is_device(dev) ? driver_result(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE; });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags) {
  return anywhere_call([&] { return is_device(dev) ? cudaSetDeviceFlags(flags) : cudaErrorInvalidDevice; });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active) {
  return anywhere_call([&] {
    if (!is_device(dev)) return cudaErrorInvalidDevice;
    if (active) *active = 1;
    return flags ? cudaGetDeviceFlags(flags) : cudaSuccess;
  });
}

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev) {
  const CUresult result = cuDevicePrimaryCtxRetain(pctx, dev);
  if (result != CUDA_SUCCESS) return result;
  if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return CUDA_ERROR_INVALID_VALUE;
  return cuCtxPushCurrent(*pctx);
}

CUresult cuCtxDestroy(CUcontext ctx) {
  return initialised_call([&] {
    if (!is_context(ctx)) return ctx ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    if (current_context() == ctx) pop_context();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent(CUcontext ctx) {
  return initialised_call([&] {
    if (!is_context(ctx)) return ctx ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    push_context(ctx);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent(CUcontext *pctx) {
  return initialised_call([&] {
    CUctx_st *const popped = pop_context();
    if (!popped) return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx) *pctx = popped;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext ctx) {
  return initialised_call([&] {
    if (ctx && !is_context(ctx)) return CUDA_ERROR_INVALID_CONTEXT;
    set_context(ctx);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext *pctx) {
  return initialised_call([&] {
    if (!pctx) return CUDA_ERROR_INVALID_VALUE;
    *pctx = current_context();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return initialised_call([&] {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    *device = current_context()->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return driver_call([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return driver_call([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit) {
  return driver_call([&] { return cudaDeviceGetLimit(pvalue, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return driver_call([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
  return driver_call([&] { return cudaDeviceGetStreamPriorityRange(leastPriority, greatestPriority); });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
  return driver_call([&] {
    return is_context(peerContext) ? cudaDeviceEnablePeerAccess(peerContext->device, Flags)
                                   : cudaErrorDeviceUninitialized;
  });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuDeviceGetUuid, _v2);
WARPLOOM_DRIVER_VERSION(cuDeviceTotalMem, _v2);
WARPLOOM_DRIVER_VERSION(cuDevicePrimaryCtxRelease, _v2);
WARPLOOM_DRIVER_VERSION(cuDevicePrimaryCtxReset, _v2);
WARPLOOM_DRIVER_VERSION(cuDevicePrimaryCtxSetFlags, _v2);
// Overloaded in C++, so that its type cannot be taken from its name.
extern "C" __attribute__((visibility("default"), alias("cuCtxCreate"))) CUresult cuCtxCreate_v2(CUcontext *,
                                                                                                unsigned int, CUdevice);
WARPLOOM_DRIVER_VERSION(cuCtxDestroy, _v2);
WARPLOOM_DRIVER_VERSION(cuCtxPushCurrent, _v2);
WARPLOOM_DRIVER_VERSION(cuCtxPopCurrent, _v2);

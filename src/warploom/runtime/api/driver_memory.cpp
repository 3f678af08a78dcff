// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API's memory.
#include "allocation.h"
#include "copy.h"
#include "driver_helpers.h"

namespace warploom {
namespace {

// An allocation of the driver API: a size of zero is an error there.
template <class Allocate>
CUresult allocate_address(CUdeviceptr *address, std::size_t size, Allocate &&allocate_it,
                          const Caller &caller = WARPLOOM_CALLER) {
  const auto body = [&]() -> cudaError_t {
    if (!address || size == 0) return cudaErrorInvalidValue;
    void *memory = nullptr;
    const cudaError_t error = allocate_it(&memory);
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return error;
  };
  return driver_call(body, caller);
}

CUresult fill(CUdeviceptr target, std::uint32_t value, std::size_t element, std::size_t count,
              const Caller &caller = WARPLOOM_CALLER) {
  return driver_call([&] { return fill_memory_now(target, count * element, value, element, count, 1); }, caller);
}

CUresult fill(CUdeviceptr target, std::uint32_t value, std::size_t element, std::size_t count, CUstream stream,
              const Caller &caller = WARPLOOM_CALLER) {
  const auto body = [&] { return fill_memory(target, count * element, value, element, count, 1, stream); };
  return stream_driver_call(stream, body, caller);
}

CUresult copy(void *target, const void *source, std::size_t size, cudaMemcpyKind kind, CUstream stream,
              const Caller &caller = WARPLOOM_CALLER) {
  return stream_driver_call(stream, [&] { return cudaMemcpyAsync(target, source, size, kind, stream); }, caller);
}

CUresult copy(void *target, const void *source, std::size_t size, cudaMemcpyKind kind) {
  return driver_call([&] { return cudaMemcpy(target, source, size, kind); });
}

}  // namespace

cudaError_t fill_memory(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::size_t element,
                        std::size_t width, std::size_t height, CUstream stream) {
  return stream_call(stream, [&](CUstream_st *found) {
    if (target % element) return cudaErrorInvalidValue;
    if (height > 1 && (pitch % element || pitch < width * element)) return cudaErrorInvalidValue;
    const Area area = {static_cast<std::byte *>(pointer(target)), pitch, pitch * height};
    return fill_box(found, area, {width * element, height, 1}, value, element);
  });
}

cudaError_t fill_memory_now(CUdeviceptr target, std::size_t pitch, std::uint32_t value, std::size_t element,
                            std::size_t width, std::size_t height) {
  return finished_fill(fill_memory(target, pitch, value, element, width, height, nullptr), pointer(target));
}

}  // namespace warploom

using namespace warploom;

extern "C" {

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  return driver_call([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize) {
  return allocate_address(dptr, bytesize, [&](void **memory) { return cudaMalloc(memory, bytesize); });
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                         unsigned int ElementSizeBytes) {
  const bool legal = ElementSizeBytes == 4 || ElementSizeBytes == 8 || ElementSizeBytes == 16;
  return allocate_address(dptr, legal && WidthInBytes && Height,
                          [&](void **memory) { return cudaMallocPitch(memory, pPitch, WidthInBytes, Height); });
}

CUresult cuMemFree(CUdeviceptr dptr) {
  return anywhere_call([&] { return cudaFree(pointer(dptr)); });
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
  return allocate_address(dptr, bytesize, [&](void **memory) { return cudaMallocManaged(memory, bytesize, flags); });
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
  return driver_call([&] { return bytesize ? cudaHostAlloc(pp, bytesize, Flags) : cudaErrorInvalidValue; });
}

CUresult cuMemAllocHost(void **pp, size_t bytesize) {
  return driver_call([&] { return bytesize ? cudaHostAlloc(pp, bytesize, 0) : cudaErrorInvalidValue; });
}

CUresult cuMemFreeHost(void *p) {
  return anywhere_call([&] { return p ? cudaFreeHost(p) : cudaErrorInvalidValue; });
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
  return allocate_address(pdptr, 1, [&](void **memory) { return cudaHostGetDevicePointer(memory, p, Flags); });
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags) {
  return driver_call([&] { return cudaHostRegister(p, bytesize, Flags); });
}

CUresult cuMemHostUnregister(void *p) {
  return anywhere_call([&] { return cudaHostUnregister(p); });
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
  return driver_call([&] {
    const auto allocation = find_allocation(pointer(dptr));
    if (!allocation) return cudaErrorSymbolNotFound;
    if (pbase) *pbase = allocation->base;
    if (psize) *psize = allocation->size;
    return cudaSuccess;
  });
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  return stream_driver_call(hStream, [&] {
    if (!dptr || bytesize == 0) return cudaErrorInvalidValue;
    return cudaMallocAsync(reinterpret_cast<void **>(dptr), bytesize, hStream);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
  return stream_driver_call(hStream, [&] { return cudaFreeAsync(pointer(dptr), hStream); });
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy(pointer(dst), pointer(src), ByteCount, cudaMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy(pointer(dst), pointer(src), ByteCount, cudaMemcpyDefault, hStream);
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  return copy(pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(dstHost, pointer(srcDevice), ByteCount, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(pointer(dstDevice), pointer(srcDevice), ByteCount, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
  return copy(pointer(dstDevice), srcHost, ByteCount, cudaMemcpyHostToDevice, hStream);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(dstHost, pointer(srcDevice), ByteCount, cudaMemcpyDeviceToHost, hStream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(pointer(dstDevice), pointer(srcDevice), ByteCount, cudaMemcpyDeviceToDevice, hStream);
}

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N) { return fill(dstDevice, uc, 1, N); }

CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N) { return fill(dstDevice, us, 2, N); }

CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N) { return fill(dstDevice, ui, 4, N); }

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill(dstDevice, uc, 1, N, hStream);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill(dstDevice, us, 2, N, hStream);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill(dstDevice, ui, 4, N, hStream);
}

CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
  return driver_call([&] { return fill_memory_now(dstDevice, dstPitch, ui, 4, Width, Height); });
}

}  // extern "C"

WARPLOOM_DRIVER_VERSION(cuMemGetInfo, _v2);
WARPLOOM_DRIVER_VERSION(cuMemAlloc, _v2);
WARPLOOM_DRIVER_VERSION(cuMemAllocPitch, _v2);
WARPLOOM_DRIVER_VERSION(cuMemFree, _v2);
WARPLOOM_DRIVER_VERSION(cuMemAllocHost, _v2);
WARPLOOM_DRIVER_VERSION(cuMemHostGetDevicePointer, _v2);
WARPLOOM_DRIVER_VERSION(cuMemHostRegister, _v2);
WARPLOOM_DRIVER_VERSION(cuMemGetAddressRange, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoD, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoH, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoD, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyHtoDAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoHAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemcpyDtoDAsync, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD8, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD16, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD32, _v2);
WARPLOOM_DRIVER_VERSION(cuMemsetD2D32, _v2);

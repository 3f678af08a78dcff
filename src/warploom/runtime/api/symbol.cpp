// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device variables by the address of their host-side shadow.
#include <cstring>
#include <string>

#include "copy.h"
#include "error.h"
#include "launch.h"

namespace warploom {
namespace {

// The device's end of a symbol copy; null with an error when the symbol or the range is not valid.
cudaError_t locate(const void *symbol, std::size_t count, std::size_t offset, std::byte **address) {
  const DeviceSymbol found = find_symbol(symbol);
  if (!found.address) return cudaErrorInvalidSymbol;
  if (offset > found.size || count > found.size - offset) return cudaErrorInvalidValue;
  *address = static_cast<std::byte *>(found.address) + offset;
  return cudaSuccess;
}

bool is_kind(cudaMemcpyKind kind, cudaMemcpyKind expected) {
  return kind == expected || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    std::byte *address = nullptr;
    if (!is_kind(kind, cudaMemcpyHostToDevice)) return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = locate(symbol, count, offset, &address); error != cudaSuccess) return error;
    return copy_linear(target, address, src, count, kind);
  });
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, nullptr));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return stream_call(stream, [&](CUstream_st *target) {
    std::byte *address = nullptr;
    if (!is_kind(kind, cudaMemcpyDeviceToHost)) return cudaErrorInvalidMemcpyDirection;
    if (const cudaError_t error = locate(symbol, count, offset, &address); error != cudaSuccess) return error;
    return copy_linear(target, dst, address, count, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  const CallScope scope(WARPLOOM_CALLER);
  return finished(cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, nullptr));
}

const void *__warploom_symbol_key(const void *address, const char *name, size_t size) {
  return find_symbol_key(address, std::string(name, strnlen(name, size)));
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
  return api_call([&] {
    if (!devPtr) return cudaErrorInvalidValue;
    *devPtr = find_symbol(symbol).address;
    return *devPtr ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  return api_call([&] {
    if (!size) return cudaErrorInvalidValue;
    const DeviceSymbol found = find_symbol(symbol);
    *size = found.size;
    return found.address ? cudaSuccess : cudaErrorInvalidSymbol;
  });
}

}  // extern "C"
